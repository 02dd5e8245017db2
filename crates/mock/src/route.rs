//! Where a request goes, and the few answers that are not chat.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::chat;
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
    Models,
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
        Route::Ledger { rows } => Ok(ledger(state, rows).await),
        Route::Reset => {
            state.ledger().reset();
            Ok(json!({"reset": true}))
        }
        Route::NotFound => Err(Problem::NotFound),
    };
    let (status, body) = match body {
        Ok(body) => (200, body),
        Err(problem) => (problem.status(), Protocol::OpenAiChat.error(problem)),
    };
    let Head { keep_alive, request_id, .. } = request.head;
    let reply = Reply { status, keep_alive, date: state.clock.http_date(), request_id, retry_after: None };
    connection.write(&reply.json(&body)).await
}

impl Route {
    fn of(head: &Head, api: Api) -> Self {
        match (head.method.as_str(), head.path.as_str()) {
            ("POST", path) => Self::of_post(path, api),
            ("GET", "/v1/models") => Self::Models,
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

fn models(state: &State) -> Value {
    let model =
        json!({"id": "mock", "object": "model", "created": state.clock.unix_seconds(), "owned_by": "rungs"});
    json!({"object": "list", "data": [model]})
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
