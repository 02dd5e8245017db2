//! OpenAI chat completions.

use serde_json::{Value, json};

use super::{Events, TokenEvent, data_event, quoted};
use crate::answer::{Answer, Finish};
use crate::ask::UsageChunk;
use crate::problem::Problem;
use crate::text;

pub(super) fn events(answer: &Answer) -> Events {
    let chunk = Chunk::of(answer);
    let mut closing = vec![chunk.event("{}", &quoted(finish_reason(answer.finish)))];
    if answer.usage_chunk == UsageChunk::Asked {
        closing.push(usage_event(answer));
    }
    closing.push("data: [DONE]\n\n".to_owned());
    Events {
        opening: vec![chunk.event(r#"{"role":"assistant","content":""}"#, "null")],
        token: TokenEvent::plain(
            format!("{}{{\"content\":", chunk.before_delta),
            chunk.after_delta("}", "null"),
        ),
        closing,
    }
}

pub(super) fn whole(answer: &Answer) -> Value {
    json!({
        "id": id(answer),
        "object": "chat.completion",
        "created": answer.created,
        "model": answer.model,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text::whole(answer.output_tokens), "refusal": null},
            "logprobs": null,
            "finish_reason": finish_reason(answer.finish),
        }],
        "usage": usage(answer),
    })
}

pub(super) fn error(problem: &Problem) -> Value {
    let (kind, param, code) = match problem {
        Problem::NotHttp | Problem::TooLarge | Problem::NotJson | Problem::NotFound | Problem::MissingKey => {
            ("invalid_request_error", None, None)
        }
        Problem::UnknownModel(_) => ("invalid_request_error", Some("model"), Some("model_not_found")),
        Problem::MissingField(field) => {
            ("invalid_request_error", Some(*field), Some("missing_required_parameter"))
        }
        Problem::WrongKey => ("invalid_request_error", None, Some("invalid_api_key")),
        Problem::RateLimited => ("requests", None, Some("rate_limit_exceeded")),
        Problem::Unavailable | Problem::Internal => ("server_error", None, None),
    };
    json!({"error": {"message": problem.message(), "type": kind, "param": param, "code": code}})
}

/// A chunk cut at its `delta`, the only part that differs within one answer.
struct Chunk {
    before_delta: String,
    tail: &'static str,
}

impl Chunk {
    fn of(answer: &Answer) -> Self {
        let (id, created, model) = (quoted(&id(answer)), answer.created, quoted(&answer.model));
        let head =
            format!(r#""id":{id},"object":"chat.completion.chunk","created":{created},"model":{model}"#);
        Self {
            before_delta: format!("data: {{{head},\"choices\":[{{\"index\":0,\"delta\":"),
            // With the usage chunk asked for, every other chunk says that it is not the one.
            tail: match answer.usage_chunk {
                UsageChunk::Asked => r#"}],"usage":null}"#,
                UsageChunk::NotAsked => "}]}",
            },
        }
    }

    fn event(&self, delta: &str, finish: &str) -> String {
        [self.before_delta.as_str(), delta, &self.after_delta("", finish)].concat()
    }

    fn after_delta(&self, close: &str, finish: &str) -> String {
        format!("{close},\"logprobs\":null,\"finish_reason\":{finish}{}\n\n", self.tail)
    }
}

fn usage_event(answer: &Answer) -> String {
    data_event(&json!({
        "id": id(answer),
        "object": "chat.completion.chunk",
        "created": answer.created,
        "model": answer.model,
        "choices": [],
        "usage": usage(answer),
    }))
}

pub(super) fn usage(answer: &Answer) -> Value {
    json!({
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
    })
}

fn id(answer: &Answer) -> String {
    format!("chatcmpl-mock{:08}", answer.ordinal)
}

pub(super) fn finish_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
    }
}
