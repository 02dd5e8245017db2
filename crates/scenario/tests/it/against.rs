//! A/B runs: what B takes from A and what never, how it is said, and what both sides take together.

use std::time::Duration;

use scenario::plan::{Auth, Side, describe};
use scenario::{Layers, Plan};

use crate::folder::{Folder, environment, set};

const LOAD: &str = "[load]\nstages = [1, 5]\nstage_duration = \"60s\"\ndrain_timeout = \"60s\"\n";

fn folder(target: &str, b: &str, rest: &str) -> Folder {
    let data = if rest.contains("[data]") { "" } else { "[data]\nquery = \"hi\"\n" };
    let text = format!("[target]\n{target}\n[target.b]\n{b}\n{LOAD}{data}{rest}");
    Folder::new().with("config.toml", text)
}

fn keys() -> Layers {
    let environment = environment(&[("KEY_A", "sk-SENTINEL-A"), ("KEY_B", "sk-SENTINEL-B")]);
    Layers { environment, ..Layers::default() }
}

fn loaded(target: &str, b: &str) -> Plan {
    folder(target, b, "").load(&keys()).unwrap()
}

fn b(plan: &Plan) -> &Side {
    plan.against.as_ref().unwrap()
}

const GATEWAY: &str = "base_url = \"https://gateway.example/v1\"\nmodel = \"chat\"\napi_key_env = \"KEY_A\"\n\
                       headers = { X-Team = \"red\" }\ntimeouts = { idle = \"5s\", connect = \"3s\" }";

#[test]
fn what_b_does_not_say_is_as_in_a() {
    let plan = loaded(GATEWAY, "model = \"chat-2\"\ntimeouts = { idle = \"9s\" }");
    let (a, b) = (&plan.target, &b(&plan).target);
    assert_eq!((a.model.as_deref(), b.model.as_deref()), (Some("chat"), Some("chat-2")));
    assert_eq!((a.url(), &a.keys), (b.url(), &b.keys));
    assert_eq!((a.timeouts.idle.as_secs(), b.timeouts.idle.as_secs()), (5, 9));
    assert_eq!(b.timeouts.connect.as_secs(), 3);
    let team = b.headers.iter().find(|header| header.name == "x-team");
    assert_eq!(team.map(|header| header.value.expose()), Some("red"));
}

#[test]
fn without_a_table_of_b_a_run_has_one_side() {
    let text = format!("[target]\n{GATEWAY}\n{LOAD}");
    let plan = Folder::new().with("config.toml", text).load(&keys()).unwrap();
    assert!(plan.against.is_none() && plan.of_b().is_none());
}

#[test]
fn an_address_of_its_own_displaces_every_part_of_a_s() {
    let own = "auth = \"none\"\nhost = \"127.0.0.1\"\nport = 9000";
    assert_eq!(b(&loaded(GATEWAY, own)).target.url(), "http://127.0.0.1:9000/v1/chat/completions");
    let in_parts = "host = \"gateway.example\"\nport = 8443\nscheme = \"https\"";
    let plan = loaded(in_parts, "base_url = \"http://model.example/v1\"");
    assert_eq!(b(&plan).target.url(), "http://model.example/v1/chat/completions");
}

#[test]
fn a_key_of_its_own_displaces_a_s_in_whatever_way_it_is_said() {
    let elsewhere = "base_url = \"https://model.example/v1\"";
    for own in ["api_key_env = \"KEY_B\"", "api_key = \"${KEY_B}\""] {
        let plan = loaded(GATEWAY, &format!("{elsewhere}\n{own}"));
        assert_eq!(plan.target.keys.values[0].expose(), "sk-SENTINEL-A");
        let keys = &b(&plan).target.keys;
        assert_eq!((keys.values.len(), keys.values[0].expose()), (1, "sk-SENTINEL-B"), "{own}");
    }
    let with_header = format!("{elsewhere}\nheaders = {{ Authorization = \"Bearer ${{KEY_B}}\" }}");
    let target = &b(&loaded(GATEWAY, &with_header)).target.clone();
    assert!(target.keys.values.is_empty());
    assert_eq!(target.auth, Auth::None);
}

#[test]
fn nothing_secret_of_a_goes_to_another_host() {
    let secrets =
        "base_url = \"https://gateway.example/v1\"\nheaders = { X-Team = \"${KEY_A}\", X-Plain = \"p\" }";
    let elsewhere = "base_url = \"https://model.example/v1\"";
    assert_eq!(folder(secrets, elsewhere, "").load(&keys()).unwrap_err().count(), 1);
    let plan = loaded(secrets, &format!("{elsewhere}\nauth = \"none\""));
    let names: Vec<&str> = b(&plan).target.headers.iter().map(|header| header.name.as_str()).collect();
    assert!(names.contains(&"x-plain") && !names.contains(&"x-team"), "{names:?}");
    let with_key_file = folder(
        &format!("{elsewhere}\n"),
        "base_url = \"https://other.example\"",
        "[data]\napi_key_file = \"keys.txt\"\n",
    );
    let refused = with_key_file.with("keys.txt", "sk-SENTINEL-F\n").load(&keys()).unwrap_err();
    assert!(
        refused.to_string().contains("the key from keys.txt (1 key) is for `model.example`"),
        "{refused}"
    );
}

