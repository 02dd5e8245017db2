//! A/B runs: two sides by turns, and what every output makes of them.

use serde_json::Value;

use crate::no_data::refusing;
use crate::signals::{long, signal, start, until};
use crate::world::{World, mock, scenario};

const SLOWER: &str = "mock://?ttft=40ms&itl=1ms&tokens=4";
const FASTER: &str = "[target.b]\nbase_url = \"mock://?ttft=20ms&itl=1ms&tokens=4\"\n";

/// A against a B that answers in half the time, with these checks.
fn world(gate: &str) -> World {
    let world = World::new();
    let text = scenario(SLOWER, FASTER).replace("stage_requests = 4", "stage_requests = 40");
    world.write("s.toml", &(text + gate));
    world
}

fn stages(side: &Value) -> Vec<(u64, String)> {
    let stages = side["stages"].as_array().unwrap().iter();
    stages.map(|stage| (stage["counts"]["ok"].as_u64().unwrap(), stage["status"].to_string())).collect()
}

#[test]
fn both_sides_are_measured_and_told_of_everywhere() {
    let world = world("");
    let done = world.rungs(&["run", "s.toml"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    for said in ["preflight of A: one request", "preflight of B: one request", "c1-A1 ", "c2-A10 "] {
        assert!(done.stderr.contains(said), "{said}: {}", done.stderr);
    }
    assert!(!done.stderr.contains("c1-B3"), "a log has no row for each block: {}", done.stderr);
    let result = world.result();
    let all = [(40, "\"complete\"".to_owned()), (40, "\"complete\"".to_owned())];
    assert_eq!((stages(&result), stages(&result["against"])), (all.to_vec(), all.to_vec()));
    let ttft = &result["against"]["differences"][1]["of"]["ttft.p50"];
    let [low, high] = [0, 1].map(|end| ttft["share_interval"][end].as_f64().unwrap());
    assert!(low > 0.2 && high < 1.5 && ttft["share"].as_f64().unwrap() > 0.4, "{ttft}");
    assert!(
        done.stdout.contains("A is compared with B (mock://?ttft=20ms&itl=1ms&tokens=4)"),
        "{}",
        done.stdout
    );
    assert!(done.stdout.contains("2 users, 10 pairs of blocks"), "{}", done.stdout);
    let page = world.page();
    assert!(page.contains("id=\"sides\"") && page.contains("ladder_of_both_ttft_p95"));
    let csv = world.rungs(&["report", "report/latest.json", "--csv", "-"]).stdout;
    let sides: Vec<&str> = csv.lines().skip(1).map(|line| &line[..3]).collect();
    assert_eq!(sides, ["B: ", "B: ", "A: ", "A: "]);
    world.assert_rebuilt();
}

#[test]
fn checks_against_the_baseline_are_judged_by_the_other_side() {
    let gate = "[gate]\nchecks = [\"ttft.p50 <= baseline + 10%\", \"ttft.p50 <= baseline + 900%\"]\n";
    let world = world(gate);
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    assert!(
        done.stderr.contains("note    checks against the baseline are judged by B of the same run\n"),
        "{}",
        done.stderr
    );
    let result = world.result();
    let lines = result["gate"]["checks"].as_array().unwrap();
    for line in lines {
        let fails = line["check"].as_str().unwrap().contains("10%");
        assert_eq!(line["result"], if fails { "fail" } else { "pass" }, "{line}");
        assert!(line["change"][0].as_f64() > Some(0.1) && line["baseline"].as_f64() > Some(19.0), "{line}");
    }
    let again = world.rungs(&["gate", "report/latest.json", "--scenario", "s.toml", "--json", "-"]);
    let judged: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((again.code, &judged["gate"]), (1, &result["gate"]));
    let accept = world.rungs(&["baseline", "accept", "report/latest.json", "b.json"]);
    assert_eq!(accept.code, 5);
    assert!(accept.stderr.contains("cannot be a baseline: it is an A/B run"), "{}", accept.stderr);
}

#[test]
fn too_few_pairs_decide_nothing() {
    let gate = "[gate]\nchecks = [\"ttft.p50 <= baseline + 10%\"]\n";
    let world = World::new();
    let text = scenario(SLOWER, FASTER)
        .replace("stages = [1, 2]\nstage_requests = 4", "stages = [4]\nstage_requests = 24");
    world.write("s.toml", &(text + gate));
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stdout.contains("too few pairs of blocks to tell a change from chance"), "{}", done.stdout);
    assert!(done.stdout.contains("Fewer than five pairs of blocks say too little"), "{}", done.stdout);
}

#[test]
fn a_side_that_cannot_be_used_ends_the_run_by_its_name() {
    let world = World::new();
    let b = mock("key=sk-right");
    world.write("s.toml", &scenario(SLOWER, ""));
    let against = format!("http://{}", b.addr());
    let done = world.rungs(&["run", "s.toml", "--quiet", "--against", &against]);
    assert_eq!(done.code, 4, "{}", done.stderr);
    assert!(
        done.stderr.contains("exit 4: B: the one request before load failed: HTTP 401"),
        "{}",
        done.stderr
    );
    let result = world.result();
    assert_eq!(result["preflight"]["outcome"], "ok");
    assert_eq!(result["against"]["preflight"]["outcome"], "unauthorized");
    assert_eq!(stages(&result["against"])[0], (0, "\"skipped\"".to_owned()));
    world.assert_rebuilt();
}

#[test]
fn a_side_that_answers_nothing_is_no_success() {
    let world = World::new();
    world.write("s.toml", &(scenario(SLOWER, "").replace("stages", "preflight = false\nstages")));
    let done = world.rungs(&["run", "s.toml", "--quiet", "--against", &refusing(|_| true)]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stderr.contains("no request was ok"), "{}", done.stderr);
}

#[test]
fn a_run_that_is_stopped_or_killed_keeps_both_sides() {
    for (name, code) in [("INT", Some(130)), ("KILL", None)] {
        let (a, b) = (mock("ttft=20ms&itl=2ms&tokens=5"), mock("ttft=20ms&itl=2ms&tokens=5"));
        let world = long(&format!("http://{}", a.addr()));
        let b_address = format!("[target.b]\nbase_url = \"http://{}\"\n[load]", b.addr());
        let text = world.read("s.toml").replace("[load]", &b_address).replace("\"60s\"", "\"4s\"");
        world.write("s.toml", &text);
        let mut child = start(&world);
        until(&b, 60);
        // What is older than a second is in the samples.
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), code);
        if code.is_some() {
            world.assert_rebuilt();
        }
        let again = world.rungs(&["report", &world.samples(), "--json", "-"]).stdout;
        let result: Value = serde_json::from_str(&again).unwrap();
        assert_eq!(result["status"], "interrupted");
        for side in [&result, &result["against"]] {
            let stages = stages(side);
            assert!(stages[0].0 >= 30 && stages[0].1 == "\"incomplete\"", "{stages:?}");
            assert_eq!(stages[1], (0, "\"skipped\"".to_owned()));
            assert_eq!(side["stages"][1]["duration"], "4s");
        }
        assert!(result["against"]["differences"][0]["pairs"].as_u64() >= Some(1), "{result}");
    }
}
