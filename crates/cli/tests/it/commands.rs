//! Each command does what its help says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;

use crate::world::{World, mock, scenario};

#[test]
fn run_says_what_it_will_do_does_it_and_leaves_a_report() {
    let world = World::on_mock("");
    let done = world.rungs(&["run", "s.toml"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    for said in [
        "target  ",
        "/v1/chat/completions",
        "api     openai-chat, model org/m:7b, streaming",
        "ladder  1 -> 2 users",
        "preflight",
    ] {
        assert!(done.stderr.contains(said), "{said}: {}", done.stderr);
    }
    assert!(done.stdout.contains("users"), "{}", done.stdout);
    assert!(done.stdout.contains("concurrency 2 held"), "{}", done.stdout);
    let result = world.result();
    assert_eq!(result["status"], "completed");
    assert_eq!(result["stages"][1]["counts"]["ok"], 4);
    assert_eq!(result["preflight"]["outcome"], "ok");
    assert!(world.read("report/latest.html").starts_with("<!doctype html>"));
}

#[test]
fn check_prints_nothing_but_problems() {
    let world = World::on_mock("");
    world.write("bad.toml", "[target]\nbase_ur = \"http://x\"\n");
    let good = world.rungs(&["check", "s.toml"]);
    assert_eq!((good.code, good.stdout.as_str(), good.stderr.as_str()), (0, "", ""));
    let bad = world.rungs(&["check", "s.toml", "bad.toml"]);
    assert_eq!(bad.code, 3);
    assert!(bad.stderr.contains("bad.toml:2:1") && bad.stderr.contains("base_url"), "{}", bad.stderr);
}

#[test]
fn check_and_run_refuse_the_same_mock_settings() {
    let world = World::new();
    world.write("s.toml", &scenario("mock://?speed=9", ""));
    for command in ["check", "run", "plan"] {
        let done = world.rungs(&[command, "s.toml"]);
        assert_eq!(done.code, 3, "{command}");
        assert!(done.stderr.contains("speed"), "{}", done.stderr);
    }
}

#[test]
fn plan_shows_everything_and_sends_nothing() {
    let server = mock("ttft=1ms");
    let world = World::new();
    let base = format!("http://{}", server.addr());
    world.write("s.toml", &scenario(&base, "api_key = \"sk-SENTINEL0123456789\""));
    let done = world.rungs(&["plan", "s.toml", "--stages", "3"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    for shown in [
        "/v1/chat/completions",
        "stage   c3: 3 users",
        "authorization: Bearer ***",
        "\"content\": \"hi\"",
        "override: load.stages",
    ] {
        assert!(done.stdout.contains(shown), "{shown}: {}", done.stdout);
    }
    assert!(!(done.stdout + &done.stderr).contains("SENTINEL"));
    assert_eq!(server.ledger().connections, 0);
}

#[test]
fn plan_tells_what_ends_the_climb_and_how_long_a_search_takes() {
    let world = World::new();
    let ladder = "stages = [2]\nstage_duration = \"10s\"\npreflight = false\ndrain_timeout = \"5s\"\n";
    let rules = "[load.stop]\nchecks = [\"http_429_ratio <= 20%\"]\n\
                 [load.search]\nlow = 2\nhigh = 4\nresolution = 2\nchecks = [\"http_429_ratio <= 0%\"]\n";
    let text = scenario("mock://", "")
        .replace("stages = [1, 2]\nstage_requests = 4\n", &(ladder.to_owned() + rules));
    world.write("s.toml", &text);
    let done = world.rungs(&["plan", "s.toml"]);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert!(
        lines[3].contains("while `http_429_ratio <= 20%` over the last 10 s, then a search"),
        "{}",
        done.stdout
    );
    assert_eq!(lines[4], "time    10 s and up to 30 s of search, at most 45 s", "{}", done.stderr);
    world.write("s.toml", &text.replace("stage_duration = \"10s\"", "stage_requests = 100"));
    let done = world.rungs(&["plan", "s.toml"]);
    assert_eq!(done.stdout.lines().nth(4), Some("time    as long as 100 requests take, then the search"));
}

#[test]
fn report_renders_a_saved_result_again() {
    let world = World::on_mock("");
    world.rungs(&["run", "s.toml", "--quiet"]);
    let again = world.rungs(&["report", "report/latest.json", "--json", "-"]);
    assert_eq!((again.code, again.stdout), (0, world.read("report/latest.json")));
    let page = world.rungs(&["report", "report/latest.json", "--html", "again.html"]);
    assert_eq!((page.code, world.read("again.html")), (0, world.read("report/latest.html")));
    let table = world.rungs(&["report", "report/latest.json"]);
    assert!(table.stdout.contains("TTFT p50"), "{}", table.stdout);
    world.write("newer.json", "{\"schema_version\": 999}");
    let newer = world.rungs(&["report", "newer.json"]);
    assert!(newer.code == 2 && newer.stderr.contains("schema version 999"), "{}", newer.stderr);
}

#[test]
fn a_baseline_is_accepted_compared_with_and_refused_when_it_does_not_fit() {
    let world = World::on_mock("");
    world.rungs(&["run", "s.toml", "--quiet"]);
    let accepted = world.rungs(&["baseline", "accept", "report/latest.json", "baseline.json"]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    let gate = "\n[gate]\nbaseline = \"baseline.json\"\nchecks = [\"e2e.p50 <= baseline + 900%\"]\n";
    world.write("s.toml", &(world.read("s.toml") + gate));
    let judged = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(judged.code, 0, "{}{}", judged.stdout, judged.stderr);
    assert_eq!(world.result()["gate"]["verdict"], "pass");
    assert!(world.result()["gate"]["checks"][0]["baseline"].is_number());
    let other = world.rungs(&["run", "s.toml", "--quiet", "--set", "target.model=other"]);
    assert_eq!(other.code, 5, "{}", other.stderr);
    assert!(other.stderr.contains("model"), "{}", other.stderr);
    let overridden = world.rungs(&["run", "s.toml", "--quiet", "--stages", "1"]);
    assert!(overridden.code == 5 && overridden.stderr.contains("--stages"), "{}", overridden.stderr);
    let refused = world.rungs(&["baseline", "accept", "report/latest.json", "baseline.json"]);
    assert!(refused.code == 5 && refused.stderr.contains("overridden"), "{}", refused.stderr);
}

#[test]
fn mock_serves_until_it_is_ended() {
    let world = World::new();
    let mut child =
        world.command(&["mock", "--port", "0", "--tokens", "3"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split(':').take(2).collect::<Vec<_>>().join(":");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /ledger HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answer.contains("\"requests\":0") || answer.contains("\"requests\": 0"), "{answer}");
    let wrong = world.rungs(&["mock", "--ttft", "fast"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("ttft"), "{}", wrong.stderr);
}

#[test]
fn mock_has_the_faults_of_its_file_and_tells_what_is_wrong_in_it() {
    let world = World::new();
    world.write("faults.toml", "# every one of them\nunavailable = \"100%\"\n");
    let mut child = world
        .command(&["mock", "--port", "0", "--faults", "faults.toml"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split(':').take(2).collect::<Vec<_>>().join(":");
    let mut stream = TcpStream::connect(address).unwrap();
    let body = r#"{"messages":[{"role":"user","content":"hi"}]}"#;
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");

    world.write("wrong.toml", "stall = 0.1\nrest = 0.1\n");
    for (file, told) in [
        ("wrong.toml", "error: no fault is called `rest`; the faults are `reset`, `close`"),
        ("wrong.toml", "  --> wrong.toml:2:1"),
        ("missing.toml", "error: the faults in missing.toml cannot be read"),
    ] {
        let wrong = world.rungs(&["mock", "--port", "0", "--faults", file]);
        assert!(wrong.code == 2 && wrong.stderr.contains(told), "{}", wrong.stderr);
    }
}

#[test]
fn the_built_in_server_of_a_run_has_the_faults_of_its_address() {
    let world = World::new();
    let address = "mock://?ttft=1ms&itl=1ms&tokens=2&rate_limited=50%&unavailable=0.5&seed=3";
    let load = "preflight = false\nstages = [10]\nstage_requests = 20\n[data]";
    let text = scenario(address, "").replace("stages = [1, 2]\nstage_requests = 4\n[data]", load);
    world.write("s.toml", &text);
    world.rungs(&["run", "s.toml", "--quiet"]);
    let stage = &world.result()["stages"][0];
    let count = |name: &str| stage["outcomes"][name].as_u64().unwrap();
    assert!(count("rate_limited") > 0 && count("server_error") > 0, "{}", stage["outcomes"]);
    assert_eq!(count("rate_limited") + count("server_error"), 20);
}
