//! The schema for editors: committed as it is generated, and of one mind with the loader.

use std::path::PathBuf;

use serde_json::Value;

use crate::generated;

const SCHEMA: &str = "schema/scenario.schema.json";

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&scenario::schema()).unwrap()
}

/// What an editor would say about a scenario text.
fn problems(text: &str) -> Vec<String> {
    let value: Value = toml::from_str(text).unwrap();
    validator().iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn shipped() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(generated::path("scenarios")).unwrap();
    let scenarios = entries.map(|entry| entry.unwrap().path());
    let scenarios = scenarios.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    scenarios.chain([generated::path("perf/config.toml")]).collect()
}

#[test]
fn the_committed_schema_is_the_generated_one() {
    let text = serde_json::to_string_pretty(&scenario::schema()).unwrap() + "\n";
    generated::assert_fresh(SCHEMA, &text);
}

#[test]
fn the_schema_is_one() {
    assert!(jsonschema::meta::is_valid(&scenario::schema()));
}

#[test]
fn every_shipped_scenario_fits_and_tells_editors_where_the_schema_is() {
    assert!(shipped().len() >= 8);
    for path in shipped() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(problems(&text), Vec::<String>::new(), "{}", path.display());
        let directive =
            text.lines().next().and_then(|line| line.strip_prefix("#:schema ")).unwrap_or_default();
        let named = path.parent().unwrap().join(directive);
        assert_eq!(
            named.canonicalize().unwrap(),
            generated::path(SCHEMA).canonicalize().unwrap(),
            "{}",
            path.display()
        );
    }
}

#[test]
fn the_older_form_fits() {
    let text = std::fs::read_to_string(generated::path("crates/scenario/tests/it/seed/config.toml")).unwrap();
    assert_eq!(problems(&text), Vec::<String>::new());
}

#[test]
fn every_form_of_a_value_that_loads_fits() {
    let text = r#"
name = "forms"
[target]
host = "${HOST:-h}"
port = "${PORT}"
timeout = 2.5
max_event_size = 65536
allow = ["h"]
headers = { X-Team = "one" }
proxy = "none"
[target.timeouts]
stall = "none"
total = "1m30s"
[load]
ramp_up = 0
think_time = "50ms..200ms"
warm_up = { duration = "3s" }
[[load.stage]]
concurrency = "${USERS}"
requests = 5
think_time = 1
[data]
queries = ["one", { query = "two", n = 3 }]
body = { messages = [{ role = "user", content = "<query>" }] }
vars = { anything = [1, { goes = true }] }
[[gate.check]]
check = "ttft.p50 <= baseline + 20%"
min_change = "30ms"
[profile.ci]
target = { model_name = "small" }
load = { stages = [1, 2], stage_duration = "5s" }
"#;
    assert_eq!(problems(text), Vec::<String>::new());
}

#[test]
fn scenarios_that_are_wrong_in_form_do_not_fit() {
    let wrong = [
        ("misspelt-key", "concurency"),
        ("key-in-wrong-table", "stages"),
        ("two-spellings", "model_name"),
        ("wrong-shapes", "/target"),
        ("durations", "/target/timeouts/stall"),
        ("numbers-and-words", "/load/stages/3"),
        ("not-yet", "/target"),
        ("api-misspelt", "/target/api"),
        ("profile-value", "/profile/"),
    ];
    for (name, about) in wrong {
        let path = format!("crates/scenario/tests/it/diagnostics/{name}.toml");
        let text = std::fs::read_to_string(generated::path(&path)).unwrap();
        // A number that only TOML can hold would hide the rest.
        let problems = problems(&text.replace("99999999999999999999", "1"));
        assert!(problems.iter().any(|problem| problem.contains(about)), "{name}: {problems:#?}");
    }
}
