//! Reading the merged tree section by section: every getter records what is wrong and reading goes on.

mod context;
mod section;
mod shown;

pub(crate) use context::Context;
pub(crate) use section::Section;