#[test]
fn the_name_of_a_s_host_is_not_asked_of_another() {
    let named = "base_url = \"https://10.0.0.1/v1\"\ntls = { server_name = \"gateway.example\" }";
    let name = |own: &str| b(&loaded(named, own)).target.tls.server_name.clone();
    assert_eq!(name("model = \"other\"").as_deref(), Some("gateway.example"));
    assert_eq!(name("base_url = \"https://10.0.0.2/v1\""), None);
    let own = "base_url = \"https://10.0.0.2/v1\"\ntls = { server_name = \"model.example\" }";
    assert_eq!(name(own).as_deref(), Some("model.example"));
}

#[test]
fn a_host_that_a_already_trusts_needs_no_second_key() {
    let rows = [
        ("https://gateway.example/v1", "base_url = \"https://GATEWAY.example:8443/v1\""),
        ("http://127.0.0.1:8000/v1", "base_url = \"http://localhost:9000/v1\""),
        ("https://gateway.example/v1", "base_url = \"mock://\""),
    ];
    for (at, own) in rows {
        let plan = loaded(&format!("base_url = \"{at}\"\napi_key_env = \"KEY_A\""), own);
        assert_eq!(b(&plan).target.keys, plan.target.keys, "{own}");
    }
}

#[test]
fn each_side_masks_what_both_must_not_show() {
    let own = "base_url = \"https://model.example/v1\"\napi_key_env = \"KEY_B\"";
    let plan = loaded(GATEWAY, own);
    for target in [&plan.target, &b(&plan).target] {
        let secrets: Vec<String> = target.secrets().iter().map(|secret| secret.expose().to_owned()).collect();
        for key in ["sk-SENTINEL-A", "sk-SENTINEL-B"] {
            assert!(secrets.contains(&key.to_owned()), "{key}");
        }
    }
    assert!(!format!("{plan:?}").contains("SENTINEL"));
}

#[test]
fn another_api_has_its_own_path_body_and_way_to_show_the_key() {
    let plan = loaded(GATEWAY, "api = \"anthropic-messages\"");
    let side = b(&plan);
    assert_eq!(side.target.url(), "https://gateway.example/v1/messages");
    assert_eq!(side.target.auth, Auth::XApiKey);
    assert!(side.target.headers.iter().any(|header| header.name == "anthropic-version"));
    let body = String::from_utf8(side.bodies.sample().to_vec()).unwrap();
    assert!(body.contains("max_tokens") && !body.contains("stream_options"), "{body}");
    assert_eq!(plan.notices, Vec::<String>::new());
    let by_path = loaded("base_url = \"mock://\"", "base_url = \"http://127.0.0.1:9/v1/messages\"");
    assert_eq!(b(&by_path).target.api.name(), "anthropic-messages");
}

#[test]
fn an_explicit_body_goes_to_both_and_that_is_said_where_they_speak_otherwise() {
    let body = "[data]\nquery = \"hi\"\nbody = { messages = [{ role = \"user\", content = \"<query> of <model>\" }] }\n";
    let same = folder(GATEWAY, "model = \"chat-2\"", body).load(&keys()).unwrap();
    assert_eq!(same.notices, Vec::<String>::new());
    let sent = String::from_utf8(b(&same).bodies.sample().to_vec()).unwrap();
    assert!(sent.contains("hi of chat-2"), "{sent}");
    let other = folder(GATEWAY, "api = \"ollama-chat\"\nbase_url = \"https://gateway.example\"", body);
    assert_eq!(
        other.load(&keys()).unwrap().notices,
        ["the body of [data] is sent to both sides, and A speaks `openai-chat`, B `ollama-chat`"]
    );
}

#[test]
fn both_sides_send_the_same_rows_in_the_same_order() {
    let rest = "[data]\nqueries = [\"one\", \"two\", \"three\"]\norder = \"shuffle\"\n";
    let plan = folder(GATEWAY, "model = \"chat-2\"", rest).load(&keys()).unwrap();
    for seq in 0..30 {
        assert_eq!(plan.bodies.row(seq), b(&plan).bodies.row(seq));
    }
}

