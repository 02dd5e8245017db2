//! Baselines: which runs can be one, and which runs can be compared with one.

use serde_json::{Value, json};

use crate::world::World;

const ACCEPT: [&str; 4] = ["baseline", "accept", "report/latest.json", "b.json"];
const GATE: &str = "[gate]\nbaseline = \"b.json\"\nchecks = [\"e2e.mean <= baseline + 900%\"]\n";
const WILL_NOT: &str = "note    checks against the baseline will not be judged: ";

/// A change of a result, and what is said of it.
type Row = (fn(&mut Value), &'static str);

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
fn a_run_that_is_not_whole_or_not_to_be_trusted_is_refused_and_the_old_baseline_stays() {
    let world = World::on_mock("");
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    let whole = world.read("report/latest.json");
    let rows: [Row; 9] = [
        (|run| run["status"] = "interrupted".into(), "the run was not completed"),
        (|run| run["status"] = "aborted".into(), "the run was not completed"),
        (
            |run| run["exit"] = json!({ "code": 70, "reasons": ["the sums do not add up"] }),
            "its numbers are not to be trusted: the sums do not add up",
        ),
        (
            |run| run["stages"][1]["client"]["saturated"] = true.into(),
            "the load generator was saturated in stage c2",
        ),
        (
            |run| {
                run["scenario"]["overrides"] = json!([
                    { "key": "report.lang", "value": "\"en\"", "source": "--lang", "changes_workload": false },
                    { "key": "load.stages", "value": "[1]", "source": "--stages", "changes_workload": true },
                ]);
            },
            "the workload was overridden: load.stages by --stages",
        ),
        (
            |run| (0..2).for_each(|at| run["stages"][at]["status"] = "incomplete".into()),
            "no stage of it came to its end",
        ),
        (
            |run| (0..2).for_each(|at| run["stages"][at]["status"] = "skipped".into()),
            "no stage of it came to its end",
        ),
        (|run| (0..2).for_each(|at| run["stages"][at]["counts"]["ok"] = 0.into()), "no request was ok"),
        (
            |run| {
                run["stages"][0]["counts"]["ok"] = 0.into();
                run["stages"][1]["status"] = "stopped".into();
            },
            "no request was ok",
        ),
    ];
    for (change, said) in rows {
        world.write("report/latest.json", &whole);
        world.write("b.json", "old");
        edit(&world, "report/latest.json", change);
        let done = world.rungs(&ACCEPT);
        let said = format!("error: report/latest.json cannot be a baseline: {said}\n");
        assert_eq!((done.code, &done.stderr, &*world.read("b.json")), (5, &said, "old"));
    }
}

#[test]
fn a_run_with_a_weakness_is_taken_and_the_weakness_is_said() {
    let world = World::on_mock("");
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    let whole = world.read("report/latest.json");
    let rows: [Row; 4] = [
        (|_| {}, "baseline written to b.json\n"),
        (
            |run| run["stages"][1]["status"] = "incomplete".into(),
            "note    c2 did not come to an end: the baseline has no row for it",
        ),
        (
            |run| run["stages"][0]["success_rate"] = 0.5.into(),
            "note    under 99% of the requests were ok in c1",
        ),
        (|run| run["gate"]["verdict"] = "fail".into(), "note    a strict check failed in this run"),
    ];
    for (change, said) in rows {
        world.write("report/latest.json", &whole);
        edit(&world, "report/latest.json", change);
        let done = world.rungs(&ACCEPT);
        assert!(done.code == 0 && done.stderr.starts_with(said), "{}", done.stderr);
    }
    let mut stages = whole.clone();
    world.write("report/latest.json", &stages);
    edit(&world, "report/latest.json", |run| {
        let mut tried = run["stages"][0].clone();
        (tried["name"], tried["client"]["saturated"]) = ("try-c9".into(), true.into());
        run["stages"].as_array_mut().unwrap().push(tried);
    });
    assert_eq!(world.rungs(&ACCEPT).code, 0, "a search is no part of it");
    stages = world.read("b.json");
    assert!(!stages.contains("try-c9"));
}

#[test]
fn what_cannot_be_read_or_written_is_said() {
    let world = accepted();
    let result = world.read("report/latest.json");
    for (words, code, said) in [
        (["s.toml", "b.json"], 2, "`s.toml` cannot be used"),
        (["b.json", "c.json"], 2, "`b.json` cannot be used"),
        (["none.json", "b.json"], 2, "`none.json` cannot be read"),
        (
            ["report/latest.json", "./report/latest.json"],
            2,
            "written over `./report/latest.json`, which is read",
        ),
        (["report/latest.json", "none/b.json"], 6, "`none/b.json` cannot be written"),
    ] {
        let done = world.rungs(&["baseline", "accept", words[0], words[1]]);
        assert!(done.code == code && done.stderr.contains(said), "{words:?}: {}", done.stderr);
    }
    assert_eq!(world.read("report/latest.json"), result);
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
    // Its sums were wrong.
    edit(&world, "report/latest.json", |run| run["exit"] = json!({ "code": 70, "reasons": ["3 and 4"] }));
    let done = gate("report/latest.json");
    assert!(done.code == 5 && done.stderr.contains("not to be trusted: 3 and 4"), "{}", done.stderr);
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

#[test]
fn a_baseline_that_cannot_be_used_is_said_before_the_run_with_what_to_do() {
    let world = accepted();
    let whole = world.read("b.json");
    let rows: [Row; 3] = [
        (
            |file| file["schema_version"] = 99.into(),
            "`b.json` was made by a newer rungs (99, this one reads up to 1); use that one, or make a new baseline with \
             `rungs baseline accept`\n",
        ),
        (
            |file| file["stages"]["c2"]["standard_errors"]["e2e.mean"] = json!(-1),
            "`b.json` holds -1 for `standard_errors.e2e.mean` of stage c2, expected 0 or more; `rungs baseline accept` \
             makes a new one\n",
        ),
        (
            |file| *file = json!({}),
            "`b.json` is not a baseline: missing field `schema_version` at line 1 column 2; `rungs baseline accept` makes \
             a new one\n",
        ),
    ];
    for (change, said) in rows {
        world.write("b.json", &whole);
        edit(&world, "b.json", change);
        let (stderr, code) = run(&world, &[]);
        assert!(code == 5 && stderr.contains(&format!("{WILL_NOT}{said}")), "{stderr}");
        assert_eq!(world.result()["gate"]["checks"][0]["reason_code"], "no_baseline");
    }
}
