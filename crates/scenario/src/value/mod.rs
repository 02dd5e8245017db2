//! Single values: how each is written.

mod duration;
mod size;

pub(crate) use duration::show_duration;
pub(crate) use measure::duration::{LONGEST, parse as parse_duration};
pub(crate) use size::parse_size;
