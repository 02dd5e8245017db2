//! Anthropic messages.

use serde_json::{Value, json};

use super::{Events, TokenEvent, named_event};
use crate::answer::{Answer, Finish};
use crate::problem::Problem;
use crate::text;

pub(super) fn events(answer: &Answer) -> Events {
    let start = json!({"type": "message_start", "message": message(answer, json!([]), None, 1)});
    let block = json!({"type": "text", "text": ""});
    let delta = json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(answer.finish), "stop_sequence": null},
        // Cumulative: it replaces the count of `message_start`.
        "usage": {"output_tokens": answer.output_tokens},
    });
    let block_start = json!({"type": "content_block_start", "index": 0, "content_block": block});
    Events {
        opening: vec![
            named_event("message_start", &start),
            named_event("ping", &json!({"type": "ping"})),
            named_event("content_block_start", &block_start),
        ],
        token: TokenEvent::plain(
            format!("event: content_block_delta\ndata: {TOKEN_BEFORE}"),
            "}}\n\n".to_owned(),
        ),
        closing: vec![
            named_event("content_block_stop", &json!({"type": "content_block_stop", "index": 0})),
            named_event("message_delta", &delta),
            named_event("message_stop", &json!({"type": "message_stop"})),
        ],
    }
}

pub(super) fn whole(answer: &Answer) -> Value {
    let content = json!([{"type": "text", "text": text::whole(answer.output_tokens)}]);
    message(answer, content, Some(stop_reason(answer.finish)), answer.output_tokens)
}

pub(super) fn error(problem: &Problem) -> Value {
    let kind = match problem {
        Problem::NotHttp | Problem::NotJson | Problem::MissingField(_) => "invalid_request_error",
        Problem::TooLarge => "request_too_large",
        Problem::MissingKey | Problem::WrongKey => "authentication_error",
        Problem::RateLimited => "rate_limit_error",
        Problem::Unavailable | Problem::Internal => "api_error",
        Problem::NotFound | Problem::UnknownModel(_) => "not_found_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": problem.message()}})
}

fn message(answer: &Answer, content: Value, stop_reason: Option<&str>, output_tokens: usize) -> Value {
    json!({
        "id": format!("msg_mock{:08}", answer.ordinal),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": {"input_tokens": answer.input_tokens, "output_tokens": output_tokens},
    })
}

fn stop_reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::Length => "max_tokens",
    }
}

const TOKEN_BEFORE: &str = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"#;
