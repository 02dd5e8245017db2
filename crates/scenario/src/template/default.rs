//! The body of a scenario that brings none.

use serde_json::{Value, json};

use crate::plan::Api;

/// The default template of a protocol. Model, stream and usage are added by the same rules as to any other body.
pub(super) fn default_body(api: Api) -> Value {
    let messages = json!([{ "role": "user", "content": "<query>" }]);
    match api {
        Api::OpenAiChat => json!({ "messages": messages }),
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
    }
}
