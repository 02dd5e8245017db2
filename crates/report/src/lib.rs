//! Result -> bytes: JSON, HTML, the terminal's table, and the sentences that go with them. Pure: no clock, no files.

pub mod conclusion;
pub mod diagnosis;
pub mod html;
pub mod json;
mod lang;
pub mod load;
pub mod number;
pub mod plain;
pub mod samples;
pub mod terminal;
pub mod trouble;
pub mod warnings;

pub use lang::Lang;
