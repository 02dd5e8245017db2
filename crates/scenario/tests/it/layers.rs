//! What lies over what, and what the result is told about it.

use std::path::PathBuf;
use std::time::Duration;

use scenario::Layers;
use scenario::plan::{Samples, Server, StageEnd, ThinkTime, WarmUp, Work};

use crate::folder::{Folder, environment, on_mock, set};

const TWO_PROFILES: &str = r#"
[target]
base_url = "https://file.example/v1"
model = "file"
[target.timeouts]
connect = "3s"
[load]
stages = [1]
stage_duration = "10s"
[profile.ci]
target = { model_name = "profile", provider = "CI" }
load = { stages = [1, 2] }
[profile.nightly.target]
api_key = "${NOT_SET_ANYWHERE}"
"#;

#[test]
fn each_layer_wins_over_the_weaker_ones() {
    let folder = Folder::new().with("config.toml", TWO_PROFILES);
    let model = |layers: &Layers| folder.load(layers).unwrap().target.model.unwrap();
    let mut layers = Layers::default();
    assert_eq!(model(&layers), "file");
    layers.profile = Some("ci".into());
    assert_eq!(model(&layers), "profile");
    layers.environment = environment(&[("RUNGS_TARGET__MODEL", "variable")]);
    assert_eq!(model(&layers), "variable");
    layers.set = vec!["target.model=first".into(), "target.model_name=set".into()];
    assert_eq!(model(&layers), "set");
    let plan = folder.load(&layers).unwrap();
    assert_eq!(plan.target.provider.as_deref(), Some("CI"));
    assert_eq!(plan.target.timeouts.connect, Duration::from_secs(3));
    assert_eq!(plan.load.stages.len(), 2);
}

#[test]
fn every_override_is_told_with_its_source_and_whether_it_changes_the_workload() {
    let folder = Folder::new().with("config.toml", TWO_PROFILES);
    let layers = Layers {
        profile: Some("ci".into()),
        environment: environment(&[("RUNGS_REPORT__LANG", "zh")]),
        set: vec!["data.query=hi".into(), "target.headers.X-Api-Key=secret".into()],
        stages: Some(vec![3]),
        seed: Some(5),
        ..Layers::default()
    };
    let plan = folder.load(&layers).unwrap();
    let told: Vec<String> = plan
        .fingerprint
        .overrides
        .iter()
        .map(|over| format!("{} = {} ({}) {}", over.key, over.value, over.source, over.changes_workload))
        .collect();
    assert_eq!(
        told,
        [
            "target.model = \"profile\" (profile ci) false",
            "target.provider = \"CI\" (profile ci) false",
            "report.lang = \"zh\" (RUNGS_REPORT__LANG) false",
            "data.query = \"hi\" (--set) true",
            "target.headers.X-Api-Key = \"***\" (--set) false",
            "load.stages = [3] (--stages) true",
            "data.seed = 5 (--seed) false",
        ]
    );
}

#[test]
fn a_stronger_layer_says_a_thing_in_its_own_way() {
    let base = "[target]\nbase_url = \"https://h/v1\"\napi_key = \"sk-file\"\n[load]\nthreads = 5\nduration = 0\nramp_up = 5\n[data]\nquery = \"q\"\n";
    let folder = Folder::new().with("config.toml", base).with("q.txt", "one\ntwo\n");
    let layers = Layers {
        stages: Some(vec![2, 3]),
        set: ["target.port=8080", "target.api_key_env=KEY", "load.spawn_rate=2", "data.queries=q.txt"]
            .map(str::to_owned)
            .into(),
        environment: environment(&[("KEY", "sk-variable")]),
        ..Layers::default()
    };
    let plan = folder.load(&layers).unwrap();
    assert_eq!(plan.target.url(), "http://localhost:8080/v1/chat/completions");
    assert_eq!(plan.target.keys.values[0].expose(), "sk-variable");
    assert_eq!(plan.load.stages[1].end, StageEnd::OnePerUser);
    assert_eq!(plan.load.stages[1].ramp_up(), Duration::from_millis(1500));
    assert_eq!(plan.bodies.rows(), 2);
}

#[test]
fn texts_from_outside_are_taken_for_what_the_key_wants() {
    let plan = on_mock("").load(&set(&[
        "target.model=7",
        "name=true",
        "report.reading_speed=12",
        "load.stage_requests=0x10",
    ]));
    let plan = plan.unwrap();
    assert_eq!((plan.target.model.as_deref(), plan.name.as_str()), (Some("7"), "true"));
    assert_eq!((plan.outputs.reading_speed, plan.load.stages[0].end), (12.0, StageEnd::Requests(16)));
    let folder = Folder::new().with(
        "config.toml",
        "[target]\nhost = \"h\"\nport = \"${PORT}\"\ntimeout = \"${LIMIT:-20s}\"\n[load]\nstages = [1]\nstage_requests = \"${N}\"\n",
    );
    let environment = environment(&[("PORT", "8443"), ("N", "30")]);
    let plan = folder.load(&Layers { environment, ..Layers::default() }).unwrap();
    let Server::At(endpoint) = &plan.target.server else { panic!("an address") };
    assert_eq!((endpoint.port, plan.load.stages[0].end), (8443, StageEnd::Requests(30)));
    assert_eq!(plan.target.timeouts.idle, Duration::from_secs(20));
}

