//! What one request asks for: the part of its body that decides the answer.

use serde_json::Value;

use crate::problem::Problem;
use crate::protocol::Protocol;
use crate::text;

/// A chat request as the mock understands it. Everything else in the body is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) model: String,
    pub(crate) delivery: Delivery,
    /// The lower of the caps the body carries.
    pub(crate) most_tokens: Option<usize>,
    /// Rough token count of the prompt.
    pub(crate) input_tokens: usize,
    /// The Dify conversation to go on with.
    pub(crate) conversation: Option<String>,
}

/// How the answer is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Token by token, as events.
    Stream {
        /// The OpenAI client asked for a usage chunk; the other protocols always report usage.
        usage: UsageChunk,
    },
    /// As one JSON document when all of it is there.
    Whole,
}

/// Whether `stream_options.include_usage` was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsageChunk {
    Asked,
    NotAsked,
}

impl Ask {
    /// Reads the body of a request in this protocol.
    pub(crate) fn parse(protocol: Protocol, body: &[u8]) -> Result<Self, Problem> {
        let body: Value = serde_json::from_slice(body).map_err(|_| Problem::NotJson)?;
        let prompt_field = prompt_field(protocol);
        let prompt = body.get(prompt_field).filter(|prompt| is_prompt(protocol, prompt));
        let prompt = prompt.ok_or(Problem::MissingField(prompt_field))?;
        let system = body.get("system").map_or(0, rough_tokens);
        Ok(Self {
            model: text_field(&body, "model").unwrap_or_else(|| "mock".to_owned()),
            delivery: delivery(protocol, &body),
            most_tokens: most_tokens(&body),
            input_tokens: rough_tokens(prompt) + system,
            conversation: text_field(&body, "conversation_id"),
        })
    }
}

fn prompt_field(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::OpenAiChat | Protocol::AnthropicMessages | Protocol::OllamaChat => "messages",
        Protocol::OpenAiCompletions | Protocol::OllamaGenerate => "prompt",
        Protocol::OpenAiResponses => "input",
        Protocol::DifyChat => "query",
        Protocol::DifyWorkflow => "inputs",
    }
}

fn is_prompt(protocol: Protocol, value: &Value) -> bool {
    match protocol {
        // Variables of the app's own, perhaps none.
        Protocol::DifyWorkflow => value.is_object(),
        _ => value.is_string() || value.as_array().is_some_and(|messages| !messages.is_empty()),
    }
}

fn delivery(protocol: Protocol, body: &Value) -> Delivery {
    let streams = match protocol {
        Protocol::OpenAiChat
        | Protocol::OpenAiCompletions
        | Protocol::OpenAiResponses
        | Protocol::AnthropicMessages => body["stream"] == Value::Bool(true),
        Protocol::DifyChat | Protocol::DifyWorkflow => body["response_mode"] == "streaming",
        // It streams unless told not to.
        Protocol::OllamaChat | Protocol::OllamaGenerate => body["stream"] != Value::Bool(false),
    };
    let usage = match body["stream_options"]["include_usage"] {
        Value::Bool(true) => UsageChunk::Asked,
        _ => UsageChunk::NotAsked,
    };
    if streams { Delivery::Stream { usage } } else { Delivery::Whole }
}

/// The lowest cap, in the spelling of any protocol.
fn most_tokens(body: &Value) -> Option<usize> {
    let caps = CAPS.iter().filter_map(|cap| whole_number(body, cap));
    let options = body.get("options").and_then(|options| whole_number(options, "num_predict"));
    caps.chain(options).min()
}

