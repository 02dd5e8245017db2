//! The scenario file as layers: the file itself and its profiles.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::builder::{Writing, lay};
use super::layer::{Layer, Origin};
use crate::diagnostic::{Place, Problems};
use crate::text_file::TextFile;

/// What stands in the file.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) base: Layer,
    /// Every profile by name; all are checked for unknown keys, one at most is used.
    pub(crate) profiles: BTreeMap<String, Layer>,
}

/// Reads the text of a scenario file. `None` when it is no TOML: further reading would only add noise.
pub(crate) fn parse(file: &Arc<TextFile>, problems: &Problems) -> Option<Parsed> {
    let (root, errors) = DeTable::parse_recoverable(&file.text);
    for error in &errors {
        let span = error.span().unwrap_or(file.text.len()..file.text.len());
        let place = Place::Text { file: Arc::clone(file), span };
        problems.error(&place, format!("not TOML: {}", error.message().replace('\n', ", ")));
    }
    if !errors.is_empty() {
        return None;
    }
    let place = |span: Range<usize>| Place::Text { file: Arc::clone(file), span };
    let writing = Writing { place: &place, raw: None, source: "the scenario file".into() };
    let mut root = root.into_inner();
    let profiles = root.remove("profile").map(|value| (value.span(), value.into_inner()));
    let mut base = Layer::new(Origin::File);
    lay(&mut base, &root, &writing, problems);
    let profiles = match profiles {
        None => BTreeMap::new(),
        Some((_, DeValue::Table(table))) => lay_profiles(&table, &writing, problems),
        Some((span, _)) => {
            problems.error(&place(span), "expected tables `[profile.NAME]`");
            BTreeMap::new()
        }
    };
    Some(Parsed { base, profiles })
}

fn lay_profiles(table: &DeTable<'_>, writing: &Writing<'_>, problems: &Problems) -> BTreeMap<String, Layer> {
    let mut profiles = BTreeMap::new();
    for (name, value) in table {
        let mut layer = Layer::new(Origin::Profile(name.get_ref().to_string()));
        match value.get_ref() {
            DeValue::Table(table) => lay(&mut layer, table, writing, problems),
            _ => problems.error(&(writing.place)(value.span()), "expected a table `[profile.NAME]`"),
        }
        profiles.insert(name.get_ref().to_string(), layer);
    }
    profiles
}
