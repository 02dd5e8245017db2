//! Single values: how each is written.

mod duration;
mod size;

pub(crate) use duration::{LONGEST, parse_duration, show_duration};
pub(crate) use size::parse_size;
