//! One layer: values by canonical key, and for each where it was written.

use std::collections::BTreeMap;

use figment::value::{Dict, Map};
use figment::{Metadata, Profile, Provider};

use crate::diagnostic::Place;
use crate::key_path::KeyPath;

/// What laid the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    Defaults,
    File,
    Profile(String),
    /// `RUNGS_...`
    Environment,
    /// `--set`, `--stages`, ...
    CommandLine,
}

/// One layer of settings.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) origin: Origin,
    pub(crate) values: Dict,
    pub(crate) entries: BTreeMap<KeyPath, Entry>,
}

/// Where and how a value was written.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Place of the key.
    pub(crate) key: Place,
    /// Place of the value.
    pub(crate) value: Place,
    /// The text outside TOML (`8080` of `--set target.port=8080`): may also be meant as a string.
    pub(crate) raw: Option<String>,
    /// For messages about values without a line: `--set`, `RUNGS_TARGET__PORT`.
    pub(crate) source: String,
    /// Rank in the file, so that tables keep the order they were written in.
    pub(crate) order: usize,
}

impl Layer {
    /// A layer without values.
    pub(crate) fn new(origin: Origin) -> Self {
        Self { origin, values: Dict::new(), entries: BTreeMap::new() }
    }

    /// Whether a value (or a table with values) stands at the path.
    pub(crate) fn has(&self, path: &KeyPath) -> bool {
        self.entries.contains_key(path)
    }

    /// Takes out the value at a dotted path of tables.
    pub(crate) fn remove(&mut self, dotted: &str) {
        let mut keys: Vec<&str> = dotted.split('.').collect();
        let Some(last) = keys.pop() else { return };
        let mut table = &mut self.values;
        for key in keys {
            match table.get_mut(key) {
                Some(figment::value::Value::Dict(_, inner)) => table = inner,
                _ => return,
            }
        }
        table.remove(last);
        self.entries.remove(&KeyPath::dotted(dotted));
    }
}

impl Provider for &Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(match &self.origin {
            Origin::Defaults => "defaults",
            Origin::File => "scenario file",
            Origin::Profile(_) => "profile",
            Origin::Environment => "environment",
            Origin::CommandLine => "command line",
        })
    }

    fn data(&self) -> figment::error::Result<Map<Profile, Dict>> {
        Ok(Map::from([(Profile::Default, self.values.clone())]))
    }
}
