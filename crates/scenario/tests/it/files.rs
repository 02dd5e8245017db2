//! Every scenario of the project loads as it is committed.

use std::path::{Path, PathBuf};

use scenario::plan::{Api, Server, StageEnd};
use scenario::{Layers, Plan, load};

use crate::folder::environment;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn loaded(path: &str) -> Plan {
    let keys = [
        ("TAOTOKEN_API_KEY", "sk-x"),
        ("ANTHROPIC_API_KEY", "sk-ant-x"),
        ("DIFY_API_KEY", "app-x"),
        ("OPENAI_API_KEY", "sk-x"),
        ("CUSTOM_API_KEY", "app-x"),
    ];
    let layers = Layers { environment: environment(&keys), ..Layers::default() };
    match load(&root().join(path), &layers) {
        Ok(scenario) => scenario.plan(),
        Err(problems) => panic!("{problems}"),
    }
}

#[test]
fn the_committed_ladder_needs_no_key_and_no_server_and_says_nothing_odd() {
    let plan = loaded("perf/config.toml");
    assert!(matches!(plan.target.server, Server::Mock { .. }));
    let users: Vec<u32> = plan.load.stages.iter().filter_map(|stage| stage.level().users()).collect();
    assert_eq!(users, [1, 5, 20, 50, 100]);
    assert!(plan.time_planned().unwrap().as_secs() < 60);
    assert_eq!(plan.bodies.rows(), 12);
    assert_eq!(plan.notices, Vec::<String>::new());
    assert!(!plan.gate.rules.is_empty());
}

#[test]
fn every_scenario_of_the_folder_loads() {
    let folder = root().join("scenarios");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    assert!(names.len() >= 16, "{names:?}");
    for name in names {
        let plan = loaded(&format!("scenarios/{name}"));
        assert!(!plan.load.stages.is_empty(), "{name}");
        assert_eq!(plan.notices, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn the_scenarios_are_what_their_names_say() {
    assert_eq!(loaded("scenarios/anthropic.toml").target.api, Api::AnthropicMessages);
    assert_eq!(loaded("scenarios/dify.toml").target.api, Api::DifyChat);
    assert_eq!(loaded("scenarios/completions.toml").target.api, Api::OpenAiCompletions);
    assert_eq!(loaded("scenarios/responses.toml").target.api, Api::OpenAiResponses);
    assert_eq!(loaded("scenarios/ollama.toml").target.api, Api::OllamaChat);
    assert!(loaded("scenarios/custom.toml").target.response.is_some());
    assert!(!loaded("scenarios/non-streaming.toml").target.stream);
    assert!(loaded("scenarios/a-b.toml").against.is_some());
    assert_eq!(loaded("scenarios/smoke.toml").load.stages[0].end, StageEnd::Requests(5));
    assert_eq!(loaded("scenarios/soak.toml").load.stages.len(), 1);
    assert_eq!(loaded("scenarios/older-form.toml").load.stages[0].name, "c5");
    assert_eq!(loaded("scenarios/trace-replay.toml").load.stages[0].requests(), Some(60));
    let rates: Vec<f64> = loaded("scenarios/open-loop.toml")
        .load
        .stages
        .iter()
        .filter_map(|stage| stage.level().rate())
        .collect();
    assert_eq!(rates, [5.0, 20.0, 35.0]);
}
