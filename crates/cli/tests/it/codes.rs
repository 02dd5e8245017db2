//! The exit codes of the public table, each reached as a user reaches it.

use std::fs::File;
use std::process::{Child, Output, Stdio};

use crate::signals::{long, signal, start, until};
use crate::world::{Done, World, mock, scenario};

fn gate(check: &str) -> String {
    format!("\n[gate]\nchecks = [\"{check}\"]\n")
}

fn gated(check: &str) -> World {
    let world = World::on_mock("");
    world.write("s.toml", &(world.read("s.toml") + &gate(check)));
    world
}

#[test]
fn zero_when_the_gate_passes_and_one_when_a_strict_check_fails() {
    let passes = gated("success_rate >= 99%");
    assert_eq!(passes.rungs(&["run", "s.toml"]).code, 0);
    let fails = gated("e2e.mean <= 1ms");
    let done = fails.rungs(&["run", "s.toml"]);
    assert_eq!(done.code, 1, "{}", done.stderr);
    assert!(done.stdout.contains("FAIL  e2e.mean <= 1ms  [c1, strict]"), "{}", done.stdout);
    assert_eq!(fails.result()["exit"]["code"], 1);
}

#[test]
fn out_03_a_stage_of_which_a_part_is_missing_is_incomplete_and_no_success() {
    for checks in ["", "success_rate >= 99%"] {
        let world = World::on_mock("");
        let text = world.read("s.toml").replace(
            "stages = [1, 2]\nstage_requests = 4",
            "stages = [2]\nstage_requests = 90\nmax_requests = 62\npreflight = false",
        );
        world.write("s.toml", &(text + &if checks.is_empty() { String::new() } else { gate(checks) }));
        let done = world.rungs(&["run", "s.toml"]);
        assert_eq!(done.code, 5, "{checks}: {}", done.stderr);
        let stage = &world.result()["stages"][0];
        let counts = ["started", "ok"].map(|name| stage["counts"][name].as_u64());
        assert_eq!(counts, [62, 62].map(Some), "{checks}");
        assert_eq!(stage["status"], "incomplete", "{checks}");
    }
}