fn text_field(body: &Value, name: &str) -> Option<String> {
    body.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn whole_number(body: &Value, name: &str) -> Option<usize> {
    usize::try_from(body.get(name)?.as_u64()?).ok()
}

/// Counts every string below `value` but those that only name a role or a type.
fn rough_tokens(value: &Value) -> usize {
    match value {
        Value::String(prompt) => text::rough_tokens(prompt),
        Value::Array(items) => items.iter().map(rough_tokens).sum(),
        Value::Object(fields) => {
            let spoken = fields.iter().filter(|(name, _)| !["role", "type"].contains(&name.as_str()));
            spoken.map(|(_, value)| rough_tokens(value)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

const CAPS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(protocol: Protocol, body: &str) -> Result<Ask, Problem> {
        Ask::parse(protocol, body.as_bytes())
    }

    #[test]
    fn the_body_decides_delivery_size_and_usage() {
        let body = r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,
            "max_completion_tokens":7,"messages":[{"role":"user","content":[{"type":"text","text":"two words"}]}]}"#;
        let ask = parse(Protocol::OpenAiChat, body).unwrap();
        let capped = |body: &str| parse(Protocol::OllamaChat, body).unwrap().most_tokens;
        assert_eq!(capped(r#"{"messages":[{}],"options":{"num_predict":5}}"#), Some(5));
        assert_eq!(capped(r#"{"messages":[{}],"max_output_tokens":6}"#), Some(6));
        assert_eq!(ask.delivery, Delivery::Stream { usage: UsageChunk::Asked });
        assert_eq!((ask.model.as_str(), ask.most_tokens, ask.input_tokens), ("m", Some(7), 2));
    }

    #[test]
    fn each_protocol_has_its_own_word_for_streaming() {
        let streams = Delivery::Stream { usage: UsageChunk::NotAsked };
        let table = [
            (Protocol::OpenAiChat, r#"{"messages":[{}],"stream":true}"#, streams),
            (Protocol::OpenAiChat, r#"{"messages":[{}],"response_mode":"streaming"}"#, Delivery::Whole),
            (Protocol::AnthropicMessages, r#"{"messages":[{}],"stream":false}"#, Delivery::Whole),
            (Protocol::DifyChat, r#"{"query":"hi","response_mode":"streaming"}"#, streams),
            (Protocol::DifyChat, r#"{"query":"hi","stream":true}"#, Delivery::Whole),
            (Protocol::OpenAiCompletions, r#"{"prompt":"hi","stream":true}"#, streams),
            (Protocol::OpenAiResponses, r#"{"input":[{}],"stream":true}"#, streams),
            (Protocol::OpenAiResponses, r#"{"input":"hi"}"#, Delivery::Whole),
            (Protocol::DifyWorkflow, r#"{"inputs":{},"response_mode":"streaming"}"#, streams),
            (Protocol::OllamaChat, r#"{"messages":[{}]}"#, streams),
            (Protocol::OllamaGenerate, r#"{"prompt":"hi"}"#, streams),
            (Protocol::OllamaChat, r#"{"messages":[{}],"stream":false}"#, Delivery::Whole),
        ];
        for (protocol, body, expected) in table {
            assert_eq!(parse(protocol, body).unwrap().delivery, expected, "{protocol:?} {body}");
        }
    }

    #[test]
    fn a_body_without_a_prompt_is_refused() {
        let table = [
            (Protocol::OpenAiChat, "", Problem::NotJson),
            (Protocol::OpenAiChat, "{\"messages\":", Problem::NotJson),
            (Protocol::OpenAiChat, "[]", Problem::MissingField("messages")),
            (Protocol::AnthropicMessages, r#"{"messages":[]}"#, Problem::MissingField("messages")),
            (Protocol::DifyChat, r#"{"messages":[{}]}"#, Problem::MissingField("query")),
            (Protocol::DifyChat, r#"{"query":7}"#, Problem::MissingField("query")),
            (Protocol::OpenAiCompletions, r#"{"messages":[{}]}"#, Problem::MissingField("prompt")),
            (Protocol::OpenAiResponses, r#"{"input":""#, Problem::NotJson),
            (Protocol::OpenAiResponses, r#"{"prompt":"hi"}"#, Problem::MissingField("input")),
            (Protocol::DifyWorkflow, r#"{"query":"hi"}"#, Problem::MissingField("inputs")),
        ];
        for (protocol, body, expected) in table {
            assert_eq!(parse(protocol, body).unwrap_err(), expected, "{protocol:?} {body}");
        }
    }
}
