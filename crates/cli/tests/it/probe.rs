//! `rungs probe`: one request told step by step, and a diagnosis that names the trap.

use crate::world::{Done, World, mock, scenario};

fn probe(world: &World, words: &[&str]) -> Done {
    world.rungs(&[&["probe", "s.toml"], words].concat())
}

/// The names of the steps, in order.
fn steps(done: &Done) -> Vec<&str> {
    let rows = done.stdout.lines().filter_map(|line| line.trim_start().split_once(" ms  "));
    rows.filter_map(|(_, rest)| rest.split_whitespace().next()).collect()
}

#[test]
fn a_good_request_is_told_step_by_step_and_ends_with_its_numbers() {
    let world = World::on_mock("");
    let done = probe(&world, &[]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let expected = [
        "connect", "ready", "send", "head", "event", "token", "token", "token", "token", "event", "event",
        "event", "end",
    ];
    assert_eq!(steps(&done), expected, "{}", done.stdout);
    assert!(
        done.stdout.contains("4 tokens out")
            && done.stdout.contains("send    content-type: application/json")
    );
    assert!(!world.path().join("report").exists(), "a probe writes no file");
}

#[test]
fn a_refused_key_is_diagnosed_in_the_readers_language_and_shown_nowhere() {
    let server = mock("key=sk-right");
    let world = World::new();
    world.write(
        "s.toml",
        &scenario(&format!("http://{}", server.addr()), "api_key = \"sk-SENTINEL0123456789\""),
    );
    let done = probe(&world, &[]);
    assert_eq!(done.code, 4, "{}", done.stderr);
    assert!(
        done.stdout.contains("unauthorized") && done.stdout.contains("authorization: Bearer ***"),
        "{}",
        done.stdout
    );
    assert!(done.stdout.contains("cause  the API key is missing"), "{}", done.stdout);
    assert!(probe(&world, &["--lang", "zh"]).stdout.contains("原因     API Key 缺失"));
    assert!(!(done.stdout + &done.stderr).contains("SENTINEL"));
    world.write(
        "s.toml",
        &scenario(
            &format!("http://{}", server.addr()),
            "headers = { Authorization = \"Bearer Bearer sk-x\" }",
        ),
    );
    let done = probe(&world, &[]);
    assert!(done.stdout.contains("says `Bearer` twice"), "{}", done.stdout);
}

#[test]
fn a_doubled_version_a_dead_proxy_and_an_unused_one_are_named() {
    let server = mock("");
    let world = World::new();
    let base = format!("http://{}", server.addr());
    world.write("s.toml", &scenario(&format!("{base}/v1/v1"), "api_path = \"/chat\""));
    let done = probe(&world, &[]);
    assert_eq!(done.code, 4);
    assert!(done.stdout.contains("two version segments"), "{}", done.stdout);
    world.write("s.toml", &scenario(&base, "proxy = \"env\""));
    let dead = world
        .command(&["probe", "s.toml"])
        .env("HTTP_PROXY", "http://me:hunter22@127.0.0.1:9")
        .output()
        .unwrap();
    let dead = Done::from(dead);
    assert_eq!(dead.code, 4, "{}", dead.stderr);
    assert!(dead.stdout.contains("the proxy http://127.0.0.1:9 that `HTTP_PROXY` names"), "{}", dead.stdout);
    assert!(!(dead.stdout + &dead.stderr).contains("hunter22"));
    world.write("s.toml", &scenario("http://127.0.0.1:9", ""));
    let idle = world.command(&["probe", "s.toml"]).env("HTTPS_PROXY", "http://127.0.0.1:8").output().unwrap();
    assert!(Done::from(idle).stdout.contains("`HTTPS_PROXY`, which is not used"));
}

#[test]
fn a_body_that_asks_for_no_stream_is_remarked_on() {
    let world = World::on_mock("");
    world.write(
        "s.toml",
        &world
            .read("s.toml")
            .replace("query = \"hi\"", "query = \"hi\"\nbody = { stream = false, messages = [{ role = \"user\", content = \"<query>\" }] }"),
    );
    let done = probe(&world, &[]);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("there will be no TTFT"), "{}", done.stdout);
    assert_eq!(steps(&done)[3..], ["head", "token", "end"]);
}