#[test]
fn zero_when_the_stop_rule_ends_the_climb_and_it_is_told_everywhere() {
    let world = World::new();
    let text = scenario("mock://?ttft=20ms&itl=1ms&tokens=3&limit=4", "").replace(
        "stages = [1, 2]\nstage_requests = 4",
        "stages = [2, 12, 24]\nstage_duration = \"4s\"\n[load.stop]\nchecks = [\"http_429_ratio <= 20%\"]",
    );
    world.write("s.toml", &text);
    let done = world.rungs(&["run", "s.toml"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(
        done.stderr.contains("the climb ends at c12: `http_429_ratio <= 20%` does not hold"),
        "{}",
        done.stderr
    );
    let result = world.result();
    assert_eq!(
        (&result["stop"]["stage"], &result["stages"][2]["status"]),
        (&"c12".into(), &"skipped".into())
    );
    assert_eq!((&result["ladder"]["last_ok"], &result["ladder"]["first_breach"]), (&2.into(), &12.into()));
    let conclusion = result["conclusion"].as_str().unwrap();
    assert!(conclusion.contains("The climb was ended at 12 users"), "{conclusion}");
}

#[test]
fn a_search_breaks_things_and_no_gate() {
    let world = World::new();
    let text = scenario("mock://?ttft=20ms&itl=1ms&tokens=3&limit=7", "").replace(
        "stages = [1, 2]\nstage_requests = 4",
        "stages = [2]\nstage_requests = 60\n[load.search]\nlow = 2\nhigh = 16\nresolution = 2\nchecks = [\"http_429_ratio <= 0%\"]",
    ) + &gate("http_429_ratio <= 0%");
    world.write("s.toml", &text);
    // On a noisy machine a stage may be saturated, and nothing is judged by it: best of three.
    let clean = |done: &Done| done.code == 0 && !world.result()["search"]["breaks"].is_null();
    let done = (0..3).map(|_| world.rungs(&["run", "s.toml"])).find(clean);
    let result = world.result();
    let Some(done) = done else {
        let stages = result["stages"].as_array().unwrap();
        assert!(stages.iter().any(|stage| stage["client"]["saturated"] == true), "{result}");
        return;
    };
    let search = &result["search"];
    let (holds, breaks) = (search["holds"].as_u64().unwrap(), search["breaks"].as_u64().unwrap());
    assert!(holds <= 7 && 7 < breaks && breaks - holds <= 2, "{search}");
    assert_eq!(result["ladder"]["boundary"], search["holds"]);
    let conclusion = result["conclusion"].as_str().unwrap();
    assert!(conclusion.contains(&format!("holds at {holds}, breaks at {breaks}")), "{conclusion}");
    assert!(done.stderr.contains("then a search between 2 and 16"), "{}", done.stderr);
}

#[test]
fn two_when_the_command_line_is_wrong() {
    let world = World::on_mock("");
    for words in
        [&["run"][..], &["fly"], &["run", "s.toml", "--fast"], &["run", "s.toml", "--workers", "0"], &[]]
    {
        assert_eq!(world.rungs(words).code, 2, "{words:?}");
    }
    assert_eq!(world.rungs(&["--help"]).code, 0);
    assert_eq!(world.rungs(&["--version"]).stdout.trim(), concat!("rungs ", env!("CARGO_PKG_VERSION")));
}

#[test]
fn three_when_the_scenario_is_not_valid_and_nothing_is_sent() {
    let server = mock("ttft=1ms");
    let base = format!("http://{}", server.addr());
    let world = World::new();
    let rows = [
        ("[target\n", ":1:"),
        (&scenario(&base, "api_key = \"${NOT_SET_ANYWHERE}\""), "NOT_SET_ANYWHERE"),
        (&scenario(&base, "api_key = \"\""), "api_key"),
        (&scenario(&base, "timeout = \"10 parsecs\""), "10 parsecs"),
        (&scenario(&base, "api = \"openai-chta\""), "openai-chat"),
        (&scenario(&format!("{base}?utm_source=x"), ""), "utm_"),
        (&(scenario(&base, "") + &gate("tftt.p95 <= 1s")), "ttft"),
        (&(scenario(&base, "") + "queries = \"missing.txt\"\n"), "missing.txt"),
    ];
    for (text, said) in rows {
        world.write("s.toml", text);
        let done = world.rungs(&["run", "s.toml"]);
        assert_eq!(done.code, 3, "{text}\n{}", done.stderr);
        assert!(done.stderr.contains(said), "{said}: {}", done.stderr);
        assert!(done.stderr.contains("nothing was sent"), "{}", done.stderr);
    }
    assert_eq!(world.rungs(&["run", "absent.toml"]).code, 3);
    assert_eq!(server.ledger().connections, 0);
}

#[test]
fn check_finds_what_run_would_stumble_over() {
    let world = World::new();
    world.write("empty.pem", "nothing");
    let rows = [("ca_file = \"empty.pem\"", "empty.pem"), ("server_name = \"bad name\"", "bad name")];
    for (tls, said) in rows {
        let text =
            scenario("https://127.0.0.1:9", "").replace("[load]", &format!("[target.tls]\n{tls}\n[load]"));
        world.write("s.toml", &text);
        for command in ["check", "run"] {
            let done = world.rungs(&[command, "s.toml"]);
            assert_eq!(done.code, 3, "{command}: {}", done.stderr);
            assert!(
                done.stderr.contains(said) && done.stderr.contains("nothing was sent"),
                "{}",
                done.stderr
            );
        }
    }
    assert!(!world.path().join("report").exists(), "nothing was written either");
}

#[test]
fn another_ladder_leaves_checks_without_a_stage_and_says_so() {
    let world = gated("success_rate >= 99% for c<=1");
    let done = world.rungs(&["run", "s.toml", "--stages", "2"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stderr.contains("covers no stage of this ladder"), "{}", done.stderr);
}

#[test]
fn four_when_the_target_cannot_be_used_with_the_cause_and_what_to_do() {
    let server = mock("key=sk-right");
    let base = format!("http://{}", server.addr());
    let world = World::new();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let rows = [
        (
            scenario(&base, "api_key = \"sk-SENTINEL0123456789\""),
            ["HTTP 401, unauthorized", "the API key is missing, wrong or expired"],
        ),
        (
            scenario(&base, "api_path = \"/v2/nothing\"\napi_key = \"sk-right\""),
            ["HTTP 404, not_found", "one `/v1` too many or too few"],
        ),
        (scenario(&format!("http://{closed}"), ""), ["connect_failed", "nothing listens at this address"]),
    ];
    for (text, said) in rows {
        world.write("s.toml", &text);
        let done = world.rungs(&["run", "s.toml"]);
        assert_eq!(done.code, 4, "{}", done.stderr);
        said.iter().for_each(|said| assert!(done.stderr.contains(said), "{said}: {}", done.stderr));
        assert!(!(done.stdout + &done.stderr + &world.read("report/latest.json")).contains("SENTINEL"));
        let result = world.result();
        assert_eq!(result["status"], "aborted");
        assert_eq!(result["stages"][0]["status"], "skipped");
    }
}

#[test]
fn five_when_there_is_nothing_to_judge() {
    let world = gated("tpot.p95 <= 1s");
    world.write(
        "s.toml",
        &world
            .read("s.toml")
            .replace("tokens=4", "tokens=1")
            .replace("stage_requests = 4", "stage_requests = 30"),
    );
    let done = world.rungs(&["run", "s.toml"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stdout.contains("0 values, at least 20 are needed"), "{}", done.stdout);
    assert_eq!(world.result()["gate"]["verdict"], "not_judged");
}

#[test]
fn six_when_an_output_cannot_be_written_before_anything_is_sent() {
    let world = World::on_mock("");
    world.write("file", "");
    let done = world.rungs(&["run", "s.toml", "--out", "file/report"]);
    assert_eq!(done.code, 6, "{}", done.stderr);
    assert!(
        done.stderr.contains("file/report") && done.stderr.contains("nothing was sent"),
        "{}",
        done.stderr
    );
    let before = world.read("s.toml");
    for (html, said) in [("/dev/null", "not a regular file"), ("s.toml", "the scenario itself")] {
        let done = world.rungs(&["run", "s.toml", "--set", &format!("report.html={html}")]);
        assert_eq!(done.code, 6, "{html}: {}", done.stderr);
        assert!(done.stderr.contains(said) && done.stderr.contains("nothing was sent"), "{}", done.stderr);
    }
    assert_eq!(world.read("s.toml"), before);
}

/// The binary with a stdout that takes nothing.
fn on_full_disk(world: &World, words: &[&str]) -> Child {
    let full = File::options().write(true).open("/dev/full").unwrap();
    world.command(words).stdout(full).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn six_when_stdout_cannot_be_written_unless_something_stronger_ended_the_run() {
    let world = gated("success_rate >= 99%");
    for words in [
        ["run", "s.toml", "--quiet"].as_slice(),
        &["gate", "report/latest.json", "--scenario", "s.toml"],
        &["calibrate", "s.toml", "--to", "b.json", "--times", "2", "--quiet"],
    ] {
        let Output { status, stderr, .. } = on_full_disk(&world, words).wait_with_output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert!(status.code() == Some(6) && said.contains("stdout cannot be written"), "{words:?}: {said}");
    }
    assert!(world.path().join("b.json").exists());
    let server = mock("ttft=20ms&itl=2ms&tokens=5");
    let world = long(&format!("http://{}", server.addr()));
    let child = on_full_disk(&world, &["run", "s.toml"]);
    until(&server, 20);
    signal(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(143));
}

#[test]
fn six_when_a_copy_cannot_be_written_and_the_result_itself_tells_of_it() {
    let server = mock("ttft=20ms&itl=2ms&tokens=5");
    let world = long(&format!("http://{}", server.addr()));
    let text = world.read("s.toml").replace("[4, 8]", "[4]").replace("60s", "1s");
    world.write("s.toml", &(text + "[report]\njson = \"mine.json\"\n"));
    let child = start(&world);
    until(&server, 20);
    std::fs::create_dir_all(world.path().join("report/latest.json")).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(6));
    let result: serde_json::Value = serde_json::from_str(&world.read("mine.json")).unwrap();
    let said = result["exit"]["reasons"][0].as_str().unwrap();
    assert!(result["exit"]["code"] == 6 && said.contains("latest.json` cannot be written"), "{said}");
}
