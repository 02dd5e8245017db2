//! A result from a samples file alone: the run's own to the byte, and what is known of a run that was killed.

use std::time::Duration;

use serde_json::Value;

use crate::signals::{long, signal, start, until};
use crate::world::{World, mock};

/// One of everything that a stage can be, each short: a warm-up, a step with a ramp before it, a ramp, counted requests,
/// an open loop whose slots do not suffice; 429 under load, second attempts, users who leave.
const LOAD: &str = "[load]\nwarm_up = { requests = 5 }\nretry = { max = 1, base = \"20ms\" }\n\
    cancel = { ratio = 0.1, after = \"60ms\" }\n\
    [[load.stage]]\nconcurrency = 3\nduration = \"600ms\"\nramp_up = \"300ms\"\n\
    [[load.stage]]\nconcurrency = 9\nshape = \"ramp\"\nduration = \"600ms\"\n\
    [[load.stage]]\nconcurrency = 2\nrequests = 12\n\
    [[load.stage]]\nrate = 60\narrival = \"poisson\"\nduration = \"600ms\"\nmax_in_flight = 3\n\
    [data]\nquery = \"hi\"\n";

fn on(address: &str, load: &str) -> World {
    let world = World::new();
    let target = format!("[target]\nbase_url = \"{address}\"\nmodel = \"m\"\napi_key_file = \"keys\"\n");
    world.write("s.toml", &(target + load));
    world.write("keys", "sk-one\nsk-two\n");
    world
}

/// Asserts that the samples give the result of the newest run again, whatever the format.
fn assert_same(world: &World, samples: &str) {
    for (option, latest) in [("--json", "report/latest.json"), ("--html", "report/latest.html")] {
        let again = world.rungs(&["report", samples, option, "-"]);
        assert_eq!((again.code, again.stderr.as_str()), (0, ""));
        assert_eq!(again.stdout, world.read(latest), "{option}");
    }
}

#[test]
fn samples_give_the_result_of_the_run_again_to_the_byte() {
    let world = on("mock://?ttft=30ms~0.4&itl=5ms&tokens=12&limit=6", LOAD);
    world.write(
        "s.toml",
        &(world.read("s.toml")
            + "[gate]\nchecks = [\"success_rate >= 1%\", \"ttft.p50 <= 5s\"]\n[objectives]\nttft = \"35ms\"\n\
               [report]\nsamples = \"s.ndjson.gz\"\n"),
    );
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert!(done.stderr.contains("report/"), "{}", done.stderr);
    let result = world.result();
    let count = |pointer: &str| result.pointer(pointer).unwrap().as_u64().unwrap();
    assert!(count("/stages/1/http_429") + count("/stages/1/counts/cancelled") > 0, "{result}");
    assert!(count("/stages/3/counts/dropped") > 0, "{result}");
    assert_eq!(count("/stages/0/phase_counts/warm_up"), 5);
    assert_eq!(result["scenario"]["workload"]["stages"].as_object().unwrap().len(), 4);
    assert_same(&world, "s.ndjson.gz");
}

#[test]
fn so_do_those_of_a_search_of_a_stopped_climb_and_of_runs_that_end_early() {
    let climb = "stages = [1, 8, 9]\nstage_duration = \"2s\"\n";
    let rows = [
        (
            "mock://?ttft=5ms&itl=1ms&tokens=4&limit=5",
            "stages = [2]\nstage_duration = \"300ms\"\n\
          search = { low = 2, high = 8, resolution = 1, checks = [\"http_429 <= 0\"] }\n",
        ),
        (
            "mock://?ttft=5ms&itl=1ms&tokens=4&limit=5",
            &*format!("{climb}stop = {{ checks = [\"http_429 <= 0\"] }}\n"),
        ),
        ("mock://?ttft=5ms&itl=1ms&tokens=4", &*format!("{climb}max_requests = 60\n")),
        ("mock://?key=sk-other", climb),
        ("mock://?key=sk-other", &*format!("{climb}preflight = false\nwarm_up = {{ requests = 3 }}\n")),
    ];
    for (address, load) in rows {
        let world =
            on(address, &format!("[load]\n{load}[data]\nquery = \"hi\"\n[report]\nsamples = \"s.ndjson\"\n"));
        let done = world.rungs(&["run", "s.toml", "--quiet"]);
        assert!(![2, 3, 70].contains(&done.code), "{load}: {}", done.stderr);
        assert_same(&world, "s.ndjson");
    }
}

