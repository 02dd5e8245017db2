//! Keys of `[load]` are the defaults of its stages.

use crate::layers::Node;
use crate::read::Section;

/// One stage's table over `[load]`.
#[derive(Clone, Copy)]
pub(super) struct Inherit<'a> {
    /// The stage's own table; `None` for a stage of the ladder, which has none.
    pub(super) own: Option<Section<'a>>,
    pub(super) load: Section<'a>,
}

impl<'a> Inherit<'a> {
    /// The table that says `key` for this stage: its own, or `[load]`.
    pub(super) fn of(self, key: &str) -> Section<'a> {
        self.own.filter(|own| own.said(key).is_some()).unwrap_or(self.load)
    }

    /// What the stage's own table says.
    pub(super) fn own(self, key: &str) -> Option<&'a Node> {
        self.own?.said(key)
    }

    /// What somebody said about `key`, here or in `[load]`.
    pub(super) fn said(self, key: &str) -> Option<&'a Node> {
        self.of(key).said(key)
    }

    /// Refuses keys of the stage's own table that mean nothing for it.
    pub(super) fn refuse(self, keys: &[&str], why: &str) {
        for node in keys.iter().filter_map(|key| self.own(key)) {
            let message = format!("`{}` has no effect here: {why}", node.path.name());
            self.load.context.problems.error_with_hint(&node.key, message, "take it out");
        }
    }
}
