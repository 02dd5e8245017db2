//! Dify chat, agent and workflow apps: every event is a data line with an `event` key; `message_end` (or
//! `workflow_finished`) ends the answer.

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{Object, Word};
use super::text::Text;
use super::{Failure, Kind, Signal, Usage, is_error, read, unreadable};
use crate::framing::Event;

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    event: Word,
    #[serde(default)]
    answer: Option<Text>,
    #[serde(default)]
    data: Option<Value>,
    #[serde(default)]
    metadata: Object<Metadata>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    #[serde(default)]
    usage: Usage,
}

pub(super) fn event(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    let data = event.data.trim_ascii();
    if is_error(event.name) {
        return emit(Signal::Failed(Failure::said(data)));
    }
    let Some(message) = read::<Message>(data) else { return unreadable(data, emit) };
    if message.error.is_some()
        && let Some(failure) = Failure::in_document(data)
    {
        return emit(Signal::Failed(failure));
    }
    let kind = message.event.said().unwrap_or_else(|| String::from_utf8_lossy(event.name).into_owned());
    match kind.as_str() {
        "message" | "agent_message" => token(message.answer.unwrap_or_default(), emit),
        "text_chunk" => {
            let text = message.data.as_ref().and_then(|data| data.get("text")).and_then(Value::as_str);
            token(Text(text.is_some_and(|text| !text.is_empty())), emit);
        }
        "message_end" => {
            usage(message.metadata, emit);
            emit(Signal::Finish { choice: 0, reason: "message_end".to_owned() });
            emit(Signal::Done);
        }
        "workflow_finished" => workflow_finished(message.data.as_ref(), emit),
        "error" => emit(Signal::Failed(Failure::said(data))),
        "ping" => emit(Signal::Keepalive),
        "message_file"
        | "message_replace"
        | "agent_thought"
        | "workflow_started"
        | "node_started"
        | "node_finished"
        | "iteration_started"
        | "iteration_next"
        | "iteration_completed"
        | "loop_started"
        | "loop_next"
        | "loop_completed"
        | "tts_message"
        | "tts_message_end"
        | "agent_log"
        | "parallel_branch_started"
        | "parallel_branch_finished" => {}
        _ => match Failure::in_document(data) {
            Some(failure) => emit(Signal::Failed(failure)),
            None => emit(Signal::Unknown),
        },
    }
}

pub(super) fn whole(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    let data = body.trim_ascii();
    let Some(message) = read::<Message>(data) else { return unreadable(data, emit) };
    match message.answer {
        Some(answer) => {
            token(answer, emit);
            emit(Signal::Finish { choice: 0, reason: "message_end".to_owned() });
        }
        None => {
            if let Some(failure) = Failure::in_document(data) {
                emit(Signal::Failed(failure));
            }
        }
    }
    usage(message.metadata, emit);
}

fn token(text: Text, emit: &mut dyn FnMut(Signal)) {
    match text.0 {
        true => emit(Signal::Token { choice: 0, kind: Kind::Answer }),
        false => emit(Signal::Choice(0)),
    }
}

fn usage(metadata: Object<Metadata>, emit: &mut dyn FnMut(Signal)) {
    let usage = metadata.0.unwrap_or_default().usage;
    if !usage.is_empty() {
        emit(Signal::Usage(usage));
    }
}

/// A workflow that succeeded finishes the answer (its `message_end` may still follow); one that failed fails it.
fn workflow_finished(data: Option<&Value>, emit: &mut dyn FnMut(Signal)) {
    let text = |key: &str| data.and_then(|data| data.get(key)).and_then(Value::as_str).unwrap_or_default();
    match text("status") {
        "failed" => emit(Signal::Failed(Failure::in_words(text("error")))),
        status @ ("succeeded" | "partial-succeeded") => {
            emit(Signal::Finish { choice: 0, reason: status.to_owned() });
        }
        // Stopped, or not said: the answer is not finished.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals(data: &str) -> Vec<Signal> {
        let mut all = Vec::new();
        event(Event { name: b"", data: data.as_bytes() }, &mut |signal| all.push(signal));
        all
    }

    #[test]
    fn end_04_every_ending_is_known() {
        let end = signals(
            r#"{"event":"message_end","metadata":{"usage":{"prompt_tokens":3,"completion_tokens":5}}}"#,
        );
        let usage = Usage { output: Some(5), input: Some(3), ..Usage::default() };
        let finish = |reason: &str| Signal::Finish { choice: 0, reason: reason.into() };
        assert_eq!(end, [Signal::Usage(usage), finish("message_end"), Signal::Done]);
        assert_eq!(
            signals(r#"{"event":"workflow_finished","data":{"status":"succeeded"}}"#),
            [finish("succeeded")]
        );
        let failed = signals(r#"{"event":"workflow_finished","data":{"status":"failed","error":"e"}}"#);
        assert!(matches!(&failed[..], [Signal::Failed(failure)] if failure.message == "e"));
        let error = signals(r#"{"event":"error","status":400,"code":"invalid_param","message":"m"}"#);
        assert!(matches!(&error[..], [Signal::Failed(f)] if f.code.as_deref() == Some("invalid_param")));
    }

    #[test]
    fn answers_are_tokens_unless_empty() {
        let token = Signal::Token { choice: 0, kind: Kind::Answer };
        assert_eq!(signals(r#"{"event":"message","answer":"w "}"#), std::slice::from_ref(&token));
        assert_eq!(signals(r#"{"event":"message","answer":""}"#), [Signal::Choice(0)]);
        assert_eq!(signals(r#"{"event":"text_chunk","data":{"text":"x"}}"#), [token]);
    }
}
