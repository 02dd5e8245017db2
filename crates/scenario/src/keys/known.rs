//! One row of the list of keys, and looking rows up.

use super::table::TABLE;

/// A key of the scenario file.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Table it stands in, dotted; empty for the top level. Keys of `[[load.stage]]` stand in `load.stage`.
    pub section: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Older or other spellings that mean the same.
    pub aliases: &'static [&'static str],
    /// What may stand there.
    pub kind: Kind,
    /// Its value when nothing is said, as TOML; `None`: absent, or it depends on other keys.
    pub default: Option<&'static str>,
    /// What it does, one English sentence.
    pub en: &'static str,
}

impl Key {
    /// Its dotted path; of a table, the name under which its own keys are listed.
    pub fn path(&self) -> String {
        self.path_in(self.section)
    }

    /// Its dotted path in a section that has the same keys as its own.
    pub(crate) fn path_in(&self, section: &str) -> String {
        match section {
            "" => self.name.to_owned(),
            section => format!("{section}.{}", self.name),
        }
    }
}

/// What may stand at a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A path relative to the scenario file.
    Path,
    /// A path relative to the scenario file, `true` or `false`.
    PathOrBoolean,
    /// `"1m30s"` or seconds.
    Duration,
    /// A duration, or `"none"`.
    DurationOrNone,
    /// A duration, or `"50ms..200ms"`.
    Pause,
    /// `"16MiB"` or bytes.
    Size,
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// `"5%"`, or a number from 0 to 1.
    Share,
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An array of whole numbers.
    Counts,
    /// An array of strings.
    Texts,
    /// An array of anything.
    List,
    /// The path of a data file, or an array of prompts.
    Prompts,
    /// The path of a template, the template as a text, or as a table.
    Body,
    /// A JSON pointer, or an array of them.
    Pointers,
    /// What tells an event from others, or an array of it.
    Marks,
    /// A duration, a share or a number, as the metric has it.
    Change,
    /// A table with keys of its own.
    Section,
    /// An array of tables with keys of their own.
    Sections,
    /// A table of strings.
    Headers,
    /// A table of anything.
    Free,
    /// Tables by name, each holding what the file itself may hold.
    Profiles,
    /// Reserved: refused unless it says what happens anyway.
    Later(Option<&'static str>),
}

/// The other side of an A/B run, whose keys are those of `[target]`.
const B: &str = "target.b";
/// What is said of both sides, or of A alone.
const NOT_OF_B: &[&str] = &["b", "allow", "price"];

/// The key of that name or alias in a section.
pub(crate) fn find(section: &str, name: &str) -> Option<&'static Key> {
    in_section(section).find(|key| key.name == name || key.aliases.contains(&name))
}

/// Every key of a section.
pub(crate) fn in_section(section: &str) -> impl Iterator<Item = &'static Key> {
    TABLE.iter().filter(move |key| match section.strip_prefix(B) {
        Some("") => key.section == "target" && !NOT_OF_B.contains(&key.name),
        Some(inner) => key.section.strip_prefix("target") == Some(inner),
        None => key.section == section,
    })
}

/// Every table that has keys of its own, by its dotted path, the outer ones first.
pub(crate) fn sections() -> Vec<(String, &'static Key)> {
    let mut all: Vec<(String, &'static Key)> = Vec::new();
    let mut outer = vec![String::new()];
    while !outer.is_empty() {
        let inner = outer.iter().flat_map(|section| tables(section)).collect::<Vec<_>>();
        outer = inner.iter().map(|(path, _)| path.clone()).collect();
        all.extend(inner);
    }
    all
}

/// Whether what is absent in a section has no default, but is as in another one.
pub(crate) fn inherits(section: &str) -> bool {
    section.strip_prefix(B).is_some_and(|inner| inner.is_empty() || inner.starts_with('.'))
}

fn tables(section: &str) -> impl Iterator<Item = (String, &'static Key)> {
    let tables = in_section(section).filter(|key| matches!(key.kind, Kind::Section | Kind::Sections));
    tables.map(move |key| (key.path_in(section), key))
}

/// Another section that has a key of that name.
pub(crate) fn section_holding(name: &str) -> Option<&'static Key> {
    TABLE.iter().find(|key| key.name == name || key.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_spelling_is_unique_in_its_section_and_every_section_is_a_key() {
        let mut seen = BTreeSet::new();
        for key in TABLE {
            for name in key.aliases.iter().chain([&key.name]) {
                assert!(seen.insert((key.section, *name)), "{} {name}", key.section);
            }
            if let Some((parent, name)) = key.section.rsplit_once('.') {
                assert!(find(parent, name).is_some(), "{}", key.section);
            } else if !key.section.is_empty() {
                assert!(find("", key.section).is_some(), "{}", key.section);
            }
        }
    }

    #[test]
    fn the_other_side_has_the_keys_of_the_target_but_what_is_said_of_both() {
        let names = |section| in_section(section).map(|key| key.name).collect::<Vec<_>>();
        let mut expected = names("target");
        expected.retain(|name| !["b", "allow", "price"].contains(name));
        assert_eq!(names("target.b"), expected);
        assert_eq!(names("target.b.timeouts"), names("target.timeouts"));
        assert_eq!(names("target.b.nothing"), Vec::<&str>::new());
        assert_eq!(find("target.b", "model_name").map(|key| key.name), Some("model"));
        let inner = sections().into_iter().map(|(path, _)| path).filter(|path| inherits(path));
        let expected = ["target.b", "target.b.timeouts", "target.b.tls", "target.b.response"];
        assert_eq!(inner.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_default_is_a_toml_value() {
        for key in TABLE {
            if let Some(default) = key.default {
                toml::de::DeValue::parse(default).unwrap();
            }
        }
    }
}
