//! Anthropic Messages: typed events, cumulative usage, `message_stop` at the end, `error` events under 200.

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{Object, Word};
use super::text::Text;
use super::{Failure, Kind, Signal, Usage, is_error, read, unreadable};
use crate::framing::Event;

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type", default)]
    kind: Word,
    #[serde(default)]
    delta: Object<Delta>,
    #[serde(default)]
    message: Object<Start>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    content: Text,
    #[serde(default)]
    stop_reason: Word,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Delta {
    #[serde(rename = "type", default)]
    kind: Word,
    #[serde(default)]
    text: Text,
    #[serde(default)]
    thinking: Text,
    #[serde(default)]
    partial_json: Text,
    #[serde(default)]
    stop_reason: Word,
}

#[derive(Deserialize, Default)]
struct Start {
    #[serde(default)]
    usage: Usage,
}

pub(super) fn event(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    let data = event.data.trim_ascii();
    // Some gateways append the OpenAI marker to Anthropic streams.
    if data == b"[DONE]" {
        return;
    }
    if is_error(event.name) {
        return emit(Signal::Failed(Failure::said(data)));
    }
    let Some(mut message) = read::<Message>(data) else { return unreadable(data, emit) };
    if message.error.is_some()
        && let Some(failure) = Failure::in_document(data)
    {
        return emit(Signal::Failed(failure));
    }
    let kind = std::mem::take(&mut message.kind).0;
    let kind = kind.unwrap_or_else(|| String::from_utf8_lossy(event.name).into_owned());
    match kind.as_str() {
        "message_start" => {
            let usage = message.message.0.unwrap_or_default().usage;
            if !usage.is_empty() {
                emit(Signal::Opening(usage));
            }
        }
        "content_block_delta" => delta(message.delta.0.unwrap_or_default(), emit),
        "message_delta" => {
            usage(message.usage, emit);
            finish(message.delta.0.unwrap_or_default().stop_reason, emit);
        }
        "message_stop" => emit(Signal::Done),
        "content_block_start" | "content_block_stop" => {}
        "message" => {
            emit(Signal::Document);
            answer(message, emit);
        }
        "ping" => emit(Signal::Keepalive),
        "error" => emit(Signal::Failed(Failure::said(data))),
        _ => match Failure::in_document(data) {
            Some(failure) => emit(Signal::Failed(failure)),
            None => emit(Signal::Unknown),
        },
    }
}

pub(super) fn whole(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    let data = body.trim_ascii();
    let Some(message) = read::<Message>(data) else { return unreadable(data, emit) };
    if let Some(failure) = Failure::in_document(data) {
        return emit(Signal::Failed(failure));
    }
    answer(message, emit);
}

/// The parts of a whole answer.
fn answer(message: Message, emit: &mut dyn FnMut(Signal)) {
    token(message.content, Kind::Answer, emit);
    usage(message.usage, emit);
    finish(message.stop_reason, emit);
}

fn delta(delta: Delta, emit: &mut dyn FnMut(Signal)) {
    match delta.kind.as_str() {
        "text_delta" => token(delta.text, Kind::Answer, emit),
        "thinking_delta" => token(delta.thinking, Kind::Reasoning, emit),
        "input_json_delta" => token(delta.partial_json, Kind::Answer, emit),
        "signature_delta" | "citations_delta" => {}
        _ => emit(Signal::Unknown),
    }
}

fn token(text: Text, kind: Kind, emit: &mut dyn FnMut(Signal)) {
    if text.0 {
        emit(Signal::Token { choice: 0, kind });
    }
}

fn usage(usage: Usage, emit: &mut dyn FnMut(Signal)) {
    if !usage.is_empty() {
        emit(Signal::Usage(usage));
    }
}

fn finish(reason: Word, emit: &mut dyn FnMut(Signal)) {
    if let Some(reason) = reason.0 {
        emit(Signal::Finish { choice: 0, reason });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::heard;
    use super::*;

    fn signals(data: &str) -> Vec<Signal> {
        heard(event, data)
    }

    #[test]
    fn ft_05_text_and_thinking_are_tokens_signatures_and_unknown_types_are_not() {
        let token = |kind| vec![Signal::Token { choice: 0, kind }];
        let rows = [
            (
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hi"}}"#,
                token(Kind::Answer),
            ),
            (
                r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}"#,
                token(Kind::Reasoning),
            ),
            (
                r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}"#,
                token(Kind::Answer),
            ),
            (
                r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":""}}"#,
                vec![],
            ),
            (
                r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"QUJD"}}"#,
                vec![],
            ),
            (r#"{"type":"content_block_delta","delta":{"type":"future_delta"}}"#, vec![Signal::Unknown]),
            (r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#, vec![]),
            (r#"{"type":"ping"}"#, vec![Signal::Keepalive]),
            (r#"{"type":"message_stop"}"#, vec![Signal::Done]),
        ];
        for (data, expected) in rows {
            assert_eq!(signals(data), expected, "{data}");
        }
    }

    #[test]
    fn tok_06_usage_of_start_and_delta_are_reports_not_summands() {
        let start =
            signals(r#"{"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1}}}"#);
        let delta = signals(
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":25,"output_tokens":15}}"#,
        );
        let usage = |output| Usage { output: Some(output), input: Some(25), ..Usage::default() };
        assert_eq!(start, [Signal::Opening(usage(1))]);
        assert_eq!(
            delta,
            [Signal::Usage(usage(15)), Signal::Finish { choice: 0, reason: "end_turn".into() }]
        );
    }

    #[test]
    fn err_03_an_error_event_keeps_its_type() {
        let found = signals(r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#);
        assert!(
            matches!(&found[..], [Signal::Failed(failure)] if failure.is_overload() && failure.message == "busy")
        );
    }
}
