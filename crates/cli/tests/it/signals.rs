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

/// Waits until the server has seen so many requests.
pub(crate) fn until(server: &mock::Server, requests: u64) {
    for _ in 0..500 {
        if server.ledger().requests >= requests {
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
