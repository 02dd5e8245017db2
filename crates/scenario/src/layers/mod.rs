//! Defaults, file, profile, variables and `--set`, laid over one another; every value keeps its place.

mod alternatives;
mod builder;
mod expand;
mod file;
mod layer;
mod merge;
mod node;
mod options;
mod outside;
mod unknown;

pub(crate) use file::{Parsed, parse};
pub(crate) use layer::{Entry, Layer, Origin};
pub(crate) use merge::{defaults, merge};
pub(crate) use node::{Ground, Node, NodeKind};
pub use options::Layers;
pub(crate) use outside::{from_environment, from_options, from_set};
