//! What is said of both sides of an A/B run before any load: `plan`, `check`, `probe`; and what has one side only.

use crate::world::{World, mock, scenario};

#[test]
fn plan_shows_both_sides_and_sends_nothing() {
    let (a, b) = (mock("ttft=1ms"), mock("ttft=1ms"));
    let world = World::new();
    let own = "api_key = \"sk-SENTINELA123456789\"\n[target.b]\nmodel = \"other\"\napi = \"anthropic-messages\"\n\
               api_key = \"sk-SENTINELB123456789\"";
    world.write("s.toml", &scenario(&format!("http://{}", a.addr()), own));
    let done = world.rungs(&["plan", "s.toml", "--against", &format!("http://{}", b.addr())]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let expected = [
        format!("target  A: http://{}/v1/chat/completions", a.addr()),
        format!("target  B: http://{}/v1/messages", b.addr()),
        "api     B: anthropic-messages, model other, streaming".into(),
        "time    as long as 16 requests take".into(),
        format!("override: target.b.base_url = \"http://{}\" (--against)", b.addr()),
    ];
    for line in expected {
        assert!(done.stdout.lines().any(|shown| shown == line), "{line}: {}", done.stdout);
    }
    let (of_a, of_b) = done.stdout.split_once("B is sent").unwrap();
    assert!(of_a.contains("authorization: Bearer ***") && !of_a.contains("x-api-key"), "{of_a}");
    assert!(of_b.contains("x-api-key: ***") && of_b.contains("\"max_tokens\""), "{of_b}");
    assert!(!(done.stdout + &done.stderr).contains("SENTINEL"));
    assert_eq!((a.ledger().connections, b.ledger().connections), (0, 0));
}

#[test]
fn check_looks_at_b_with_the_same_eyes() {
    let world = World::on_mock("[target.b]\nbase_url = \"mock://?limit=none\"\n");
    let done = world.rungs(&["check", "s.toml"]);
    assert_eq!(done.code, 3, "{}", done.stderr);
    assert!(
        done.stderr.contains("the settings of `mock://` in `target.b.base_url` cannot be used"),
        "{}",
        done.stderr
    );
    world.write("ca.pem", "no certificate\n");
    let own = ["target.b.base_url=https://127.0.0.1:9/v1", "target.b.tls.ca_file=ca.pem"];
    let done = world.rungs(&["check", "s.toml", "--set", own[0], "--set", own[1]]);
    assert_eq!(done.code, 3, "{}", done.stderr);
    assert!(done.stderr.contains("ca.pem"), "{}", done.stderr);
}

#[test]
fn probe_asks_both_sides_and_fails_where_any_does() {
    let (a, b) = (mock("ttft=1ms&tokens=2"), mock("ttft=1ms&tokens=2&key=sk-right"));
    let world = World::new();
    world.write("s.toml", &scenario(&format!("http://{}", a.addr()), ""));
    let against = format!("http://{}", b.addr());
    let done = world.rungs(&["probe", "s.toml", "--against", &against]);
    assert_eq!(done.code, 4, "{}", done.stderr);
    let (of_a, of_b) = done.stdout.split_once("\nB\n").unwrap();
    assert!(of_a.starts_with("A\n") && of_a.contains("2 tokens out"), "{of_a}");
    assert!(of_b.contains(&against) && of_b.contains("unauthorized"), "{of_b}");
    let done = world.rungs(&["probe", "s.toml", "--against", &against, "--set", "target.b.api_key=sk-right"]);
    assert_eq!(done.code, 0, "{}", done.stdout);
    assert_eq!((a.ledger().requests, b.ledger().requests), (2, 2));
}

#[test]
fn a_baseline_is_calibrated_on_a_alone() {
    let b = mock("ttft=1ms");
    let world = World::on_mock(&format!("[target.b]\nbase_url = \"http://{}\"\n", b.addr()));
    let done = world.rungs(&["calibrate", "s.toml", "--times", "2", "--to", "b.json", "--quiet"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("note    B is left out: the noise floor is that of A"), "{}", done.stderr);
    assert!(!done.stderr.contains("target  B"), "{}", done.stderr);
    assert_eq!(b.ledger().connections, 0);
}