#[test]
fn what_the_file_leaves_out_has_its_documented_default() {
    let plan = on_mock("").load(&Layers::default()).unwrap();
    let timeouts = plan.target.timeouts;
    assert_eq!(
        (timeouts.connect.as_secs(), timeouts.first_token.as_secs(), timeouts.idle.as_secs()),
        (10, 60, 60)
    );
    assert_eq!((timeouts.stall, timeouts.total), (None, None));
    assert_eq!((plan.load.drain_timeout.as_secs(), plan.load.cool_down.as_secs()), (60, 0));
    assert!(plan.load.preflight && plan.target.keep_alive && !plan.outputs.quiet);
    assert_eq!((plan.target.max_event_size, plan.seed, plan.name.as_str()), (16 << 20, 1, "config"));
    assert_eq!(plan.target.request_id_header, "x-request-id");
    assert!(plan.outputs.dir.ends_with("report"));
    assert_eq!((plan.outputs.stall_after.as_millis(), plan.outputs.reading_speed), (500, 10.0));
}

#[test]
fn samples_go_beside_the_result_into_a_file_or_nowhere() {
    let samples = |value: &str| {
        let folder = on_mock(&format!("[report]\nsamples = {value}\n"));
        folder.load(&Layers::default()).map(|plan| plan.outputs.samples)
    };
    assert_eq!(on_mock("").load(&Layers::default()).unwrap().outputs.samples, Samples::Beside);
    let rows = [("true", Samples::Beside), ("\"true\"", Samples::Beside), ("false", Samples::Off)];
    for (value, expected) in rows {
        assert_eq!(samples(value).unwrap(), expected, "{value}");
    }
    let Samples::At(path) = samples("\"deep/s.ndjson.gz\"").unwrap() else { panic!() };
    assert!(path.ends_with("deep/s.ndjson.gz"), "{}", path.display());
    for wrong in ["1", "[]", "\"..\""] {
        assert!(samples(wrong).is_err(), "{wrong}");
    }
    let layers =
        Layers { out: Some("out".into()), ..set(&["report.samples=deep/s.gz", "report.csv=deep/t.csv"]) };
    let outputs = on_mock("").load(&layers).unwrap().outputs;
    assert_eq!(outputs.samples, Samples::At("out/s.gz".into()));
    assert_eq!((outputs.csv, outputs.junit), (Some("out/t.csv".into()), None));
}

#[test]
fn the_drain_lasts_as_long_as_the_longest_timeout() {
    let folder = on_mock("");
    let drain = |assignment: &str| folder.load(&set(&[assignment])).unwrap().load.drain_timeout.as_secs();
    assert_eq!(drain("target.timeout=5s"), 5);
    assert_eq!(drain("target.timeouts.total=90s"), 90);
    assert_eq!(drain("load.drain_timeout=1s"), 1);
}

#[test]
fn stages_take_their_defaults_from_load_and_names_of_their_own() {
    let folder = Folder::new().with(
        "config.toml",
        r#"
[target]
base_url = "mock://"
[load]
duration = "20s"
ramp_up = "2s"
think_time = "50ms..200ms"
warm_up = { duration = "3s" }
[[load.stage]]
concurrency = 5
[[load.stage]]
concurrency = 5
requests = 50
ramp_up = 0
think_time = "1s"
[[load.stage]]
name = "peak"
concurrency = 9
"#,
    );
    let plan = folder.load(&Layers::default()).unwrap();
    let names: Vec<&str> = plan.load.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["c5", "c5-2", "peak"]);
    let [first, second, third] = plan.load.stages.as_slice() else { panic!("three stages") };
    assert_eq!((first.end, second.end), (StageEnd::After(Duration::from_secs(20)), StageEnd::Requests(50)));
    assert_eq!((second.ramp_up(), third.ramp_up()), (Duration::ZERO, Duration::from_secs(2)));
    let think_time = ThinkTime { min: Duration::from_millis(50), max: Duration::from_millis(200) };
    assert_eq!(third.work, Work::Users { count: 9, think_time });
    assert_eq!(plan.load.warm_up, Some(WarmUp::For(Duration::from_secs(3))));
}

#[test]
fn out_takes_every_output_under_its_own_name() {
    let folder = on_mock("[report]\njson = \"deep/run.json\"\nhtml = \"page.html\"\n");
    let plan = folder.load(&Layers { out: Some("elsewhere".into()), ..Layers::default() }).unwrap();
    assert_eq!(plan.outputs.dir, PathBuf::from("elsewhere"));
    assert_eq!(plan.outputs.json, Some(PathBuf::from("elsewhere/run.json")));
    assert_eq!(plan.outputs.html, Some(PathBuf::from("elsewhere/page.html")));
    let plan = folder.load(&Layers::default()).unwrap();
    assert_eq!(plan.outputs.json, Some(folder.path().join("deep/run.json")));
}

#[test]
fn what_is_about_to_happen_is_said_in_five_lines() {
    let folder = Folder::new().with(
        "config.toml",
        "[target]\nbase_url = \"https://h/api?key=sk-SENTINEL123\"\nprovider = \"H\"\nmodel = \"m\"\napi_key_env = \"KEY\"\n\
         [load]\nstages = [1, 5]\nstage_duration = \"60s\"\nramp_up = \"5s\"\ncool_down = \"10s\"\n[data]\nquery = \"q\"\n",
    );
    let layers = Layers { environment: environment(&[("KEY", "sk-SENTINEL")]), ..Layers::default() };
    let plan = folder.load(&layers).unwrap();
    assert_eq!(
        scenario::plan::describe(&plan),
        [
            "target  https://h/api/chat/completions?key=*** (H)",
            "api     openai-chat, model m, streaming",
            "key     *** from the variable KEY",
            "ladder  1 -> 5 users, 1 prompt",
            "time    2 min 20 s, at most 5 min 20 s",
        ]
    );
}
