//! Files in the older form, as people have them, load as they stand.

use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::Level;
use scenario::plan::{Api, Auth, Language, Scheme, Server, StageEnd};
use scenario::{Layers, Plan, load};

use crate::folder::{environment, set};

fn seed(layers: &Layers) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/seed/config.toml");
    match load(&path, layers) {
        Ok(scenario) => scenario.plan(),
        Err(problems) => panic!("{problems}"),
    }
}

#[test]
fn the_older_form_loads_unchanged() {
    let plan = seed(&Layers::default());
    assert_eq!(plan.target.url(), "https://taotoken.net/v1/chat/completions");
    assert_eq!(
        (plan.target.api, plan.target.auth, plan.target.stream),
        (Api::OpenAiChat, Auth::Bearer, true)
    );
    assert_eq!(plan.target.model.as_deref(), Some("gpt-4o"));
    assert_eq!(plan.target.keys.values[0].expose(), "sk-YOUR_KEY");
    assert_eq!(plan.target.timeouts.first_token, Duration::from_secs(60));
    let [stage] = plan.load.stages.as_slice() else { panic!("one stage") };
    assert_eq!((stage.name.as_str(), stage.level()), ("c5", Level::Users(5)));
    assert_eq!(
        (stage.end, stage.ramp_up()),
        (StageEnd::After(Duration::from_secs(60)), Duration::from_secs(5))
    );
    assert_eq!(plan.bodies.rows(), 4);
    assert!(plan.outputs.html.unwrap().ends_with("tests/it/seed/report/taotoken_sse_test.html"));
}

#[test]
fn host_port_and_key_are_pointed_elsewhere_from_the_command_line() {
    let plan = seed(&set(&["target.host=127.0.0.1", "target.port=18080", "target.api_key=sk-local"]));
    let Server::At(endpoint) = &plan.target.server else { panic!("an address") };
    assert_eq!((endpoint.scheme, endpoint.host.as_str(), endpoint.port), (Scheme::Http, "127.0.0.1", 18080));
    assert_eq!(plan.target.keys.values[0].expose(), "sk-local");
    let masked: Vec<&str> = plan.fingerprint.overrides.iter().map(|over| over.value.as_str()).collect();
    assert_eq!(masked, ["\"127.0.0.1\"", "18080", "\"***\""]);
    assert!(plan.fingerprint.overrides.iter().all(|over| !over.changes_workload && over.source == "--set"));
}

#[test]
fn a_duration_of_zero_means_one_request_per_thread() {
    let plan = seed(&set(&["load.duration=0"]));
    assert_eq!(plan.load.stages[0].end, StageEnd::OnePerUser);
    assert!(plan.fingerprint.overrides[0].changes_workload);
}

#[test]
fn the_body_templates_render_with_the_queries() {
    let openai = seed(&set(&["data.request_body_file=request_body_taotoken.json"]));
    assert_eq!(
        openai.bodies.sample(),
        r#"{"model":"gpt-4o","messages":[{"role":"user","content":"你是谁"}],"stream":true,"temperature":0.7,"user":"perf_test","stream_options":{"include_usage":true}}"#
    );
    let dify =
        seed(&set(&["data.request_body_file=request_body_dify.json", "target.api_path=/v1/chat-messages"]));
    assert_eq!(dify.target.api, Api::DifyChat);
    assert_eq!(
        dify.bodies.sample(),
        r#"{"inputs":{"query":"你是谁"},"query":"你是谁","response_mode":"streaming","conversation_id":"","user":"perf_test","files":[]}"#
    );
}

#[test]
fn a_key_file_gives_its_keys_without_schemes_or_blank_lines() {
    let plan = seed(&set(&["data.api_key_file=apiKeys.txt"]));
    let keys: Vec<&str> = plan.target.keys.values.iter().map(scenario::Secret::expose).collect();
    assert_eq!(keys, ["sk-key1", "sk-key2"]);
    assert_eq!(plan.target.keys.source.as_deref(), Some("apiKeys.txt (2 keys)"));
}

#[test]
fn the_ladder_and_the_folder_are_chosen_from_the_command_line() {
    let layers = Layers {
        stages: Some(vec![1, 2, 4]),
        out: Some(PathBuf::from("/tmp/elsewhere")),
        lang: Some(Language::Chinese),
        seed: Some(9),
        environment: environment(&[("RUNGS_TARGET__PORT", "9443"), ("RUNGS_REPORT__QUIET", "true")]),
        ..Layers::default()
    };
    let plan = seed(&layers);
    let names: Vec<&str> = plan.load.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["c1", "c2", "c4"]);
    assert_eq!(plan.outputs.html, Some(PathBuf::from("/tmp/elsewhere/taotoken_sse_test.html")));
    assert_eq!((plan.outputs.dir, plan.outputs.quiet), (PathBuf::from("/tmp/elsewhere"), true));
    assert_eq!((plan.seed, plan.outputs.lang), (9, Some(Language::Chinese)));
    let Server::At(endpoint) = &plan.target.server else { panic!("an address") };
    assert_eq!(endpoint.port, 9443);
}
