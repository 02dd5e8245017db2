//! Every key a scenario may have: the one list behind unknown-key checks, aliases, defaults and the reference.

mod known;
mod table;

pub use known::{Key, Kind};
pub(crate) use known::{find, in_section, inherits, section_holding, sections};
pub use table::TABLE;
