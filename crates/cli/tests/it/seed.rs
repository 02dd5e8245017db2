//! The published guides' files run as they are, their host, port and key pointed at a local server.

use std::path::Path;

use crate::world::{World, mock};

/// The guides' files, as a user has them in one folder.
fn guide() -> World {
    let world = World::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/tests/it/seed");
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), world.path().join(entry.file_name())).unwrap();
    }
    world
}

#[test]
fn the_committed_configuration_runs_with_duration_zero_and_with_time() {
    let server = mock("ttft=5ms&itl=1ms&tokens=3");
    let port = format!("target.port={}", server.addr().port());
    let world = guide();
    let point = [
        "--set",
        "target.host=127.0.0.1",
        "--set",
        &port,
        "--set",
        "target.api_key=Bearer sk-test-0123456789",
    ];
    let once =
        [&["run", "config.toml", "--set", "load.duration=0", "--set", "load.ramp_up=0"], &point[..]].concat();
    let done = world.rungs(&once);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(
        world.path().join("report/taotoken_sse_test.html").exists(),
        "under the name that the file gives"
    );
    assert_eq!(world.result()["stages"][0]["counts"]["ok"], 5);
    let timed =
        [&["run", "config.toml", "--set", "load.duration=1", "--set", "load.ramp_up=0.2"], &point[..]]
            .concat();
    assert_eq!(world.rungs(&timed).code, 0);
    assert_eq!(world.result()["stages"][0]["window_s"], 1.0);
    assert_eq!(world.result()["model"], "gpt-4o");
}

#[test]
fn both_body_templates_are_filled_and_keys_take_turns() {
    let server = mock("ttft=5ms&itl=1ms&tokens=3");
    let port = format!("target.port={}", server.addr().port());
    let world = guide();
    let rows = [
        ("request_body_taotoken.json", "/v1/chat/completions", "openai-chat"),
        ("request_body_dify.json", "/v1/chat-messages", "dify-chat"),
    ];
    for (body, path, api) in rows {
        let (body, path) = (format!("data.request_body_file={body}"), format!("target.api_path={path}"));
        let words = [
            "run",
            "config.toml",
            "--set",
            "load.duration=0",
            "--set",
            "load.ramp_up=0",
            "--set",
            "target.host=127.0.0.1",
            "--set",
            &port,
            "--set",
            &path,
            "--set",
            &body,
            "--set",
            "data.api_key_file=apiKeys.txt",
        ];
        let done = world.rungs(&words);
        assert_eq!(done.code, 0, "{api}: {}", done.stderr);
        let result = world.result();
        assert_eq!(result["api"], api);
        assert_eq!(result["stages"][0]["counts"]["ok"], 5, "{api}");
        assert_eq!(result["stages"][0]["keys"].as_array().unwrap().len(), 2, "{api}");
    }
}
