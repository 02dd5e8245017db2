//! `rungs probe`: one request told step by step, and a diagnosis that names the trap.

use crate::speaker::{saying, whole};
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

#[test]
fn nothing_that_a_server_says_acts_on_the_terminal() {
    let (wild, seen) = ("\u{1b}]0;x\u{7}\u{202e}\u{9b}2J", "\\u001b]0;x\\u0007\\u202e\\u009b2J");
    let quoted = serde_json::to_string(&format!("{wild}\nexit 0: all is well{}", "z".repeat(300))).unwrap();
    let stream = format!(
        "event: {wild}\ndata: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"x\"}},\"finish_reason\":{quoted}}}]}}\n\n\
         data: {{\"error\":{{\"message\":{quoted}}}}}\n\n"
    );
    let streamed =
        whole("200 OK", "content-type: text/event-stream\r\nx-wild: a\u{9b}2J\u{202e}b\r\n", &stream);
    let refusal = format!("{{\"error\":{{\"message\":{quoted},\"code\":\"model_not_found\"}}}}");
    let refused = whole("400 Bad Request", "content-type: application/json\r\n", &refusal);
    let listed = whole("200 OK", "", &format!("{{\"data\":[{{\"id\":{quoted}}}]}}"));
    for answer in [streamed, refused] {
        let listed = listed.clone();
        let at =
            saying(move |request| if request.starts_with("GET") { listed.clone() } else { answer.clone() });
        let world = World::new();
        world.write("s.toml", &scenario(&format!("http://{at}"), ""));
        for words in [&["probe", "s.toml"][..], &["run", "s.toml"], &["report", "report/latest.json"]] {
            let done = world.rungs(words);
            let all = done.stdout + &done.stderr;
            let acts = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
            assert!(!all.contains(acts), "{words:?}: {all:?}");
            assert!(all.contains(seen), "{words:?}: {all}");
            assert!(!all.lines().any(|line| line.starts_with("exit 0")), "{words:?}: {all}");
            assert!(!all.contains(&"z".repeat(160)), "{words:?}: {all}");
        }
    }
}

#[test]
fn a_model_refused_under_any_status_is_looked_up_and_the_nearest_name_is_in_the_result() {
    let list =
        "{\"data\":[{\"id\":\"org/m:8b\",\"name\":\"Org: M\"},{\"id\":5}],\"models\":[{\"name\":\"x\"}]}";
    let rows = [
        ("404 Not Found", "{\"error\":{\"message\":\"no such model\"}}"),
        ("503 Service Unavailable", "{\"error\":{\"message\":\"no channel\",\"code\":\"model_not_found\"}}"),
        ("500 Internal Server Error", "{\"error\":{\"message\":\"org/m:7b is not loaded\"}}"),
        ("200 OK", "{\"error\":{\"message\":\"unknown\",\"code\":\"model_not_found\"}}"),
    ];
    for (status, body) in rows {
        let answer = whole(status, "content-type: application/json\r\n", body);
        let at = saying(
            move |request| {
                if request.starts_with("GET") { whole("200 OK", "", list) } else { answer.clone() }
            },
        );
        let world = World::new();
        world.write("s.toml", &scenario(&format!("http://{at}"), ""));
        let nearest = "`org/m:7b` is not among the 2 models that the server lists; nearest: org/m:8b";
        let probed = probe(&world, &[]);
        assert!(probed.stdout.contains(&format!("found  {nearest}")), "{status}: {}", probed.stdout);
        let done = world.rungs(&["run", "s.toml"]);
        assert_eq!((done.code, done.stderr.matches(nearest).count()), (4, 1), "{status}: {}", done.stderr);
        let reasons = world.result()["exit"]["reasons"].to_string();
        assert!(reasons.contains(nearest), "{status}: {reasons}");
        assert!(world.page().contains("nearest: org/m:8b"), "{status}");
    }
    // A limit on the load names the model as well, and is no reason to doubt it.
    let busy = whole("429 Too Many Requests", "", "{\"error\":{\"message\":\"too many for org/m:7b\"}}");
    let at = saying(
        move |request| if request.starts_with("GET") { whole("200 OK", "", list) } else { busy.clone() },
    );
    let world = World::new();
    world.write("s.toml", &scenario(&format!("http://{at}"), ""));
    assert!(!probe(&world, &[]).stdout.contains("nearest"));
}
