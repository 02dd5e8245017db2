//! The samples file: NDJSON, a line per attempt as its request finishes, between a line for the run and lines for its
//! stages. Everything in a result can be counted again from it, also when the run was killed: [`rebuild()`].

mod bounds;
mod line;
mod outline;
mod rebuild;
mod source;
mod write;

pub use rebuild::rebuild;
pub use source::SamplesError;
pub use write::{attempt_lines, run_end_line, run_line, stage_end_line, stage_start_line};
