//! From a failed request to the lines that help: what `run` says of its preflight and `probe` of its request.

use engine::Clock;
use measure::ErrorClass;
use report::Lang;
use report::diagnosis::{Facts, lines};
use scenario::plan::{Auth, Endpoint, HttpVersion, Plan};

/// Variables that name a proxy.
const PROXY_VARIABLES: [&str; 6] =
    ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// The diagnosis of a failure, a line each. A refused model is looked up on the server's own list.
pub(crate) fn diagnose(plan: &Plan, endpoint: &Endpoint, class: ErrorClass, lang: Lang) -> Vec<String> {
    let target = &plan.target;
    let listed = asks_for_names(class).then(|| listed(plan, endpoint)).flatten();
    let authorization = target.headers.iter().find(|header| header.name == "authorization");
    let sends_key = target.auth != Auth::None && !target.keys.values.is_empty();
    let url = target.url();
    lines(
        &Facts {
            class: Some(class),
            url: &url,
            authorization: authorization.map(|header| header.value.expose()),
            model: target.model.as_deref(),
            listed: listed.as_deref(),
            proxy: target.proxy.as_ref().map(|proxy| (proxy.shown(), proxy.source.as_str())),
            idle_proxy: target.proxy.is_none().then(idle_proxy).flatten(),
            key_source: target.keys.source.as_deref().filter(|_| sends_key),
            key_withheld: target.auth == Auth::None
                && !target.keys.values.is_empty()
                && authorization.is_none(),
            http2: target.http == HttpVersion::Two,
        },
        lang,
    )
}

/// Whether the failure may come from a model's name.
fn asks_for_names(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::NotFound | ErrorClass::BadRequest | ErrorClass::Forbidden)
}

fn listed(plan: &Plan, endpoint: &Endpoint) -> Option<Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(engine::models(plan, endpoint, Clock::start())).ok().flatten()
}

fn idle_proxy() -> Option<&'static str> {
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    PROXY_VARIABLES.iter().find(is_set).copied()
}
