//! One request, told step by step; and the server's own list of models, to say what a refused name should have been.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Method, Request};
use measure::sample::Attempt;
use scenario::plan::{Endpoint, Plan};
use serde_json::Value;
use tokio::task::LocalSet;
use tokio::time::timeout;
use uuid::Uuid;

use crate::attempt::Log;
use crate::caller::{Caller, Message};
use crate::guard::Guard;
use crate::trace::{Listener, Trace};
use crate::transport::{Lines, Reuse, Sent, Taken};
use crate::{Clock, EngineError};

/// Sends the first request of a plan and tells every step to `listener` as it happens.
///
/// # Errors
/// Only when this program or machine cannot do its job; whatever the server does is in the attempt.
pub async fn probe(
    plan: &Plan,
    endpoint: &Endpoint,
    clock: Clock,
    listener: Listener,
) -> Result<Attempt, EngineError> {
    let caller = Caller::new(&plan.target, endpoint, clock)?;
    let request_id = Uuid::new_v4().to_string();
    let body = plan.bodies.body(0, &request_id).unwrap_or_default();
    let message = Message { body, key: (caller.keys() > 0).then_some(0), request_id: request_id.clone() };
    let mut log = Log { trace: Trace::to(listener, clock), ..Log::default() };
    // Connections that are shared are driven by tasks of this thread.
    let lines = Lines::default();
    let ended = LocalSet::new().run_until(caller.attempt(&lines, &mut None, &message, &mut log)).await;
    Ok(log.into_attempt(request_id, ended, clock.now(), &caller.mask))
}

/// The list is waited for so long, and no more of it is read than this.
const LIST_WITHIN: Duration = Duration::from_secs(5);
const LIST_SIZE: usize = 4 << 20;

/// The names on the server's list of models; `None` where the api has no list, or the server gives none.
///
/// # Errors
/// As [`probe`].
pub async fn models(
    plan: &Plan,
    endpoint: &Endpoint,
    clock: Clock,
) -> Result<Option<Vec<String>>, EngineError> {
    let Some(path) = list_path(plan, endpoint) else { return Ok(None) };
    let caller = Caller::new(&plan.target, &Endpoint { path, ..endpoint.clone() }, clock)?;
    let listed = LocalSet::new().run_until(timeout(LIST_WITHIN, ask(&caller))).await;
    let names = listed.ok().flatten().and_then(|body| names(&body));
    Ok(names.map(|names| names.iter().map(|name| caller.mask.apply(name)).collect()))
}

async fn ask(caller: &Caller) -> Option<Bytes> {
    let (lines, trace) = (Lines::default(), Trace::default());
    let taken = lines.take(&caller.dial, Reuse::Never, &trace).await.ok()?;
    let mut link = match taken {
        Taken::Fresh(link) | Taken::Reused(link) => link,
    };
    let key = (caller.keys() > 0).then_some(0);
    let message = Message { body: Bytes::new(), key, request_id: Uuid::new_v4().to_string() };
    let mut request: Request<Full<Bytes>> = caller.request(&message, link.spoken());
    *request.method_mut() = Method::GET;
    let mut guard = Guard::new(caller.clock, caller.timeouts);
    let Sent::Head(response) = link.send(request, &mut guard).await else { return None };
    if !response.status().is_success() {
        return None;
    }
    let body = Limited::new(response.into_body(), LIST_SIZE).collect();
    link.drive(body, &mut guard).await.ok()?.ok().map(http_body_util::Collected::to_bytes)
}

/// Beside the api's own path: `/v1/chat/completions` -> `/v1/models`.
fn list_path(plan: &Plan, endpoint: &Endpoint) -> Option<String> {
    let list = plan.target.api.model_list()?;
    let (path, query) = endpoint.path.split_once('?').map_or((endpoint.path.as_str(), ""), |both| both);
    let base = plan.target.api.paths().iter().find_map(|own| path.strip_suffix(own))?;
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    Some(format!("{base}{list}{query}"))
}

/// `{"data": [{"id": ..}]}` as OpenAI and Anthropic give it, `{"models": [{"name": ..}]}` as Ollama does; some give both, or
/// both names. An entry without a name is left out.
fn names(body: &[u8]) -> Option<Vec<String>> {
    let list: Value = serde_json::from_slice(body).ok()?;
    let entries = ["data", "models"].into_iter().filter_map(|key| list.get(key)?.as_array()).flatten();
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for entry in entries {
        let name = ["id", "name", "model"].into_iter().find_map(|key| entry.get(key)?.as_str());
        names.extend(name.filter(|name| seen.insert(*name)).map(str::to_owned));
    }
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn every_form_of_a_list_is_read_entry_by_entry_and_anything_else_is_none() {
        let expected = Some(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(names(br#"{"object":"list","data":[{"id":"a","object":"model"},{"id":"b"}]}"#), expected);
        assert_eq!(names(br#"{"models":[{"name":"a","size":1},{"name":"b"}]}"#), expected);
        let both = br#"{"data":[{"id":"a","name":"The A"},{"id":7},null,{"id":"b"}],"models":[{"name":"a","model":"a"}]}"#;
        assert_eq!(names(both), expected);
        for other in [&b"<html>"[..], b"{}", b"[]", br#"{"data":[1]}"#] {
            assert_eq!(names(other), None);
        }
    }
}
