//! Checks that nothing can be said by: each says `no_data` and why, and none of them is a pass.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::speaker::{saying, whole};
use crate::world::{Done, World, scenario};

/// A stream of one chunk.
const ANSWER: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n\
                      data: [DONE]\n\n";

/// A run of this load on this server, judged by one strict check.
fn judged(base_url: &str, load: &str, check: &str) -> (World, Done) {
    let world = World::new();
    let text = scenario(base_url, "").replace("stages = [1, 2]\nstage_requests = 4", load);
    world.write("s.toml", &format!("{text}[gate]\nbaseline = \"b.json\"\nchecks = [\"{check}\"]\n"));
    let done = on_a_calm_machine(&world);
    (world, done)
}

/// A run in which this machine kept up: on a noisy one that takes up to three.
fn on_a_calm_machine(world: &World) -> Done {
    let run = || world.rungs(&["run", "s.toml", "--quiet"]);
    let is_calm = |done: &Done| {
        assert!([0, 5].contains(&done.code), "{}", done.stderr);
        let result = world.result();
        result["stages"].as_array().unwrap().iter().all(|stage| stage["client"]["saturated"] == false)
    };
    (0..2).map(|_| run()).find(is_calm).unwrap_or_else(run)
}

/// Asserts that the check has no data on this stage for that reason, on the screen and in the result, and that the run
/// is no success.
fn assert_no_data(world: &World, done: &Done, check: &str, stage: &str, reason: (&str, &str)) {
    assert_eq!(done.code, 5, "{}{}", done.stdout, done.stderr);
    let result = world.result();
    let mut stages = result["stages"].as_array().unwrap().iter();
    let saturated = stages.any(|of| of["name"] == stage && of["client"]["saturated"] == true);
    let reason = match saturated {
        true => ("saturated", "the load generator was saturated: the numbers may be its own"),
        false => reason,
    };
    // The line names the stage in place of the scope.
    let check = check.split(" for ").next().unwrap();
    let start = format!("no data  {check}  [{stage}, strict]");
    let line = done.stdout.lines().find(|line| line.starts_with(&start));
    let line = line.unwrap_or_else(|| panic!("{start}: {}", done.stdout));
    assert!(line.ends_with(&format!("({})", reason.1)), "{line}");
    assert!(done.stdout.contains("gate: NOT JUDGED"), "{}", done.stdout);
    assert_eq!((&result["gate"]["verdict"], &result["exit"]["code"]), (&"not_judged".into(), &5.into()));
    let lines = result["gate"]["checks"].as_array().unwrap();
    let line = lines.iter().find(|line| line["stage"] == stage).unwrap();
    assert_eq!((&line["result"], &line["reason_code"]), (&"no_data".into(), &reason.0.into()), "{line}");
}

#[test]
fn nothing_is_judged_by_what_was_not_measured() {
    let fine = "mock://?ttft=5ms&itl=1ms&tokens=4";
    let rows = [
        // Every request failed, and a time of ok requests is asked for.
        (
            "mock://?ttft=1ms&unavailable=100%",
            "preflight = false\nstages = [8]\nstage_requests = 40",
            "ttft.p95 <= 5s",
            "c8",
            ("too_few_values", "0 values, at least 20 are needed"),
        ),
        (
            "mock://?ttft=1ms&unavailable=100%",
            "preflight = false\nstages = [8]\nstage_requests = 40",
            "e2e.mean <= 5s",
            "c8",
            ("too_few_values", "0 values, at least 1 are needed"),
        ),
        // Answers of one token have no time per token.
        (
            "mock://?ttft=1ms&tokens=1",
            "stages = [2]\nstage_requests = 40",
            "tpot.p95 <= 1s",
            "c2",
            ("too_few_values", "0 values, at least 20 are needed"),
        ),
        // The climb ended before the stage.
        (
            "mock://?ttft=20ms&itl=1ms&tokens=3&limit=4",
            "stages = [2, 12, 24]\nstage_duration = \"3s\"\nstop.checks = [\"http_429_ratio <= 20%\"]",
            "ttft.p50 <= 5s for c>=24",
            "c24",
            ("skipped", "the stage was skipped"),
        ),
        // The cap was spent before the stage, so that it has no request at all.
        (
            fine,
            "stages = [1, 2]\nstage_requests = 8\nmax_requests = 9",
            "success_rate >= 99% for c>=2",
            "c2",
            ("cut_short", "the stage was cut short"),
        ),
        // An open loop whose first request is due after the stage.
        (
            fine,
            "[[load.stage]]\nname = \"slow\"\nrate = 0.001\narrival = \"poisson\"\nduration = \"500ms\"",
            "success_rate >= 99%",
            "slow",
            ("too_few_values", "0 values, at least 1 are needed"),
        ),
        // A part of the stage is missing.
        (
            fine,
            "stages = [2]\nstage_requests = 90\nmax_requests = 62",
            "success_rate >= 99%",
            "c2",
            ("cut_short", "the stage was cut short"),
        ),
    ];
    for (server, load, check, stage, reason) in rows {
        let (world, done) = judged(server, load, check);
        assert_no_data(&world, &done, check, stage, reason);
    }
}