#[test]
fn b_is_said_in_every_layer() {
    let text = format!(
        "[target]\n{GATEWAY}\n{LOAD}[profile.ab.target.b]\nbase_url = \"https://model.example/v1\"\nauth = \"none\"\n"
    );
    let folder = Folder::new().with("config.toml", text);
    let url = |layers: &Layers| b(&folder.load(layers).unwrap()).target.url();
    let mut layers = Layers { profile: Some("ab".into()), ..keys() };
    assert_eq!(url(&layers), "https://model.example/v1/chat/completions");
    layers.environment.insert("RUNGS_TARGET__B__BASE_URL".into(), "https://variable.example".into());
    assert_eq!(url(&layers), "https://variable.example/v1/chat/completions");
    layers.set = vec!["target.b.port=9000".into(), "target.b.api_key=sk-SENTINEL-SET".into()];
    assert_eq!(url(&layers), "http://localhost:9000/v1/chat/completions");
    layers.against = Some("https://last.example/v1".into());
    assert_eq!(url(&layers), "https://last.example/v1/chat/completions");
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
            "target.b.auth = \"none\" (profile ab) false",
            "target.b.api_key = \"***\" (--set) false",
            "target.b.base_url = \"https://last.example/v1\" (--against) false",
        ]
    );
}

#[test]
fn an_empty_table_is_a_run_against_itself_and_says_so() {
    let plan = loaded(GATEWAY, "");
    assert_eq!(plan.notices, ["A and B are the same: whatever differs between them is chance"]);
}

#[test]
fn what_is_found_of_b_alone_is_said_to_be_of_b() {
    let own = "base_url = \"https://model.example/v1\"\nauth = \"bearer\"\ntls = { insecure = true }\napi_key_env = \"KEY_B\"";
    let plan = loaded(GATEWAY, own);
    assert_eq!(plan.notices, ["B: the server's certificate is not checked (`insecure = true`)"]);
}

#[test]
fn the_drain_lasts_as_long_as_the_longest_timeout_of_both() {
    let text = "[target]\nbase_url = \"mock://\"\ntimeout = \"5s\"\n[target.b]\ntimeout = \"7s\"\n[load]\nstages = [1]\nstage_duration = \"10s\"\n";
    let plan = Folder::new().with("config.toml", text).load(&Layers::default()).unwrap();
    assert_eq!(plan.load.drain_timeout, Duration::from_secs(7));
}

#[test]
fn the_blocks_are_the_rounds() {
    let rest = "[gate]\nrepeats = 3\nconfirm = 1\nchecks = [\"success_rate >= 99%\"]\n";
    let plan = folder(GATEWAY, "model = \"chat-2\"", rest).load(&keys()).unwrap();
    assert_eq!((plan.gate.repeats, plan.gate.confirm), (1, 0));
    assert_eq!(
        plan.notices,
        ["repeats", "confirm"].map(|key| format!(
            "`{key}` of [gate] does not apply to an A/B run: its blocks are measured again already"
        ))
    );
}

#[test]
fn both_sides_are_described_and_every_bound_counts_both() {
    let own = "base_url = \"https://model.example/v1?key=SENTINEL0\"\nmodel = \"chat-2\"\napi_key_env = \"KEY_B\"\nprovider = \"Model\"";
    let mut plan = loaded(GATEWAY, own);
    assert_eq!(
        describe(&plan),
        [
            "target  A: https://gateway.example/v1/chat/completions",
            "api     A: openai-chat, model chat, streaming",
            "key     A: *** from the variable KEY_A",
            "target  B: https://model.example/v1/chat/completions?key=*** (Model)",
            "api     B: openai-chat, model chat-2, streaming",
            "key     B: *** from the variable KEY_B",
            "ladder  1 -> 5 users, each stage on A and on B by turns, in 10 blocks on each side, 1 prompt",
            // Two stages on two sides; twenty blocks of each stage and two preflights may drain, and a block may be led in
            // for as long as it lasts.
            "time    4 min, at most 50 min",
        ]
    );
    plan.against = None;
    assert_eq!(describe(&plan).last().unwrap(), "time    2 min, at most 5 min");
}

#[test]
fn a_ramp_before_each_block_is_in_the_time() {
    let time = |assignments: &[&str]| {
        let plan = folder(GATEWAY, "model = \"chat-2\"", "")
            .load(&Layers { environment: keys().environment, ..set(assignments) });
        describe(&plan.unwrap()).into_iter().find(|line| line.starts_with("time")).unwrap()
    };
    assert!(time(&["load.ramp_up=3s"]).starts_with("time    6 min, "));
    assert_eq!(time(&["load.ramp_up=10s"]), "time    10 min 40 s, at most 52 min 40 s");
    assert_eq!(time(&["load.preflight=false"]), "time    4 min, at most 44 min");
    assert!(time(&["load.warm_up={ duration = \"30s\" }"]).starts_with("time    5 min, "));
    assert_eq!(
        time(&["load.stage_requests=20", "load.warm_up={ requests = 4 }"]),
        "time    as long as 80 requests take and 8 requests of warm-up"
    );
}

#[test]
fn load_that_leaves_this_machine_on_any_side_is_known() {
    let rows = [
        ("mock://", "http://127.0.0.1:9/v1", false),
        ("mock://", "http://model.example/v1", true),
        ("http://gateway.example/v1", "http://127.0.0.1:9/v1", true),
    ];
    for (a, own, expected) in rows {
        let plan = loaded(&format!("base_url = \"{a}\""), &format!("base_url = \"{own}\""));
        assert_eq!(plan.leaves_this_machine(), expected, "{a} against {own}");
    }
}
