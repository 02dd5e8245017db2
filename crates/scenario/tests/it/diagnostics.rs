//! Pairs of files: a scenario that is wrong, and the exact text that is said about it.
//!
//! Lines at the top of a scenario that begin with `#!` set the scene: `set KEY=VALUE`, `env NAME=VALUE`,
//! `profile NAME`, `stages 1,5`, `against URL`. With `UPDATE_FIXTURES=1` the texts are written anew, to be reviewed like code.

use std::path::{Path, PathBuf};

use scenario::{Layers, load};

const FOLDER: &str = "tests/it/diagnostics";

fn scenarios() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    paths.sort();
    paths
}

fn scene(path: &Path) -> Layers {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let mut layers = Layers::default();
    for line in text.lines().map_while(|line| line.strip_prefix("#! ")) {
        match line.split_once(' ').unwrap() {
            ("set", assignment) => layers.set.push(assignment.to_owned()),
            ("env", pair) => {
                let (name, value) = pair.split_once('=').unwrap();
                layers.environment.insert(name.to_owned(), value.replace("\\n", "\n"));
            }
            ("against", url) => layers.against = Some(url.to_owned()),
            ("profile", name) => layers.profile = Some(name.to_owned()),
            ("stages", list) => {
                layers.stages = Some(list.split(',').map(|users| users.parse().unwrap()).collect())
            }
            (word, _) => panic!("{}: `{word}` sets no scene", path.display()),
        }
    }
    layers
}

#[test]
fn every_wrong_scenario_is_refused_with_exactly_its_text() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let scenarios = scenarios();
    assert!(scenarios.len() >= 30, "{} pairs", scenarios.len());
    let mut wrong = Vec::new();
    for path in scenarios {
        let said = match load(&path, &scene(&path)) {
            Ok(_) => "loaded\n".to_owned(),
            Err(problems) => format!("{problems}\n"),
        };
        let expected_path = path.with_extension("txt");
        if update {
            std::fs::write(&expected_path, &said).unwrap();
        }
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if said != expected {
            wrong.push(format!("{}:\n{said}\nexpected:\n{expected}", path.display()));
        }
        assert!(!said.contains("SENTINEL"), "{}: a secret is shown:\n{said}", path.display());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let problems = load(Path::new("tests/it/nothing.toml"), &Layers::default()).unwrap_err().to_string();
    assert_eq!(
        problems,
        "error: the scenario file cannot be used: there is no such file\n  --> tests/it/nothing.toml\n\n\
         1 problem in tests/it/nothing.toml; nothing was sent"
    );
}
