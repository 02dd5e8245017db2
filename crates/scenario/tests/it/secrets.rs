//! Keys and headers: what is sent, what is masked, what never shows.

use scenario::plan::{Auth, Header};
use scenario::{Layers, Plan};

use crate::folder::{Folder, environment};

fn plan(target: &str) -> Plan {
    let text = format!(
        "[target]\nbase_url = \"https://h/v1\"\nmodel = \"m\"\n{target}\n[load]\nstages = [1]\nstage_requests = 5\n[data]\nquery = \"q\"\n"
    );
    let environment = environment(&[("KEY", "Bearer sk-SENTINEL\n"), ("TEAM", "SENTINEL-team")]);
    Folder::new().with("config.toml", text).load(&Layers { environment, ..Layers::default() }).unwrap()
}

fn header<'a>(plan: &'a Plan, name: &str) -> Option<&'a Header> {
    plan.target.headers.iter().find(|header| header.name == name)
}

#[test]
fn a_key_is_bare_wherever_it_came_from() {
    for way in ["api_key = \"${KEY}\"", "api_key_env = \"KEY\"", "api_key = \"bearer sk-SENTINEL\""] {
        let plan = plan(way);
        assert_eq!(plan.target.keys.values[0].expose(), "sk-SENTINEL", "{way}");
        assert_eq!(plan.target.auth, Auth::Bearer);
    }
    assert_eq!(plan("api_key = \"${KEY}\"").target.keys.source.as_deref(), Some("the variable KEY"));
}

#[test]
fn no_auth_means_no_header_at_all() {
    let with_key = plan("auth = \"none\"\napi_key_env = \"KEY\"");
    assert_eq!(with_key.target.auth, Auth::None);
    assert_eq!(with_key.notices, ["`auth = \"none\"`: the configured key is not sent"]);
    let without = plan("");
    assert!(without.target.keys.values.is_empty());
    assert!(without.notices.contains(&"no key is configured: requests carry no auth header".to_owned()));
}

#[test]
fn an_explicit_header_takes_the_place_of_the_generated_one() {
    let plan = plan(
        "api_key_env = \"KEY\"\nheaders = { AUTHORIZATION = \"Bearer z\", Content-type = \"application/json; charset=utf-8\", X-Team = \"${TEAM}\", X-Plain = \"p\" }",
    );
    let names: Vec<&str> = plan.target.headers.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(
        names,
        ["content-type", "accept", "accept-encoding", "user-agent", "authorization", "x-team", "x-plain"]
    );
    assert_eq!(header(&plan, "content-type").unwrap().value.expose(), "application/json; charset=utf-8");
    assert_eq!(plan.target.auth, Auth::None);
    let masked: Vec<bool> =
        ["authorization", "x-team", "x-plain"].map(|name| header(&plan, name).unwrap().masked).into();
    assert_eq!(masked, [true, true, false]);
    assert_eq!(plan.notices.iter().filter(|notice| notice.contains("the scenario's own")).count(), 2);
}

#[test]
fn user_info_becomes_a_basic_header_and_is_not_shown() {
    let text = "[target]\nbase_url = \"https://me:SENTINEL@h/v1?key=SENTINELKEY\"\n[load]\nstages = [1]\nstage_requests = 5\n";
    let plan = Folder::new().with("config.toml", text).load(&Layers::default()).unwrap();
    assert_eq!(header(&plan, "authorization").unwrap().value.expose(), "Basic bWU6U0VOVElORUw=");
    assert_eq!(plan.target.auth, Auth::None);
    assert_eq!(plan.target.base_url, "https://h/v1?key=***");
    assert_eq!(plan.target.url(), "https://h/v1/chat/completions?key=***");
    let secrets: Vec<String> =
        plan.target.secrets().iter().map(|secret| secret.expose().to_owned()).collect();
    assert_eq!(
        secrets,
        ["Basic bWU6U0VOVElORUw=", "bWU6U0VOVElORUw=", "me:SENTINEL", "SENTINEL", "SENTINELKEY"]
    );
}

#[test]
fn a_plan_does_not_print_its_secrets() {
    let plan = plan("api_key_env = \"KEY\"\nheaders = { X-Team = \"${TEAM}\" }");
    assert!(!format!("{plan:?}").contains("SENTINEL"));
}
