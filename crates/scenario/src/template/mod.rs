//! The body: parsed, placeholders filled in, finished for its protocol, rendered for every row ahead of the run.

mod bodies;
mod body;
mod default;
mod fill;
mod finish;
mod jinja;
mod placeholder;
mod scope;
mod source;

pub(crate) use bodies::{Wanted, render};
pub(crate) use body::Body;
