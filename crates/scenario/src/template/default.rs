//! The body of a scenario that brings none.

use serde_json::{Value, json};

use crate::plan::Api;

/// The default template of a protocol; none for a custom one. Model, stream and usage are added by the same rules as to
/// any other body.
pub(super) fn default_body(api: Api) -> Option<Value> {
    let messages = json!([{ "role": "user", "content": "<query>" }]);
    let body = match api {
        Api::OpenAiChat | Api::OllamaChat => json!({ "messages": messages }),
        // Without a limit some servers stop after 16 tokens, and others never.
        Api::OpenAiCompletions => json!({ "max_tokens": 1024, "prompt": "<query>" }),
        Api::OpenAiResponses => json!({ "input": "<query>" }),
        // The protocol refuses a request without `max_tokens`.
        Api::AnthropicMessages => json!({ "max_tokens": 1024, "messages": messages }),
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
    Some(body)
}
