//! What the shipped scenarios offer, as the server sees it: the same load, moment by moment, as the scripts they stand for.

use crate::noise::{best_of_three, hold};
use crate::run::{mock, run_alone};

/// The server answers whole after 3 ms and 15 steps of 2 ms.
const SERVICE: f64 = 0.033;
const SERVER: &str = "ttft=3ms&itl=2ms&tokens=16";

/// A shipped scenario against this server, with its times shortened.
fn shortened(name: &str, port: u16, times: &[(&str, &str)]) -> String {
    let root = format!("{}/../..", env!("CARGO_MANIFEST_DIR"));
    let mut text = std::fs::read_to_string(format!("{root}/scenarios/{name}.toml")).unwrap();
    for (long, short) in times {
        assert!(text.contains(long), "{long}");
        text = text.replace(long, short);
    }
    let start = text.find("base_url").unwrap();
    let line = text[start..].lines().next().unwrap().to_owned();
    text.replace(&line, &format!("base_url = \"http://127.0.0.1:{port}\""))
        .replace("../perf/queries.txt", &format!("{root}/perf/queries.txt"))
        .replace("[load]\n", "[load]\npreflight = false\n")
}

/// Requests of closed-loop users who pause `pause` seconds, by slot of time: as many starts as the users there make.
fn expected(users: impl Fn(f64) -> f64, pause: f64, slots: usize, width: f64) -> Vec<f64> {
    let cycle = SERVICE + pause;
    let step = width / 100.0;
    let in_slot = |slot: usize| {
        (0..100).map(|part| users(slot as f64 * width + f64::from(part) * step) * step / cycle).sum::<f64>()
    };
    (0..slots).map(in_slot).collect()
}

/// When requests reached the server, by slot of time since the load began.
fn seen(server: &mock::Server, began: f64, slots: usize, width: f64) -> Vec<f64> {
    let mut counts = vec![0.0; slots];
    for row in server.rows(usize::MAX) {
        let at = row.received.nanos() as f64 / 1e9 - began;
        counts[((at / width).max(0.0) as usize).min(slots - 1)] += 1.0;
    }
    counts
}

fn same(seen: &[f64], expected: &[f64]) -> Result<(), String> {
    let near = |(seen, expected): (&f64, &f64)| (seen - expected).abs() <= 3.0 + 0.12 * expected;
    hold(seen.iter().zip(expected).all(near), (seen, expected))
}

#[test]
fn the_k6_like_scenario_offers_what_the_script_does_in_every_slot() {
    best_of_three(|| {
        let server = mock(SERVER);
        let times = [("\"30s\"", "\"1.5s\""), ("\"1m\"", "\"3s\"")];
        let outcome = run_alone(&shortened("k6-like", server.addr().port(), &times));
        let line = |at: f64| match at {
            at if at < 1.5 => 1.0 + 9.0 * at / 1.5,
            at if at < 4.5 => 10.0 + 40.0 * (at - 1.5) / 3.0,
            at if at < 6.0 => 50.0 + 50.0 * (at - 4.5) / 1.5,
            at => (100.0 - 100.0 * (at - 6.0) / 1.5).max(0.0),
        };
        let rows = server.rows(usize::MAX);
        let first = rows.iter().map(|row| row.received.nanos()).min().unwrap() as f64 / 1e9;
        hold(outcome.recording.stages.iter().all(|stage| stage.counts.failed == 0), "failures")?;
        // A twentieth of the script's time: a slot of 0.5 s is ten of its seconds.
        same(&seen(&server, first, 15, 0.5), &expected(line, 0.1, 15, 0.5))
    });
}

#[test]
fn the_locust_like_scenario_offers_what_the_script_does_in_every_second() {
    best_of_three(|| {
        let server = mock(SERVER);
        // Fewer users come, and the plateau is cut.
        let times = [("concurrency = 50", "concurrency = 15"), ("\"170s\"", "\"3s\"")];
        let text = shortened("locust-like", server.addr().port(), &times);
        run_alone(&text.replace("[[load.stage]]", "[load]\npreflight = false\n[[load.stage]]"));
        let rows = server.rows(usize::MAX);
        let first = rows.iter().map(|row| row.received.nanos()).min().unwrap() as f64 / 1e9;
        let users = |at: f64| (5.0 * (at.floor() + 1.0)).min(15.0);
        same(&seen(&server, first, 6, 1.0), &expected(users, 0.125, 6, 1.0))
    });
}
