//! What is wrong with a scenario: every problem at once, each with its place and a hint.

mod list;
mod mask;
mod render;
mod suggest;

pub use list::Diagnostics;
pub(crate) use list::{Place, Problems};
pub(crate) use mask::{is_secret_name, masked};
pub(crate) use suggest::nearest;
