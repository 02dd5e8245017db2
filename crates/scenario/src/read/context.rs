//! What every reader needs: where problems go, where relative paths start, which variables there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Place, Problems};
use crate::layers::{Node, NodeKind};

/// Shared by all readers of one file.
pub(crate) struct Context<'a> {
    pub(crate) problems: &'a Problems,
    /// Folder of the scenario file.
    pub(crate) directory: &'a Path,
    pub(crate) environment: &'a BTreeMap<String, String>,
    /// The scenario file as a whole.
    pub(crate) file: Place,
}

impl<'a> Context<'a> {
    /// The same with another place for what is found.
    pub(crate) fn with(&self, problems: &'a Problems) -> Self {
        Self { problems, file: self.file.clone(), ..*self }
    }
}

impl Context<'_> {
    /// A path of the scenario, which is relative to its file.
    pub(crate) fn resolve(&self, path: &str) -> PathBuf {
        self.directory.join(path)
    }

    /// Records that `node` is not what was expected.
    pub(crate) fn expected(&self, node: &Node, expected: &str) {
        let message = format!("expected {expected} for `{}`, found {}", node.path.name(), node.shown());
        self.problems.error(&node.place, message);
    }

    /// As [`Self::expected`], with a hint.
    pub(crate) fn expected_with_hint(&self, node: &Node, expected: &str, hint: impl Into<String>) {
        let message = format!("expected {expected} for `{}`, found {}", node.path.name(), node.shown());
        self.problems.error_with_hint(&node.place, message, hint);
    }

    /// A string; a number or boolean typed outside TOML (`--set target.model=7`) is one as well.
    pub(crate) fn text<'n>(&self, node: &'n Node) -> Option<&'n str> {
        match (&node.kind, &node.raw) {
            (NodeKind::Text(text), _) => Some(text),
            (NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::Boolean(_), Some(raw)) => Some(raw),
            (NodeKind::Unreadable, _) => None,
            _ => {
                self.expected(node, "a string");
                None
            }
        }
    }
}
