//! What a protocol needs in a filled-in body: model, stream, usage. What the body says itself is left alone.

use serde_json::{Map, Value, json};

use crate::plan::{Api, Format};
use crate::target::Usage;

/// What a body asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) stream: bool,
    /// The model that the body names.
    pub(super) model: Option<String>,
}

/// Completes a body. `Err` says what is wrong with it.
pub(super) fn finish(
    body: &mut Value,
    api: Api,
    format: Format,
    model: Option<&str>,
    usage: Usage,
) -> Result<Asked, String> {
    let Value::Object(body) = body else {
        return Err("the body is not a JSON object".into());
    };
    if let (true, Some(model), false) = (api.names_model(), model, body.contains_key("model")) {
        body.shift_insert(0, "model".into(), model.into());
    }
    let stream = match api {
        Api::OpenAiChat
        | Api::OpenAiCompletions
        | Api::OpenAiResponses
        | Api::AnthropicMessages
        | Api::OllamaChat => stream_flag(body)?,
        Api::DifyChat => response_mode(body)?,
        // Nothing is added to a body of which nothing is known.
        Api::Custom => format != Format::Json && says_stream(body),
    };
    let reports_when_asked = matches!(api, Api::OpenAiChat | Api::OpenAiCompletions);
    if stream && reports_when_asked && usage == Usage::Ask {
        ask_for_usage(body)?;
    }
    let model = body
        .get("model")
        .filter(|_| api.names_model() || api == Api::Custom)
        .and_then(Value::as_str)
        .map(str::to_owned);
    Ok(Asked { stream, model })
}

fn stream_flag(body: &mut Map<String, Value>) -> Result<bool, String> {
    match body.entry("stream").or_insert(Value::Bool(true)) {
        Value::Bool(stream) => Ok(*stream),
        other => Err(format!("`stream` is to be true or false, found `{other}`")),
    }
}

/// Whether a custom body wants no whole answer, in the words of any protocol.
fn says_stream(body: &Map<String, Value>) -> bool {
    body.get("stream") != Some(&Value::Bool(false))
        && body.get("response_mode").and_then(Value::as_str) != Some("blocking")
}

fn response_mode(body: &mut Map<String, Value>) -> Result<bool, String> {
    match body.entry("response_mode").or_insert_with(|| "streaming".into()).as_str() {
        Some("streaming") => Ok(true),
        Some("blocking") => Ok(false),
        _ => Err("`response_mode` is to be \"streaming\" or \"blocking\"".into()),
    }
}

fn ask_for_usage(body: &mut Map<String, Value>) -> Result<(), String> {
    match body.entry("stream_options").or_insert_with(|| json!({})) {
        Value::Object(options) => {
            options.entry("include_usage").or_insert(Value::Bool(true));
            Ok(())
        }
        Value::Null => Ok(()),
        other => Err(format!("`stream_options` is to be an object, found `{other}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_gets_what_it_lacks_and_keeps_what_it_says() {
        let usage = json!({ "include_usage": true });
        let rows = [
            (Api::OpenAiChat, json!({}), json!({ "model": "m", "stream": true, "stream_options": usage })),
            (
                Api::OpenAiChat,
                json!({ "model": "own", "stream": false }),
                json!({ "model": "own", "stream": false }),
            ),
            (
                Api::OpenAiChat,
                json!({ "model": "own", "stream_options": { "include_usage": false } }),
                json!({ "model": "own", "stream_options": { "include_usage": false }, "stream": true }),
            ),
            (
                Api::OpenAiCompletions,
                json!({}),
                json!({ "model": "m", "stream": true, "stream_options": usage }),
            ),
            (Api::OpenAiResponses, json!({}), json!({ "model": "m", "stream": true })),
            (Api::OllamaChat, json!({}), json!({ "model": "m", "stream": true })),
            (Api::Custom, json!({}), json!({})),
            (Api::AnthropicMessages, json!({}), json!({ "model": "m", "stream": true })),
            (Api::DifyChat, json!({}), json!({ "response_mode": "streaming" })),
            (Api::DifyChat, json!({ "response_mode": "blocking" }), json!({ "response_mode": "blocking" })),
        ];
        for (api, mut body, expected) in rows {
            finish(&mut body, api, Format::Sse, Some("m"), Usage::Ask).unwrap();
            assert_eq!(body.to_string(), expected.to_string());
        }
    }

    #[test]
    fn usage_is_not_asked_for_where_it_is_forbidden() {
        let mut body = json!({});
        finish(&mut body, Api::OpenAiChat, Format::Sse, None, Usage::Never).unwrap();
        assert_eq!(body, json!({ "stream": true }));
    }

    #[test]
    fn a_custom_body_streams_unless_it_or_the_format_says_otherwise() {
        let rows = [
            (Format::Sse, json!({}), true),
            (Format::Ndjson, json!({ "stream": "yes" }), true),
            (Format::Json, json!({ "stream": true }), false),
            (Format::Sse, json!({ "stream": false }), false),
            (Format::Sse, json!({ "response_mode": "blocking" }), false),
        ];
        for (format, mut body, stream) in rows {
            let asked = finish(&mut body, Api::Custom, format, Some("m"), Usage::Ask).unwrap();
            assert_eq!((asked.stream, asked.model), (stream, None), "{body}");
        }
    }

    #[test]
    fn a_body_that_no_server_would_understand_is_refused() {
        let rows = [
            (Api::OpenAiChat, json!([]), "the body is not a JSON object"),
            (Api::OpenAiChat, json!({ "stream": "yes" }), "`stream` is to be true or false, found `\"yes\"`"),
            (
                Api::OpenAiChat,
                json!({ "stream_options": 1 }),
                "`stream_options` is to be an object, found `1`",
            ),
            (
                Api::DifyChat,
                json!({ "response_mode": "x" }),
                "`response_mode` is to be \"streaming\" or \"blocking\"",
            ),
        ];
        for (api, mut body, expected) in rows {
            assert_eq!(finish(&mut body, api, Format::Sse, None, Usage::Ask), Err(expected.to_owned()));
        }
    }
}
