//! What is about to happen, in one line each, said before the first request.

use super::describe_load::describe_load;
use super::describe_time::describe_time;
use super::price::describe_bound;
use super::{HttpVersion, Plan, Server};

/// The lines that `run` prints before its first request: address, api and model, key and where it came from (of an A/B
/// run for each side), the ladder, its time at most, and what it can send and cost at most where that is bounded. A wrong variable shows here first.
pub fn describe(plan: &Plan) -> Vec<String> {
    let mut lines = match plan.of_b() {
        None => side(plan, "").to_vec(),
        Some(b) => [side(plan, "A: "), side(&b, "B: ")].concat(),
    };
    lines.extend([describe_load(plan), describe_time(plan)]);
    lines.extend(describe_bound(plan));
    lines
}

/// Where requests go, how, and who asks; `whom` names the side.
fn side(plan: &Plan, whom: &str) -> [String; 3] {
    [
        format!("target  {whom}{}", address(plan)),
        format!("api     {whom}{}", protocol(plan)),
        format!("key     {whom}{}", key(plan)),
    ]
}

fn address(plan: &Plan) -> String {
    let provider = plan.target.provider.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    match &plan.target.server {
        Server::At(endpoint) => format!("{}{provider}{}", endpoint.url(), way(plan)),
        Server::Mock { settings, path } => format!("the built-in server, {path}{provider} [{settings}]"),
    }
}

/// What lies between, and another HTTP than the usual.
fn way(plan: &Plan) -> String {
    let http = match plan.target.http {
        HttpVersion::One => "",
        HttpVersion::Two => ", HTTP/2",
        HttpVersion::Auto => ", HTTP/2 or HTTP/1.1",
    };
    let proxy = plan.target.proxy.as_ref();
    let proxy = proxy.map(|proxy| format!(", through the proxy {} ({})", proxy.shown(), proxy.source));
    format!("{http}{}", proxy.unwrap_or_default())
}

fn protocol(plan: &Plan) -> String {
    let model = plan.target.model.as_deref().unwrap_or("none named");
    let stream = if plan.target.stream { "streaming" } else { "not streaming" };
    format!("{}, model {model}, {stream}", plan.target.api.name())
}

fn key(plan: &Plan) -> String {
    match &plan.target.keys.source {
        Some(source) => format!("*** from {source}"),
        None => "none".into(),
    }
}
