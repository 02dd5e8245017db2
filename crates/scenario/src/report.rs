//! `[report]` and `[objectives]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::layers::NodeKind;
use crate::plan::{Language, Objectives, Outputs, Readers, Samples};
use crate::read::Section;

/// Reads `[report]`. `out` takes the place of the folder, and explicit paths keep only their file names.
pub(crate) fn read(section: Section<'_>, out: Option<&Path>) -> Outputs {
    let explicit = |key: &str| -> Option<PathBuf> {
        let path = section.path(key)?;
        let Some(name) = path.file_name() else {
            if let Some(node) = section.get(key) {
                section.context.expected(node, "the path of a file");
            }
            return None;
        };
        Some(out.map_or_else(|| path.clone(), |out| out.join(name)))
    };
    let dir = section.path("dir").unwrap_or_else(|| section.context.resolve("report"));
    Outputs {
        dir: out.map_or(dir, Path::to_owned),
        json: explicit("json"),
        html: explicit("html"),
        markdown: explicit("markdown"),
        junit: explicit("junit"),
        csv: explicit("csv"),
        samples: samples(section, explicit),
        readers: match section.boolean("private") {
            Some(true) => Readers::Owner,
            Some(false) | None => Readers::Everyone,
        },
        lang: section
            .choice("lang", &[("en", Language::English), ("zh", Language::Chinese)])
            .or_else(|| language_of(section.context.environment)),
        quiet: section.boolean("quiet").unwrap_or_default(),
        title: section.visible_text("title"),
        stall_after: section.positive_duration("stall_after").unwrap_or_default(),
        reading_speed: section.positive_number("reading_speed").unwrap_or_default(),
    }
}

/// `true`, `false`, or the path of the file. An empty text counts as absent, as of every path.
fn samples(section: Section<'_>, explicit: impl Fn(&str) -> Option<PathBuf>) -> Samples {
    let Some(node) = section.get("samples") else { return Samples::Off };
    match &node.kind {
        NodeKind::Boolean(true) => Samples::Beside,
        NodeKind::Boolean(false) | NodeKind::Unreadable => Samples::Off,
        // As the value of a variable.
        NodeKind::Text(word) if word.is_empty() || word == "true" => Samples::Beside,
        NodeKind::Text(word) if word == "false" => Samples::Off,
        NodeKind::Text(_) => explicit("samples").map_or(Samples::Off, Samples::At),
        NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::List(_) | NodeKind::Table(_) => {
            section.context.expected(node, "`true`, `false` or the path of a file");
            Samples::Off
        }
    }
}

/// Reads `[objectives]`.
pub(crate) fn read_objectives(section: Section<'_>) -> Objectives {
    Objectives {
        ttft: section.positive_duration("ttft"),
        tpot: section.positive_duration("tpot"),
        e2e: section.positive_duration("e2e"),
    }
}

/// The language of the locale, by the usual precedence.
fn language_of(environment: &BTreeMap<String, String>) -> Option<Language> {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"];
    let locale = locale.iter().filter_map(|name| environment.get(*name)).find(|locale| !locale.is_empty())?;
    match locale.to_lowercase().starts_with("zh") {
        true => Some(Language::Chinese),
        false => Some(Language::English),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_decides_the_language() {
        let rows = [
            ("LANG=zh_CN.UTF-8", Some(Language::Chinese)),
            ("LANG=zh_CN.UTF-8 LC_ALL=C", Some(Language::English)),
            ("LANG=zh_CN LC_ALL=", Some(Language::Chinese)),
            ("", None),
        ];
        for (variables, expected) in rows {
            let pairs = variables.split_whitespace().filter_map(|pair| pair.split_once('='));
            let environment = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            assert_eq!(language_of(&environment), expected, "{variables}");
        }
    }
}
