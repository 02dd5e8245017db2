//! Where a request goes, and the few answers that are not chat.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::chat;
use crate::clock::rfc3339;
use crate::config::Api;
use crate::http::{Connection, Gone, Head, Reply, Request};
use crate::ledger::LedgerSnapshot;
use crate::problem::Problem;
use crate::protocol::Protocol;
use crate::state::State;

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Chat(Protocol),
    /// The list that OpenAI's and Anthropic's clients read.
    Models,
    /// Ollama's list.
    Tags,
    /// The ledger with the newest rows, as many as asked for by `?rows=`.
    Ledger {
        rows: usize,
    },
    Reset,
    NotFound,
}

/// Answers one request of any kind.
pub(crate) async fn serve(
    state: &Arc<State>,
    connection: &mut Connection,
    request: Request,
) -> Result<(), Gone> {
    let body = match Route::of(&request.head, state.config.api) {
        Route::Chat(protocol) => return chat::answer(state, connection, protocol, request).await,
        Route::Models => Ok(models(state)),
        Route::Tags => Ok(tags(state)),
        Route::Ledger { rows } => Ok(ledger(state, rows).await),
        Route::Reset => {
            state.ledger().reset();
            Ok(json!({"reset": true}))
        }
        Route::NotFound => Err(Problem::NotFound),
    };
    let (status, body) = match body {
        Ok(body) => (200, body),
        Err(problem) => (problem.status(), Protocol::OpenAiChat.error(&problem)),
    };
    let Head { keep_alive, request_id, .. } = request.head;
    let reply = Reply { status, keep_alive, date: state.clock.http_date(), request_id, retry_after: None };
    connection.write(&reply.json(&body)).await
}

impl Route {
    fn of(head: &Head, api: Api) -> Self {
        match (head.method.as_str(), head.path.as_str()) {
            ("POST", path) => Self::of_post(path, api),
            ("GET", "/api/tags") => Self::Tags,
            ("GET", path) if path.ends_with("/models") => Self::Models,
            ("GET", "/ledger") => Self::Ledger { rows: rows_asked(&head.query) },
            _ => Self::NotFound,
        }
    }

    fn of_post(path: &str, api: Api) -> Self {
        let chat = Protocol::ALL.into_iter().find(|protocol| path.ends_with(protocol.path_end()));
        match (chat, path) {
            (Some(protocol), _) if api.serves(protocol) => Self::Chat(protocol),
            (None, "/reset") => Self::Reset,
            (Some(_) | None, _) => Self::NotFound,
        }
    }
}

fn rows_asked(query: &str) -> usize {
    let rows = query.split('&').find_map(|pair| pair.strip_prefix("rows="));
    rows.and_then(|rows| rows.parse().ok()).unwrap_or(0)
}

/// One list for both: OpenAI's clients read `id` and `object`, Anthropic's `id`, `type` and the ends of the page.
fn models(state: &State) -> Value {
    let created = state.clock.unix_seconds();
    let models = state.config.listed_models();
    let entry = |model: &&str| {
        json!({
            "id": model,
            "object": "model",
            "created": created,
            "owned_by": "rungs",
            "type": "model",
            "display_name": model,
            "created_at": rfc3339(created),
        })
    };
    json!({
        "object": "list",
        "data": models.iter().map(entry).collect::<Vec<_>>(),
        "has_more": false,
        "first_id": models.first(),
        "last_id": models.last(),
    })
}

fn tags(state: &State) -> Value {
    let modified = rfc3339(state.clock.unix_seconds());
    let entry = |model: &str| {
        json!({
            "name": model,
            "model": model,
            "modified_at": modified,
            "size": 0,
            "digest": "",
            "details": {"format": "mock", "family": "mock", "parameter_size": "0", "quantization_level": "none"},
        })
    };
    json!({"models": state.config.listed_models().into_iter().map(entry).collect::<Vec<_>>()})
}

/// The ledger as JSON. Sorting many rows takes a while, so it is not done on the thread that paces.
async fn ledger(state: &Arc<State>, rows: usize) -> Value {
    let state = Arc::clone(state);
    let snapshot = tokio::task::spawn_blocking(move || {
        let (excerpt, newest) = {
            let ledger = state.ledger();
            (ledger.excerpt(), ledger.newest(rows))
        };
        with_rows(&excerpt.snapshot(), &newest.iter().map(|row| json!(**row)).collect::<Vec<_>>())
    });
    snapshot.await.unwrap_or(Value::Null)
}

fn with_rows(snapshot: &LedgerSnapshot, rows: &[Value]) -> Value {
    let mut ledger = json!(snapshot);
    if !rows.is_empty() {
        ledger["rows"] = json!(rows);
    }
    ledger
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(request: &str, api: Api) -> Route {
        let bytes = format!("{request} HTTP/1.1\r\n\r\n");
        Route::of(&Head::parse(bytes.as_bytes()).unwrap().unwrap().0, api)
    }

    #[test]
    fn the_path_decides_the_protocol() {
        let table = [
            ("POST /v1/chat/completions", Route::Chat(Protocol::OpenAiChat)),
            ("POST /gateway/x/chat/completions?a=1", Route::Chat(Protocol::OpenAiChat)),
            ("POST /v1/messages?beta=true", Route::Chat(Protocol::AnthropicMessages)),
            ("POST /v1/chat-messages", Route::Chat(Protocol::DifyChat)),
            ("GET /v1/chat/completions", Route::NotFound),
            ("GET /v1/models", Route::Models),
            ("GET /gateway/v1/models?limit=20", Route::Models),
            ("GET /api/tags", Route::Tags),
            ("POST /v1/completions", Route::Chat(Protocol::OpenAiCompletions)),
            ("POST /v1/responses", Route::Chat(Protocol::OpenAiResponses)),
            ("POST /v1/workflows/run", Route::Chat(Protocol::DifyWorkflow)),
            ("POST /api/chat", Route::Chat(Protocol::OllamaChat)),
            ("POST /api/generate", Route::Chat(Protocol::OllamaGenerate)),
            ("GET /ledger", Route::Ledger { rows: 0 }),
            ("GET /ledger?rows=5", Route::Ledger { rows: 5 }),
            ("POST /reset", Route::Reset),
            ("POST /v1/messages/count_tokens", Route::NotFound),
        ];
        for (request, expected) in table {
            assert_eq!(route(request, Api::Any), expected, "{request}");
        }
    }

    #[test]
    fn a_server_of_one_protocol_does_not_know_the_paths_of_the_others() {
        let api = Api::Only(Protocol::DifyChat);
        assert_eq!(route("POST /v1/chat-messages", api), Route::Chat(Protocol::DifyChat));
        assert_eq!(route("POST /v1/messages", api), Route::NotFound);
        assert_eq!(route("POST /reset", api), Route::Reset);
    }
}
