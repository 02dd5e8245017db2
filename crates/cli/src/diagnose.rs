//! From a failed request to the lines that help: what `run` says of its preflight and `probe` of its request.

use engine::Clock;
use measure::ErrorClass;
use measure::sample::Attempt;
use report::Lang;
use report::diagnosis::{Facts, advice, found};
use scenario::plan::{Auth, Endpoint, HttpVersion, Plan};

/// Variables that name a proxy.
const PROXY_VARIABLES: [&str; 6] =
    ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// A failed request.
pub(crate) struct Failure<'a> {
    pub(crate) class: ErrorClass,
    /// The server's code, if it gave one.
    pub(crate) code: Option<&'a str>,
    /// The server's words.
    pub(crate) message: &'a str,
}

impl<'a> Failure<'a> {
    /// As an attempt has it.
    pub(crate) fn of(class: ErrorClass, attempt: &'a Attempt) -> Self {
        let error = attempt.error.as_ref();
        Self {
            class,
            code: error.and_then(|error| error.code.as_deref()),
            message: error.map_or("", |error| &error.message),
        }
    }
}

/// What can be said of a failure.
#[derive(Debug, Default)]
pub(crate) struct Diagnosis {
    /// What stands out, a sentence each: it belongs to the result.
    pub(crate) found: Vec<String>,
    /// What to do about it, a line each: for the screen.
    pub(crate) advice: Vec<String>,
}

/// The diagnosis of a failure. A refused model is looked up on the server's own list.
pub(crate) fn diagnose(plan: &Plan, endpoint: &Endpoint, failure: &Failure<'_>, lang: Lang) -> Diagnosis {
    let target = &plan.target;
    let class = failure.class;
    let asks = asks_for_names(failure, target.model.as_deref());
    let listed = asks.then(|| listed(plan, endpoint)).flatten();
    let authorization = target.headers.iter().find(|header| header.name == "authorization");
    let sends_key = target.auth != Auth::None && !target.keys.values.is_empty();
    let url = target.url();
    let facts = Facts {
        class: Some(class),
        url: &url,
        authorization: authorization.map(|header| header.value.expose()),
        model: target.model.as_deref(),
        listed: listed.as_deref(),
        proxy: target.proxy.as_ref().map(|proxy| (proxy.shown(), proxy.source.as_str())),
        idle_proxy: target.proxy.is_none().then(idle_proxy).flatten(),
        key_source: target.keys.source.as_deref().filter(|_| sends_key),
        key_withheld: target.auth == Auth::None && !target.keys.values.is_empty() && authorization.is_none(),
        http2: target.http == HttpVersion::Two,
    };
    Diagnosis { found: found(&facts, lang), advice: advice(&facts, lang) }
}

/// Whether the failure may come from a model's name: by its status, by its code, or because its words name the model
/// where they do not speak of the load on it.
fn asks_for_names(failure: &Failure<'_>, model: Option<&str>) -> bool {
    let by_code = failure.code.is_some_and(|code| code.to_ascii_lowercase().contains("model"));
    let by_words = model.is_some_and(|model| !model.is_empty() && failure.message.contains(model));
    match failure.class {
        ErrorClass::NotFound | ErrorClass::BadRequest | ErrorClass::Forbidden => true,
        ErrorClass::ServerError | ErrorClass::InbandError | ErrorClass::GenerationError => {
            by_code || by_words
        }
        _ => by_code,
    }
}

fn listed(plan: &Plan, endpoint: &Endpoint) -> Option<Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    runtime.block_on(engine::models(plan, endpoint, Clock::start())).ok().flatten()
}

fn idle_proxy() -> Option<&'static str> {
    let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    PROXY_VARIABLES.iter().find(is_set).copied()
}