#[test]
fn a_stage_without_a_row_in_the_baseline_and_one_without_a_number_there_are_not_judged() {
    let check = "tpot.p50 <= baseline + 900%";
    let load = "stages = [1, 2]\nstage_requests = 8";
    let (world, done) = judged("mock://?ttft=5ms&itl=1ms&tokens=4", load, check);
    assert_no_data(&world, &done, check, "c2", ("no_baseline", "no baseline is used in this run"));
    assert_eq!(world.rungs(&["baseline", "accept", "report/latest.json", "b.json"]).code, 0);
    let whole: Value = serde_json::from_str(&world.read("b.json")).unwrap();
    let without_row = |baseline: &mut Value| drop(baseline["stages"].as_object_mut().unwrap().remove("c2"));
    let without_number = |baseline: &mut Value| {
        let distributions = baseline["stages"]["c2"]["distributions"].as_object_mut().unwrap();
        distributions.remove("tpot").unwrap();
    };
    let done = on_a_calm_machine(&world);
    assert_eq!(done.code, 0, "with a whole one: {}{}", done.stdout, done.stderr);
    let number = ("number_not_in_baseline", "the baseline's row for stage c2 has no `tpot.p50`");
    let row = ("not_in_baseline", "the baseline has no row for stage c2");
    let changes: [&dyn Fn(&mut Value); 2] = [&without_row, &without_number];
    for (change, reason) in changes.into_iter().zip([row, number]) {
        let mut baseline = whole.clone();
        change(&mut baseline);
        world.write("b.json", &baseline.to_string());
        let done = on_a_calm_machine(&world);
        assert_no_data(&world, &done, check, "c2", reason);
    }
}

/// A server that refuses some requests, counted from 0.
pub(crate) fn refusing(refuses: impl Fn(u64) -> bool + Send + Sync + 'static) -> String {
    let next = AtomicU64::new(0);
    let at = saying(move |request| {
        if request.starts_with("GET") {
            return whole("404 Not Found", "", "");
        }
        match refuses(next.fetch_add(1, Ordering::Relaxed)) {
            true => whole("500 Internal Server Error", "", "{}"),
            false => whole("200 OK", "content-type: text/event-stream\r\n", ANSWER),
        }
    });
    format!("http://{at}")
}

#[test]
fn out_03_two_ok_of_a_hundred_are_no_p95_and_the_failures_are_told() {
    let server = refusing(|request| ![40, 70].contains(&(request % 100)));
    let load = "preflight = false\nstages = [8]\nstage_requests = 100";
    let check = "ttft.p95 < 5000ms";
    let (world, done) = judged(&server, load, check);
    assert_no_data(&world, &done, check, "c8", ("too_few_values", "2 values, at least 20 are needed"));
    let stage = &world.result()["stages"][0];
    assert_eq!((&stage["counts"]["ok"], &stage["counts"]["failed"]), (&2.into(), &98.into()));
    assert!(done.stdout.contains("98"), "{}", done.stdout);
}

#[test]
fn out_03_one_failure_of_thousands_is_within_a_limit_of_a_tenth_of_a_percent() {
    let server = refusing(|request| request % 3_822 == 2_000);
    let load = "preflight = false\nstages = [4]\nstage_requests = 3822";
    let (world, done) = judged(&server, load, "error_rate <= 0.1%");
    let result = world.result();
    let counts = &result["stages"][0]["counts"];
    assert_eq!((&counts["ok"], &counts["failed"]), (&3_821.into(), &1.into()));
    // On a busy machine the load generator itself may be at its limit: then nothing is judged, and this says so.
    let saturated = result["stages"][0]["client"]["saturated"] == true;
    assert_eq!(done.code, if saturated { 5 } else { 0 }, "{}{}", done.stdout, done.stderr);
    assert!(result["stages"][0]["errors"][0]["count"] == 1, "{result}");
}