/// How many runs are killed, at moments of their own; more with `RUNGS_KILLS=50`.
fn kills() -> u64 {
    std::env::var("RUNGS_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(10)
}

#[test]
fn runs_killed_at_any_moment_are_rebuilt_but_for_their_last_second() {
    let all: Vec<u64> = (0..kills()).collect();
    // Ten at a time: they wait more than they work.
    for some in all.chunks(10) {
        std::thread::scope(|scope| {
            some.iter().for_each(|kill| drop(scope.spawn(|| killed_and_rebuilt(*kill))));
        });
    }
}

fn killed_and_rebuilt(kill: u64) {
    let server = mock("ttft=20ms&itl=2ms&tokens=5");
    let world = long(&format!("http://{}", server.addr()));
    let name = if kill.is_multiple_of(2) { "s.ndjson" } else { "s.ndjson.gz" };
    world.write("s.toml", &(world.read("s.toml") + &format!("[report]\nsamples = \"{name}\"\n")));
    let mut child = start(&world);
    until(&server, 20);
    std::thread::sleep(Duration::from_millis(kill * 137 % 1_000));
    let ended = server.ledger().requests;
    // A second, and room for a busy machine.
    std::thread::sleep(Duration::from_millis(1_500));
    signal(&child, "KILL");
    child.wait().unwrap();
    let again = world.rungs(&["report", name, "--json", "-"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    let result: Value = serde_json::from_str(&again.stdout).unwrap();
    let stage = &result["stages"][0];
    let all = stage["counts"]["ok"].as_u64().unwrap() + stage["phase_counts"]["ramp"].as_u64().unwrap();
    assert!(all >= ended && all <= server.ledger().requests, "{all} of {ended}");
    assert_eq!(
        (&result["status"], &result["exit"]["code"], &stage["status"], &result["stages"][1]["status"]),
        (&"interrupted".into(), &5.into(), &"incomplete".into(), &"skipped".into())
    );
    assert_eq!(result["warnings"][0]["code"], "cut_off");
    assert_eq!(result["scenario"]["workload"]["stages"]["c8"]["length"], "60s");
    let qps = stage["qps"].as_f64().unwrap();
    let in_window = qps * stage["window_s"].as_f64().unwrap();
    assert!((in_window - all as f64).abs() < 0.01 * all as f64 + 1.0, "{stage}");
    let page = world.rungs(&["report", name, "--html", "-", "--lang", "zh"]).stdout;
    assert!(page.contains("运行被中断") && page.trim_end().ends_with("</html>"));
}

#[test]
fn a_last_line_that_is_cut_is_left_out_and_one_before_it_is_an_error() {
    let world = World::on_mock("");
    world.write("s.toml", &(world.read("s.toml") + "[report]\nsamples = \"s.ndjson\"\n"));
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    let whole = world.read("s.ndjson");
    let ok = |text: &str| {
        world.write("cut.ndjson", text);
        let done = world.rungs(&["report", "cut.ndjson", "--json", "-"]);
        assert_eq!(done.code, 0, "{}", done.stderr);
        let result: Value = serde_json::from_str(&done.stdout).unwrap();
        let stages = result["stages"].as_array().unwrap();
        stages.iter().map(|stage| stage["counts"]["ok"].as_u64().unwrap()).sum::<u64>()
    };
    let cuts: Vec<u64> =
        (whole.find('\n').unwrap() + 1..whole.len()).step_by(97).map(|cut| ok(&whole[..cut])).collect();
    assert!(cuts.is_sorted() && cuts.first() == Some(&0) && cuts.last() == Some(&8), "{cuts:?}");
    let broken = whole.replacen("\"type\":\"attempt\"", "\"type\":\"attempt\",,", 2);
    let late = whole.replacen("\"end\":", "\"end\":99999999999", 2);
    let rows = [
        (&*format!("{whole}{whole}"), "begins a second run: one file holds one run"),
        (late.as_str(), "line 2 holds a number that no run reaches"),
        (
            &whole.replacen("\"arrivals_us\":[", "\"arrivals_us\":[4611686018427387904,", 2),
            "line 2 holds a number",
        ),
        (&whole.replacen("\"keys\":0", "\"keys\":4611686018427387904", 1), "line 1 holds a number"),
        (
            &whole.replacen("\"stage_end\",\"stage\":0", "\"stage_end\",\"stage\":18446744073709551615", 1),
            "holds a number",
        ),
        (
            &whole.replacen(
                "\"stage_start\",\"stage\":1",
                "\"stage_start\",\"stage\":18446744073709551615",
                1,
            ),
            "holds a number",
        ),
        (
            &whole.replacen("\"dropped\":0,\"lag", "\"dropped\":18446744073709551615,\"lag", 1),
            "holds a number",
        ),
        (broken.as_str(), "line 2 is no line of a samples file: "),
        ("{\"type\":\"attempt\"}\n", "it does not begin with the line of a run"),
        (&whole[..40], "it does not begin with the line of a run"),
        (&whole.replacen("\"schema_version\":1", "\"schema_version\":9", 1), "use a newer rungs"),
    ];
    for (text, said) in rows {
        world.write("bad.ndjson", text);
        let done = world.rungs(&["report", "bad.ndjson"]);
        assert!(done.code == 2 && done.stderr.contains("`bad.ndjson` cannot be used: "), "{}", done.stderr);
        assert!(done.stderr.contains(said), "{}", done.stderr);
    }
}

#[test]
fn a_killed_run_is_no_baseline() {
    let world = World::on_mock("");
    world.write("s.toml", &(world.read("s.toml") + "[report]\nsamples = \"s.ndjson\"\n"));
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    assert_eq!(world.rungs(&["baseline", "accept", "s.ndjson", "whole.json"]).code, 0);
    let whole = world.read("s.ndjson");
    let end = whole.rfind("{\"type\":\"run_end\"").unwrap();
    world.write("killed.ndjson", &whole[..end]);
    let done = world.rungs(&["baseline", "accept", "killed.ndjson", "killed.json"]);
    assert!(done.code == 5 && done.stderr.contains("the run was not completed"), "{}", done.stderr);
}

#[test]
fn damage_anywhere_in_the_file_gives_a_result_or_an_error_and_never_a_panic() {
    let world = World::on_mock("");
    world.write(
        "s.toml",
        &(world.read("s.toml") + "[gate]\nchecks = [\"qps >= 1\"]\n[report]\nsamples = \"s.ndjson\"\n"),
    );
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    let whole = world.read("s.ndjson").into_bytes();
    let letters = b"0123456789-.eE,:\"[]{}ntf \n\x80";
    // The same damage every time: a step that shares no factor with the length of most files.
    let rebuilt = (0..600_usize).filter(|round| {
        let mut damaged = whole.clone();
        let at = round * 7_919 % damaged.len();
        damaged[at] = letters[round % letters.len()];
        if round.is_multiple_of(3) {
            damaged.insert(at, b'9');
        }
        report::samples::rebuild(|| Ok(damaged.as_slice()), report::Lang::En).is_ok()
    });
    let rebuilt = rebuilt.count();
    assert!((100..600).contains(&rebuilt), "{rebuilt} of 600 could be read");
}
