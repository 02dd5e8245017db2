//! The names a template may use, and what was seen while it was filled in.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The names of one row.
pub(super) struct Scope<'a> {
    pub(super) row: &'a Map<String, Value>,
    pub(super) shared: &'a Map<String, Value>,
    pub(super) request_id: &'a Value,
    /// Every field that any row has.
    pub(super) fields: &'a BTreeSet<String>,
    pub(super) seen: &'a Seen,
}

/// What filling in came across, over all rows.
#[derive(Debug, Default)]
pub(super) struct Seen {
    used: RefCell<BTreeSet<String>>,
    unknown: RefCell<BTreeSet<String>>,
    ignored: RefCell<BTreeSet<String>>,
}

impl<'a> Scope<'a> {
    /// The value of a name: the row's own first, then `[data.vars]`, then the built-in ones.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        let found = match name {
            "request_id" => Some(self.request_id),
            name => self.row.get(name).or_else(|| self.shared.get(name)).or_else(|| self.input(name)),
        };
        if found.is_some() {
            self.seen.used.borrow_mut().insert(name.to_owned());
        }
        found
    }

    /// Whether some row has the field although this one has not, or it is one of the names with a meaning.
    pub(super) fn is_missing(&self, name: &str) -> bool {
        self.fields.contains(name) || matches!(name, "query" | "model")
    }

    /// All names and values, for the template engine.
    pub(super) fn names(&self) -> Map<String, Value> {
        let mut names = self.shared.clone();
        names.extend(self.row.iter().map(|(name, value)| (name.clone(), value.clone())));
        names.insert("request_id".into(), self.request_id.clone());
        names
    }

    fn input(&self, name: &str) -> Option<&'a Value> {
        self.shared.get("inputs")?.get(name.strip_prefix("inputs.")?)
    }
}

impl Seen {
    /// A placeholder that names nothing.
    pub(super) fn unknown(&self, written: &str) {
        self.unknown.borrow_mut().insert(written.to_owned());
    }

    /// A placeholder that has no effect beside `{{ ... }}`.
    pub(super) fn ignored(&self, written: &str) {
        self.ignored.borrow_mut().insert(written.to_owned());
    }

    /// Names that a template engine's text mentions.
    pub(super) fn mentioned(&self, names: impl IntoIterator<Item = String>) {
        self.used.borrow_mut().extend(names);
    }

    /// Whether any of the names was used.
    pub(super) fn uses_any<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> bool {
        let used = self.used.borrow();
        names.into_iter().any(|name| used.contains(name))
    }

    /// What the reader of the scenario should know.
    pub(super) fn notices(&self) -> Vec<String> {
        let unknown = self.unknown.borrow();
        let unknown = unknown
            .iter()
            .map(|written| format!("`{written}` in the body names nothing and is sent as it is"));
        let ignored = self.ignored.borrow();
        let ignored = ignored.iter().map(|written| {
            let name = written.trim_matches(['<', '>', '{', '}']);
            format!("`{written}` stands beside `{{{{ ... }}}}` and is sent as it is; write `{{{{ {name} }}}}` there")
        });
        unknown.chain(ignored).collect()
    }
}
