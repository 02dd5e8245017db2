//! The list of keys and the readers agree: no key is listed that nobody reads.

use scenario::Layers;
use scenario::keys::{Kind, TABLE};

use crate::folder::Folder;

/// A value that fits no kind but a table of anything.
fn wrong_value(kind: Kind) -> &'static str {
    match kind {
        Kind::Free | Kind::Headers | Kind::Profiles => "1",
        _ => "{ zz = 1 }",
    }
}

#[test]
fn every_key_of_the_list_is_read() {
    for key in TABLE {
        let skipped =
            matches!(key.kind, Kind::Section | Kind::Sections | Kind::Later(_)) || key.name == "body";
        if skipped || key.name == "profile" {
            continue;
        }
        let address = key.section == "target" && ["base_url", "host", "port", "scheme"].contains(&key.name);
        let target = if address { "" } else { "target.base_url = \"http://h\"\n" };
        let header = match key.section {
            "" => String::new(),
            "load.stage" => "[[load.stage]]\n".to_owned(),
            "gate.check" => "[[gate.check]]\n".to_owned(),
            section => format!("[{section}]\n"),
        };
        let check = if key.name == "min_change" { "check = \"ttft.p50 <= baseline\"\n" } else { "" };
        // A dotted key and a table header may not define the same table twice.
        let (target, header) = match key.section.strip_prefix("target") {
            Some("") => (format!("[target]\n{}", target.trim_start_matches("target.")), String::new()),
            Some(_) => (format!("[target]\n{}", target.trim_start_matches("target.")), header),
            None => (target.to_owned(), header),
        };
        for name in key.aliases.iter().chain([&key.name]) {
            let value = wrong_value(key.kind);
            let text = match key.section {
                "" => format!("{name} = {value}\n{target}"),
                _ => format!("{target}{header}{check}{name} = {value}\n"),
            };
            let problems = Folder::new().with("config.toml", &text).load(&Layers::default()).unwrap_err();
            let about = format!("`{}`", key.name);
            assert!(
                problems.messages().any(|message| message.contains(&about)),
                "{}.{name} is not read:\n{text}\n{problems}",
                key.section
            );
        }
    }
}

#[test]
fn every_key_says_what_it_does() {
    for key in TABLE {
        assert!(key.en.ends_with('.'), "{}.{}", key.section, key.name);
    }
}

#[test]
fn the_words_of_a_choice_are_those_that_its_reader_knows() {
    for key in TABLE {
        let Kind::Choice(words) = key.kind else { continue };
        let header = match key.section {
            section @ ("gate.check" | "load.stage") => format!("[[{section}]]"),
            section => format!("[{section}]"),
        };
        // `[target]` needs an address as well; elsewhere its absence is only one more problem.
        let address =
            if key.section == "target" && key.name != "scheme" { "base_url = \"http://h\"\n" } else { "" };
        let text = format!("{header}\n{address}{} = \"zz\"\n", key.name);
        let problems = Folder::new().with("config.toml", &text).load(&Layers::default()).unwrap_err();
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let said = format!("expected one of {} for `{}`", quoted.join(", "), key.name);
        assert!(problems.messages().any(|message| message.starts_with(&said)), "{said}\n{problems}");
    }
}
