//! Result -> bytes: JSON, HTML, Markdown, JUnit, CSV, the terminal's table, and the sentences that go with them. Pure: no
//! clock, no files.

pub mod comparison;
pub mod conclusion;
mod cost;
pub mod csv;
pub mod diagnosis;
mod ended;
pub mod html;
pub mod json;
pub mod junit;
mod lang;
pub mod load;
pub mod markdown;
pub mod number;
pub mod plain;
pub mod samples;
mod search;
mod sides;
mod stored;
pub mod terminal;
pub mod trouble;
mod verdict;
pub mod warnings;

pub use ended::Ended;
pub use lang::Lang;
