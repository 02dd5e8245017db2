//! Stages that are run more than once: `[gate] repeats`, `[gate] confirm`, and `rungs calibrate`.

use serde_json::Value;

use crate::world::World;

#[test]
fn a_ladder_that_is_climbed_three_times_is_one_ladder_whose_unit_is_the_run() {
    let world = World::on_mock("[gate]\nrepeats = 3\nchecks = [\"e2e.mean <= 10s\", \"http_429 <= 0\"]\n");
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains(", 3 times"), "{}", done.stderr);
    let result = world.result();
    let stages = result["stages"].as_array().unwrap();
    assert_eq!(stages.len(), 2);
    for stage in stages {
        let rounds = stage["rounds"].as_array().unwrap();
        let ok: u64 = rounds.iter().map(|round| round["ok"].as_u64().unwrap()).sum();
        assert_eq!((rounds.len(), stage["counts"]["ok"].as_u64().unwrap()), (3, ok), "{stage}");
        let begins: Vec<f64> = rounds.iter().map(|round| round["begins_s"].as_f64().unwrap()).collect();
        assert!(begins.is_sorted(), "{begins:?}");
        let interval = &stage["intervals"]["e2e.mean"];
        assert_eq!((&interval["unit"], &interval["units"]), (&"runs".into(), &3.into()), "{interval}");
    }
    assert!(stages[0]["rounds"][1]["begins_s"].as_f64() > stages[1]["rounds"][0]["begins_s"].as_f64());
    world.assert_rebuilt();
}

#[test]
fn a_stage_with_a_failed_check_is_measured_again_before_the_gate_fails() {
    let check = "[[gate.check]]\ncheck = \"e2e.mean <= 1us for c<=1\"\n";
    let world = World::on_mock(&format!("[gate]\nconfirm = 2\n{check}"));
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    let result = world.result();
    let again = |stage: usize| result["stages"][stage]["confirmations"].as_array().unwrap().len();
    assert_eq!([again(0), again(1)], [2, 0], "only the stage that failed");
    assert_eq!(result["gate"]["checks"][0]["confirmations"], serde_json::json!(["fail", "fail"]));
    assert!(
        done.stdout.contains("it failed again each time that the stage was measured again: 2 times"),
        "{}",
        done.stdout
    );
    world.assert_rebuilt();
    // What only advises is not worth another run.
    let advisory = World::on_mock(&format!("[gate]\nconfirm = 2\n{check}level = \"advisory\"\n"));
    assert_eq!(advisory.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    assert_eq!(advisory.result()["stages"][0]["confirmations"], serde_json::json!([]));
}

#[test]
fn calibrating_writes_the_noise_floor_and_a_check_below_it_is_warned_of() {
    let gate = "[gate]\nbaseline = \"b.json\"\nchecks = [\"e2e.mean <= baseline + 0.0001%\", \"ttft.p50 <= baseline + 900%\"]\n";
    let world = World::on_mock(gate);
    let done = world.rungs(&["calibrate", "s.toml", "--times", "3", "--quiet"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("noise floor"), "{}", done.stdout);
    let tight = "`e2e.mean <= baseline + 0.0001%` in stage c1 allows less than chance alone";
    assert!(done.stderr.contains(tight), "{}", done.stderr);
    let baseline: Value = serde_json::from_str(&world.read("b.json")).unwrap();
    let stage = &baseline["stages"]["c1"];
    assert_eq!(stage["runs"], 3);
    assert!(stage["noise"]["e2e.mean"]["floor"].as_f64().unwrap() > 0.0, "{}", stage["noise"]);
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    let result = world.result();
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("tight_check") && warnings.contains("e2e.mean"), "{warnings}");
    assert!(!warnings.contains("ttft.p50"), "{warnings}");
    let wide = result["gate"]["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["check"] == "ttft.p50 <= baseline + 900%");
    assert_eq!(wide.unwrap()["result"], "pass", "{}", done.stdout);
    assert_eq!(wide.unwrap()["change"].as_array().unwrap().len(), 2);
}

#[test]
fn runs_that_cannot_be_a_baseline_leave_the_old_one() {
    let world = World::on_mock("");
    let nowhere = world.rungs(&["calibrate", "s.toml"]);
    assert_eq!(nowhere.code, 2, "{}", nowhere.stderr);
    assert!(nowhere.stderr.contains("say `--to FILE`, or `[gate] baseline` in s.toml"), "{}", nowhere.stderr);
    world.write("b.json", "old");
    let other = ["calibrate", "s.toml", "--to", "b.json", "--times", "2", "--quiet", "--stages", "1"];
    let done = world.rungs(&other);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stderr.contains("no baseline was written: the workload was overridden"), "{}", done.stderr);
    assert_eq!(world.read("b.json"), "old");
}
