//! Files that users and other programs write: whatever stands in them, there is an answer or a problem with its place.

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::LazyLock;

use measure::result::RunResult;
use report::comparison::{Comparison, terminal as compared};
use report::{Lang, csv, json, junit, markdown, samples, terminal};
use scenario::Layers;

/// A folder of this process, where the system keeps files in memory if it does.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = folder.join(format!("rungs-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
});

/// A scenario, or problems that all have a place in it.
pub fn scenario(input: &[u8]) {
    load(input);
}

/// A file of prompts beside a scenario that names it; the first byte says of which kind.
pub fn data(input: &[u8]) {
    let Some((kind, text)) = input.split_first() else { return };
    let name = ["rows.txt", "rows.jsonl", "rows.csv", "trace.jsonl"][usize::from(kind % 4)];
    fs::write(FOLDER.join(name), text).expect("a file can be written");
    let (key, load_) = match name {
        "trace.jsonl" => ("trace", "[[load.stage]]\narrival = \"trace\"\n"),
        _ => ("queries", "[load]\nstages = [1]\nstage_requests = 1\n"),
    };
    let text = format!("[target]\nbase_url = \"mock://\"\nmodel = \"m\"\n{load_}[data]\n{key} = \"{name}\"\n");
    load(text.as_bytes());
}

/// A body in a file of its own, as JSON or as a template.
pub fn template(input: &[u8]) {
    let Some((kind, text)) = input.split_first() else { return };
    let name = ["body.json", "body.json.j2"][usize::from(kind % 2)];
    fs::write(FOLDER.join(name), text).expect("a file can be written");
    let queries = "queries = [\"a \\\"quoted\\\" <query>\", \"{{ query }}\"]";
    let text = format!(
        "[target]\nbase_url = \"mock://\"\nmodel = \"m\"\n[load]\nstages = [1]\nstage_requests = 1\n[data]\n{queries}\nbody = \"{name}\"\n"
    );
    load(text.as_bytes());
}

/// What is loaded has bodies that are JSON.
fn load(text: &[u8]) {
    let file = FOLDER.join("s.toml");
    fs::write(&file, text).expect("a file can be written");
    match scenario::load(&file, &Layers::default()) {
        Ok(scenario) => {
            let plan = scenario.plan();
            for row in 0..plan.bodies.distinct().min(3) {
                let body = plan.bodies.body(row, "a-request").expect("a body was rendered before");
                serde_json::from_slice::<serde_json::Value>(&body).expect("a body is JSON");
            }
            assert!(!scenario::plan::describe(&plan).is_empty());
        }
        Err(problems) => assert!(problems.to_string().contains("s.toml")),
    }
}

/// A saved result: refused, or shown in every text, and written again the same.
pub fn result(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Ok(run) = RunResult::from_json(text) {
        shown(&run);
    }
}

/// A samples file: an error, or a result like any other.
pub fn samples(input: &[u8]) {
    if let Ok(run) = samples::rebuild(|| Ok(Cursor::new(input)), Lang::En) {
        shown(&run);
    }
}

fn shown(run: &RunResult) {
    for lang in Lang::ALL {
        terminal::closing(run, lang);
        markdown::render(run, lang);
        junit::render(run, lang).expect("JUnit takes every text");
    }
    csv::render(run).expect("CSV takes every text");
    let runs = [run.clone(), run.clone()];
    compared(&Comparison::of(&runs), Lang::En);
    let again = json::render(run).expect("a result is JSON");
    let read = RunResult::from_json(&again).expect("what was written can be read");
    assert_eq!(json::render(&read).expect("a result is JSON"), again);
}
