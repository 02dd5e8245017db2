//! The body of a scenario that brings none.

use serde_json::{Value, json};

use crate::data::Settings as Data;
use crate::plan::Api;

/// What the rows of the data bring beside a prompt, and the default bodies send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Brings {
    /// Every row has `messages`, and none a prompt.
    pub(super) messages: bool,
    /// Every row of a trace says how long its answer was.
    pub(super) output_length: bool,
}

impl Brings {
    pub(super) fn of(data: &Data) -> Self {
        let all = |field: &str| data.rows.iter().all(|row| row.fields.contains_key(field));
        let any = |field: &str| data.rows.iter().any(|row| row.fields.contains_key(field));
        Self {
            messages: all("messages") && !any("query"),
            output_length: data.trace.is_some() && all("output_length"),
        }
    }
}

/// The default template of a protocol; none for a custom one. Model, stream and usage are added by the same rules as to
/// any other body.
pub(super) fn default_body(api: Api, brings: Brings) -> Option<Value> {
    let messages = match brings.messages {
        true => json!("<messages>"),
        false => json!([{ "role": "user", "content": "<query>" }]),
    };
    let limit = brings.output_length.then(|| json!("<output_length>"));
    // Without a limit some servers of completions stop after 16 tokens, and others never; Anthropic refuses it.
    let limit_or_usual = limit.clone().unwrap_or_else(|| json!(1024));
    let mut body = match api {
        Api::OpenAiChat | Api::OllamaChat => json!({ "messages": messages }),
        Api::OpenAiCompletions => json!({ "max_tokens": limit_or_usual, "prompt": "<query>" }),
        Api::OpenAiResponses => json!({ "input": if brings.messages { messages } else { json!("<query>") } }),
        Api::AnthropicMessages => json!({ "max_tokens": limit_or_usual, "messages": messages }),
        Api::DifyChat => json!({
            "inputs": "<inputs>",
            "query": "<query>",
            "response_mode": "streaming",
            "conversation_id": "<conversation_id>",
            "user": "<user>",
            "files": "<files>",
        }),
        Api::Custom => return None,
    };
    match (api, limit) {
        (Api::OpenAiChat, Some(limit)) => body["max_tokens"] = limit,
        (Api::OpenAiResponses, Some(limit)) => body["max_output_tokens"] = limit,
        (Api::OllamaChat, Some(limit)) => body["options"] = json!({ "num_predict": limit }),
        _ => {}
    }
    Some(body)
}
