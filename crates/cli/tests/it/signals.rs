//! Ctrl-C and TERM: what was measured is kept, the files are whole, the exit code tells.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::world::{World, mock, scenario};

pub(crate) fn long(base_url: &str) -> World {
    let world = World::new();
    let load = "stages = [4, 8]\nstage_duration = \"60s\"\npreflight = false";
    world.write("s.toml", &scenario(base_url, "").replace("stages = [1, 2]\nstage_requests = 4", load));
    world
}

pub(crate) fn start(world: &World) -> Child {
    world.command(&["run", "s.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(crate) fn signal(child: &Child, name: &str) {
    let sent =
        std::process::Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Waits until the server has seen so many requests, open ones included.
pub(crate) fn until(server: &mock::Server, requests: u64) {
    for _ in 0..500 {
        let seen = server.ledger();
        if seen.requests + seen.open as u64 >= requests {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the run does not begin");
}

#[test]
fn out_04_the_first_signal_drains_and_writes_every_report() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let server = mock("ttft=20ms&itl=2ms&tokens=5");
        let world = long(&format!("http://{}", server.addr()));
        let child = start(&world);
        until(&server, 20);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        let result = world.result();
        assert_eq!(
            (result["status"].as_str(), result["exit"]["code"].as_i64()),
            (Some("interrupted"), Some(code.into()))
        );
        let counts = &result["stages"][0]["counts"];
        assert!(counts["ok"].as_u64().unwrap() >= 20, "{counts}");
        assert_eq!(result["stages"][1]["status"], "skipped");
        assert!(world.read("report/latest.html").trim_end().ends_with("</html>"));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test holds a stopwatch to the process")]
fn out_04_the_second_signal_ends_at_once_with_whole_files() {
    let hung = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let world = long(&format!("http://{}", hung.local_addr().unwrap()));
    let child = start(&world);
    let streams: Vec<_> = (0..4).map(|_| hung.accept().unwrap()).collect();
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(200));
    let second = Instant::now();
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert!(second.elapsed() < Duration::from_secs(3), "{:?}", second.elapsed());
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(world.result()["stages"][0]["counts"]["cancelled"], streams.len() as u64);
}

/// A moment of a run at which it is stopped: the load, what the server does, and after how many of its requests.
struct Moment {
    name: &'static str,
    load: &'static str,
    server: &'static str,
    requests: u64,
}

/// A server that never answers.
const HANGS: &str = "ttft=600s";
const ANSWERS: &str = "ttft=1ms&itl=1ms&tokens=2";

const MOMENTS: [Moment; 8] = [
    Moment { name: "preflight", load: "stages = [4]\nstage_duration = \"60s\"", server: HANGS, requests: 1 },
    Moment {
        name: "warm-up",
        load: "stages = [4]\nstage_duration = \"60s\"\npreflight = false\nwarm_up = { requests = 4 }",
        server: HANGS,
        requests: 4,
    },
    Moment {
        name: "ramp",
        load: "stages = [4]\nstage_duration = \"60s\"\npreflight = false\nramp_up = \"60s\"",
        server: HANGS,
        requests: 1,
    },
    Moment {
        name: "measure",
        load: "stages = [4]\nstage_duration = \"60s\"\npreflight = false",
        server: HANGS,
        requests: 4,
    },
    Moment {
        name: "drain",
        load: "stages = [4]\nstage_duration = \"50ms\"\npreflight = false",
        server: HANGS,
        requests: 4,
    },
    Moment {
        name: "cool-down",
        load: "stages = [1, 2]\nstage_requests = 2\npreflight = false\ncool_down = \"60s\"",
        server: ANSWERS,
        requests: 2,
    },
    Moment {
        name: "back-off",
        load: "stages = [1]\nstage_requests = 2\npreflight = false\n[load.retry]\nmax = 3\nbase = \"60s\"\ncap = \"60s\"",
        server: "ttft=1ms&itl=1ms&tokens=2&unavailable=100%",
        requests: 1,
    },
    Moment {
        name: "open loop",
        load: "preflight = false\n[[load.stage]]\nrate = 20\nmax_in_flight = 4\nduration = \"60s\"",
        server: HANGS,
        requests: 4,
    },
];

#[test]
fn out_04_a_run_can_be_stopped_in_every_phase_and_leaves_whole_files() {
    std::thread::scope(|scope| {
        MOMENTS.iter().for_each(|moment| drop(scope.spawn(|| stopped_at(moment))));
    });
}

#[expect(clippy::disallowed_methods, reason = "the test holds a stopwatch to the process")]
fn stopped_at(Moment { name, load, server, requests }: &Moment) {
    let server = mock(server);
    let world = World::new();
    let text = scenario(&format!("http://{}", server.addr()), "");
    world.write("s.toml", &text.replace("stages = [1, 2]\nstage_requests = 4", load));
    let child = start(&world);
    until(&server, *requests);
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "TERM");
    std::thread::sleep(Duration::from_millis(200));
    let second = Instant::now();
    // What needs no second one is over already.
    let _ = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(second.elapsed() < Duration::from_secs(3), "{name}: {:?}", second.elapsed());
    assert_eq!(output.status.code(), Some(143), "{name}: {said}");
    let result = world.result();
    assert_eq!((&result["status"], &result["exit"]["code"]), (&"interrupted".into(), &143.into()), "{name}");
    for stage in result["stages"].as_array().unwrap() {
        let count = |of: &str| stage["counts"][of].as_u64().unwrap();
        assert_eq!(count("started"), count("ok") + count("failed") + count("cancelled"), "{name}: {stage}");
    }
    assert!(world.read("report/latest.html").trim_end().ends_with("</html>"), "{name}");
    world.assert_rebuilt();
}
