//! What lies where after a run, and what the screen is spared.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::Value;

use crate::world::{World, mock, scenario};

#[test]
fn out_06_json_on_stdout_is_the_result_and_nothing_else() {
    let world = World::on_mock("");
    let done = world.rungs(&["run", "s.toml", "--json", "-"]);
    assert_eq!(done.code, 0);
    assert_eq!(done.stdout, world.read("report/latest.json"));
    for text in [&done.stdout, &done.stderr] {
        assert!(!text.contains('\r') && !text.contains('\u{1b}'), "off a terminal there are plain lines");
    }
}

#[test]
fn out_06_a_closed_stdout_is_no_reason_to_fail() {
    let world = World::on_mock("");
    let mut child =
        world.command(&["run", "s.toml"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(!stderr.contains("panic"), "{stderr}");
    assert_eq!(world.result()["status"], "completed");
}

#[test]
fn quiet_has_no_live_rows() {
    let world = World::on_mock("");
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert!(!done.stderr.contains("preflight") && !done.stderr.contains("TPOT ms"), "{}", done.stderr);
}

#[test]
fn out_05_names_are_safe_and_two_runs_of_one_second_do_not_meet() {
    let world = World::on_mock("");
    let runs: Vec<_> = (0..2)
        .map(|_| {
            world
                .command(&["run", "s.toml", "--quiet"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    world.rungs(&["run", "s.toml", "--quiet"]);
    let names: Vec<String> = std::fs::read_dir(world.path().join("report"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json") && !name.starts_with("latest"))
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("s-org-m-7b-") && name.contains('Z')), "{names:?}");
    let result = world.result();
    assert!(result["started_at"].as_str().unwrap().ends_with('Z'));
}

#[test]
fn samples_hold_a_line_per_attempt_and_no_text() {
    let world = World::on_mock("");
    world.rungs(&["run", "s.toml", "--quiet", "--set", "report.json=r.json"]);
    let samples = world.read("r.samples.ndjson");
    let lines: Vec<Value> = samples.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "attempt").count(), 1 + 2 * 4);
    assert_eq!((kinds[0], lines[1]["phase"].as_str()), ("run", Some("preflight")));
    let attempt = lines.iter().find(|line| line["phase"] == "measure").unwrap();
    assert_eq!(
        (&attempt["outcome"], &attempt["tokens"]["output"], &attempt["chunks"]),
        (&"ok".into(), &4.into(), &4.into())
    );
    assert!(!samples.contains("\"hi\""), "no prompt unless asked");
    world.rungs(&[
        "run",
        "s.toml",
        "--quiet",
        "--set",
        "report.json=q.json",
        "--set",
        "report.samples=false",
    ]);
    assert!(!world.path().join("q.samples.ndjson").exists());
}

#[test]
fn out_collects_every_output_under_its_own_name() {
    let world = World::on_mock("");
    world.write(
        "s.toml",
        &(world.read("s.toml") + "[report]\nhtml = \"deep/page.html\"\njson = \"run.json\"\n"),
    );
    world.rungs(&["run", "s.toml", "--quiet", "--out", "out"]);
    for name in ["page.html", "run.json", "latest.json", "latest.html", "run.samples.ndjson"] {
        assert!(world.path().join("out").join(name).exists(), "{name}");
    }
    assert!(!world.path().join("deep").exists());
}

#[test]
fn the_conclusion_speaks_chinese_when_asked() {
    let world = World::on_mock("");
    let done = world.rungs(&["run", "s.toml", "--quiet", "--lang", "zh"]);
    assert!(done.stdout.contains("并发 2 稳定运行"), "{}", done.stdout);
    assert!(world.read("report/latest.html").contains("<html lang=\"zh"), "the page too");
}

#[test]
fn out_01_a_run_in_which_everything_fails_is_strict_json_with_nulls() {
    let server = mock("ttft=2s&limit=1");
    // One stream that stays open takes the only slot.
    let mut held = std::net::TcpStream::connect(server.addr()).unwrap();
    let body = "{\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";
    let head =
        format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    held.write_all((head + body).as_bytes()).unwrap();
    while server.ledger().open == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let world = World::new();
    let text = scenario(&format!("http://{}", server.addr()), "");
    world.write("s.toml", &text.replace("[load]", "[load]\npreflight = false"));
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    let stage = &world.result()["stages"][0];
    assert_eq!((&stage["http_429"], &stage["success_rate"]), (&4.into(), &0.0.into()));
    assert_eq!((&stage["ttft_ms"]["n"], &stage["ttft_ms"]["p50"]), (&0.into(), &Value::Null));
    assert_eq!(stage["adjusted"]["e2e_ms"]["p95"], Value::Null);
    assert_eq!(stage["errors"][0]["class"], "rate_limited");
    assert!(!world.read("report/latest.html").contains(">NaN"));
}

#[test]
fn out_08_the_key_is_in_no_output() {
    let server = mock("ttft=1ms&itl=1ms&tokens=2");
    let world = World::new();
    let target =
        "api_key = \"sk-SENTINEL0123456789\"\nheaders = { x-extra-token = \"tk-SENTINEL9876543210\" }";
    world.write("s.toml", &scenario(&format!("http://{}", server.addr()), target));
    let done = world.rungs(&["run", "s.toml"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let result = world.result();
    assert_eq!(result["auth_header"], "Authorization: Bearer ***");
    assert_eq!(result["headers"]["x-extra-token"], "***");
    let mut all = done.stdout + &done.stderr;
    for entry in std::fs::read_dir(world.path().join("report")).unwrap() {
        all += &std::fs::read_to_string(entry.unwrap().path()).unwrap();
    }
    assert!(!all.contains("SENTINEL"));
}

#[test]
fn net_05_the_result_names_the_proxy_without_its_password() {
    let proxy = mock("ttft=1ms&itl=1ms&tokens=2");
    let world = World::new();
    let target = format!("proxy = \"http://me:hunter22@{}\"", proxy.addr());
    world.write("s.toml", &scenario("http://127.0.0.1:9", &target));
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    let shown = format!("http://{}", proxy.addr());
    assert_eq!(world.result()["proxy"], shown, "{}", done.stderr);
    assert!(world.page().contains(&shown));
    assert!(!(world.read("report/latest.json") + &world.page()).contains("hunter22"));
}

#[test]
fn net_07_the_report_says_that_verification_was_off() {
    let server = mock("ttft=1ms&itl=1ms&tokens=2");
    let world = World::new();
    let text = scenario(&format!("http://{}", server.addr()), "")
        .replace("[load]", "[target.tls]\ninsecure = true\n[load]");
    world.write("s.toml", &text);
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let result = world.result();
    let codes: Vec<_> =
        result["warnings"].as_array().unwrap().iter().map(|warning| &warning["code"]).collect();
    assert!(codes.contains(&&"insecure".into()), "{codes:?}");
    let said = "the server's certificate was not verified";
    assert!(done.stdout.contains(said) && world.page().contains(said), "{}", done.stdout);
}

/// An open loop, and a ramp of users before and after it.
const LOADS: &str = "
name = \"loads\"
[target]
base_url = \"mock://?ttft=5ms&itl=1ms&tokens=4\"
model = \"m\"
[data]
query = \"hi\"
[load]
warm_up = { requests = 2 }
think_time = \"10ms\"
[load.retry]
max = 2
[[load.stage]]
name = \"up\"
concurrency = 3
shape = \"ramp\"
duration = \"1500ms\"
[[load.stage]]
name = \"down\"
concurrency = 0
shape = \"ramp\"
duration = \"1500ms\"
[[load.stage]]
rate = 12.5
arrival = \"gamma\"
burstiness = 4
max_in_flight = 9
duration = \"2s\"
";

#[test]
fn result_samples_and_live_view_name_rates_and_ramps_as_the_file_does() {
    let world = World::new();
    world.write("s.toml", LOADS);
    let done = world.rungs(&["run", "s.toml", "--set", "report.json=r.json"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let result: Value = serde_json::from_str(&world.read("r.json")).unwrap();
    let of = |keys: &[&str]| -> Vec<Vec<Value>> {
        let stages = result["stages"].as_array().unwrap().iter();
        stages.map(|stage| keys.iter().map(|key| stage[*key].clone()).collect()).collect()
    };
    let expected = serde_json::json!([["up", 3, null, 0], ["down", 0, null, 3], ["r12.5", null, 12.5, null]]);
    assert_eq!(serde_json::json!(of(&["name", "concurrency", "rate", "ramp_from"])), expected);
    let expected = serde_json::json!([
        [null, null, null, null, [0.01, 0.01]],
        [null, null, null, null, [0.01, 0.01]],
        ["gamma", 4.0, 9, 0.0, null]
    ]);
    let manner = of(&["arrival", "burstiness", "max_in_flight", "ramp_up_s", "think_time_s"]);
    assert_eq!(serde_json::json!(manner), expected);
    let load = &result["load"];
    assert_eq!(
        (&load["warm_up"], &load["retry"]["max"], &load["retry"]["base_s"]),
        (&"2 requests".into(), &2.into(), &0.5.into())
    );
    assert_eq!((&load["cancel"], &load["stop"]), (&Value::Null, &serde_json::json!([])));
    let samples = world.read("r.samples.ndjson");
    let lines: Vec<Value> = samples.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stages = lines.iter().filter(|line| line["type"] == "stage_start");
    let shown: Vec<_> =
        stages.map(|line| [&line["concurrency"], &line["rate"], &line["ramp_from"]]).collect();
    assert_eq!(serde_json::json!(shown), serde_json::json!([[3, null, 0], [0, null, 3], [null, 12.5, null]]));
    for shown in ["open @rate", " up  ", " down  ", " @12.5/s"] {
        assert!(done.stderr.contains(shown), "{shown}\n{}", done.stderr);
    }
    assert!(done.stdout.contains("0 ~> 3") && done.stdout.contains("12.5/s"), "{}", done.stdout);
}

#[test]
fn files_that_are_private_are_readable_by_their_owner_alone() {
    let world = World::on_mock("[report]\nprivate = true\nmarkdown = \"m.md\"\nsamples = \"s.ndjson.gz\"\n");
    world.write("s.ndjson.gz", "of an earlier run that everybody could read");
    world.write("m.md", "the same");
    assert_eq!(world.rungs(&["run", "s.toml", "--quiet"]).code, 0);
    let in_folder =
        std::fs::read_dir(world.path().join("report")).unwrap().map(|entry| entry.unwrap().path());
    let all: Vec<_> = in_folder.chain(["s.ndjson.gz", "m.md"].map(|name| world.path().join(name))).collect();
    assert_eq!(all.len(), 6, "{all:?}");
    for path in all {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn what_a_run_cost_is_counted_over_everything_that_was_sent() {
    let world = World::on_mock("[target.price]\ninput = 1000\noutput = 2000000\ncurrency = \"EUR\"\n");
    let done = world.rungs(&["run", "s.toml", "--quiet"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let result = world.result();
    // A preflight and twice four requests of four tokens.
    let input = result["stages"][0]["tokens"]["input"].as_f64().unwrap() / 4.0;
    let expected = 9.0 * (4.0 * 2.0 + input * 0.001);
    assert!((result["cost"].as_f64().unwrap() - expected).abs() < 1e-3, "{} {expected}", result["cost"]);
    assert_eq!(result["currency"], "EUR");
    let cost = format!("cost: {:.2} EUR", expected);
    assert!(done.stdout.contains(&cost), "{cost}: {}", done.stdout);
    assert!(world.page().contains(&format!("{expected:.2} EUR")));
    assert!(done.stderr.contains("bound   at most 11 requests, at no bounded cost"), "{}", done.stderr);
}
