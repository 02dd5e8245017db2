//! Which runs can be compared with a baseline.

use serde_json::Value;

use crate::world::World;

const ACCEPT: [&str; 4] = ["baseline", "accept", "report/latest.json", "b.json"];
const GATE: &str = "[gate]\nbaseline = \"b.json\"\nchecks = [\"e2e.mean <= baseline + 900%\"]\n";
const WILL_NOT: &str = "note    checks against the baseline will not be judged: ";

/// A run of this gate, accepted as its baseline.
fn accepted() -> World {
    let world = World::on_mock("");
    world.write("s.toml", &(world.read("s.toml") + GATE));
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 5, "there is no baseline yet");
    assert_eq!(world.rungs(&ACCEPT).code, 0);
    world
}

/// The stored JSON with this change.
fn edit(world: &World, name: &str, change: impl Fn(&mut Value)) {
    let mut value: Value = serde_json::from_str(&world.read(name)).unwrap();
    change(&mut value);
    world.write(name, &value.to_string());
}

/// What `run` said before its first request, and how it ended.
fn run(world: &World, words: &[&str]) -> (String, i32) {
    let done = world.rungs(&[&["run", "s.toml", "--quiet"], words].concat());
    (done.stderr, done.code)
}

#[test]
fn another_scenario_is_told_apart_before_the_run_and_nothing_is_judged_by_the_baseline() {
    let world = accepted();
    let plain = world.read("s.toml");
    let (said, code) = run(&world, &[]);
    assert!(code == 0 && !said.contains("note "), "{said}");
    let rows = [
        (plain.replace("query = \"hi\"", "query = \"ho\""), "the baseline was measured with other prompts"),
        (
            plain.replace(
                "query = \"hi\"",
                "query = \"hi\"\nbody = '{\"messages\": [{\"role\": \"user\", \"content\": \"<query>!\"}]}'",
            ),
            "the baseline was measured with another body",
        ),
        (
            plain.replace("[data]", "warm_up = { requests = 2 }\n[data]"),
            "the baseline was measured with another load: `warm_up` was \"none\", now \"2 requests\"",
        ),
        (
            plain.replace("org/m:7b", "org/m:8b"),
            "the baseline was measured with model \"org/m:7b\", this run has \"org/m:8b\"",
        ),
        (
            plain.replace("[load]", "api = \"ollama-chat\"\n[load]"),
            "the baseline was measured with api \"openai-chat\", this run has \"ollama-chat\"",
        ),
        (
            plain.replace("[gate]", "[gate]\ntestbed = \"big\""),
            "the baseline was measured with testbed \"\", this run has \"big\"",
        ),
    ];
    for (text, reason) in rows {
        assert_ne!(text, plain, "{reason}");
        world.write("s.toml", &text);
        let (said, code) = run(&world, &[]);
        let note = format!("{WILL_NOT}{reason}; `rungs baseline accept` makes a new one\n");
        assert!(code == 5 && said.contains(&note), "{said}");
        let result = world.result();
        let lines = result["gate"]["checks"].as_array().unwrap();
        assert!(lines.iter().all(|line| line["reason_code"] == "no_baseline"), "{lines:?}");
        assert!(result["warnings"].to_string().contains("no_baseline"), "{result}");
    }
    // What changes nothing of the load is no difference.
    let same = plain.replace("[load]", "timeout = \"9s\"\nprovider = \"p\"\n# a comment\n[load]")
        + "confirm = 1\n[report]\ntitle = \"t\"\n[objectives]\nttft = \"1s\"\n";
    world.write("s.toml", &same);
    let (said, code) = run(&world, &["--seed", "7", "--lang", "zh"]);
    assert!(code == 0 && !said.contains(WILL_NOT), "{said}");
    // One that was overridden is not the committed one, whatever it comes to.
    let (said, code) = run(&world, &["--set", "load.stage_requests=4"]);
    let note = format!("{WILL_NOT}the workload was overridden (load.stage_requests by --set)\n");
    assert!(code == 5 && said.contains(&note), "{said}");
}

#[test]
fn a_stage_with_another_load_is_told_before_the_run_and_the_others_are_judged() {
    let world = accepted();
    let stages = "[[load.stage]]\nconcurrency = 1\nrequests = 4\n[[load.stage]]\nconcurrency = 2\nrequests = 6\n\
                  [[load.stage]]\nconcurrency = 3\nrequests = 4\n";
    let text = world.read("s.toml").replace("stages = [1, 2]\nstage_requests = 4\n", stages);
    world.write("s.toml", &text);
    let (said, code) = run(&world, &[]);
    assert_eq!(code, 5, "{said}");
    let notes: Vec<&str> = said.lines().filter(|line| line.starts_with("note ")).collect();
    assert_eq!(
        notes,
        [
            "note    stage c2 will not be judged against the baseline: its load is another one \
             (`length` was \"4 requests\", now \"6 requests\")",
            "note    stage c3 will not be judged against the baseline: the baseline has no row for it",
        ]
    );
    let result = world.result();
    let came = |at: usize| {
        let line = &result["gate"]["checks"][at];
        (line["result"].as_str().unwrap(), line["reason_code"].as_str())
    };
    assert_eq!(
        [came(0), came(1), came(2)],
        [("pass", None), ("no_data", Some("other_load")), ("no_data", Some("not_in_baseline"))]
    );
    // Only stages that such a check covers are spoken of.
    world.write("s.toml", &text.replace("+ 900%", "+ 900% for c<=1"));
    let (said, code) = run(&world, &[]);
    assert!(code == 0 && !said.contains("note "), "{said}");
}

#[test]
fn a_check_whose_number_is_counted_by_something_else_is_told_before_the_run() {
    let world = accepted();
    let text = world.read("s.toml").replace("checks = [", "checks = [\"goodput_ratio >= baseline - 90%\", ");
    world.write("s.toml", &text);
    let (said, code) = run(&world, &[]);
    assert!(code == 0 && !said.contains("will not be judged"), "{said}");
    world.write("s.toml", &(text + "[objectives]\nttft = \"9s\"\n"));
    let (said, code) = run(&world, &[]);
    let note = "note    `goodput_ratio >= baseline - 90%` will not be judged: `objectives` was \"none\", now \"ttft 9s\"\n";
    assert!(code == 5 && said.contains(note), "{said}");
    let result = world.result();
    let came = |at: usize| result["gate"]["checks"][at]["result"].as_str();
    assert_eq!([came(0), came(2)].map(Option::unwrap), ["no_data", "pass"]);
}

#[test]
fn a_saved_run_is_compared_by_what_it_sent_and_not_by_what_its_scenario_says_now() {
    let world = accepted();
    let plain = world.read("s.toml");
    let gate = |result: &str| world.rungs(&["gate", result, "--scenario", "s.toml"]);
    // The file has another prompt now; the saved run was the baseline's own.
    world.write("s.toml", &plain.replace("query = \"hi\"", "query = \"ho\""));
    let done = gate("report/latest.json");
    assert!(done.code == 0 && !done.stderr.contains(WILL_NOT), "{}", done.stderr);
    // The other way round.
    assert_eq!(run(&world, &[]).1, 5);
    world.write("s.toml", &plain);
    let done = gate("report/latest.json");
    assert!(done.code == 5 && done.stderr.contains("measured with other prompts"), "{}", done.stderr);
    // Overridden when it ran.
    assert_eq!(run(&world, &["--set", "load.stage_requests=4"]).1, 5);
    let done = gate("report/latest.json");
    assert!(done.code == 5 && done.stderr.contains("the workload was overridden"), "{}", done.stderr);
}

#[test]
fn a_baseline_or_a_result_of_an_older_version_is_used_with_a_note() {
    let world = accepted();
    edit(&world, "b.json", |baseline| drop(baseline.as_object_mut().unwrap().remove("workload")));
    let (said, code) = run(&world, &[]);
    let note = "note    the baseline is of an older rungs and does not say what was sent: other prompts, another body \
                or another load would not be noticed\n";
    assert!(code == 0 && said.contains(note), "{said}");
    assert_eq!(world.rungs(&ACCEPT).code, 0);
    edit(&world, "report/latest.json", |run| {
        drop(run["scenario"].as_object_mut().unwrap().remove("workload"));
    });
    let done = world.rungs(&["gate", "report/latest.json", "--scenario", "s.toml"]);
    let note = "note    the run is of an older rungs and does not say what was sent";
    assert!(done.code == 0 && done.stderr.contains(note), "{}", done.stderr);
}
