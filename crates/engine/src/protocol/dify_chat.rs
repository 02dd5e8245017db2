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
    /// Events of a chat carry it, those of a workflow app do not.
    #[serde(default)]
    message_id: Word,
    #[serde(default)]
    answer: Option<Text>,
    #[serde(default)]
    data: Option<Value>,
    #[serde(default)]
    metadata: Object<Metadata>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    usage: Option<Usage>,
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
    let kind = match message.event.0 {
        Some(kind) => kind,
        None => String::from_utf8_lossy(event.name).into_owned(),
    };
    match kind.as_str() {
        "message" | "agent_message" => token(message.answer.unwrap_or_default(), emit),
        "text_chunk" => {
            let text = message.data.as_ref().and_then(|data| data.get("text")).and_then(Value::as_str);
            token(Text(text.is_some_and(|text| !text.is_empty())), emit);
        }
        "message_end" => {
            usage(message.metadata.0, emit);
            emit(Signal::Finish { choice: 0, reason: "message_end".to_owned() });
            emit(Signal::Done);
        }
        "workflow_finished" => {
            let finished = workflow_finished(message.data.as_ref(), Signal::WholeText, emit);
            // In a chat `message_end`, with the counts, is still to come or came before.
            if finished && message.message_id.0.is_none() {
                emit(Signal::Done);
            }
        }
        "error" => emit(Signal::Failed(Failure::said(data))),
        "ping" => emit(Signal::Keepalive),
        "message_file"
        | "message_replace"
        | "agent_thought"
        | "workflow_started"
        | "node_started"
        | "node_finished"
        | "node_retry"
        | "text_replace"
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
    if let Some(answer) = message.answer {
        token(answer, emit);
        emit(Signal::Finish { choice: 0, reason: "message_end".to_owned() });
    } else if message.data.as_ref().is_some_and(|data| data.get("status").is_some()) {
        let text = Signal::Token { choice: 0, kind: Kind::Answer };
        workflow_finished(message.data.as_ref(), text, emit);
    } else if let Some(failure) = Failure::in_document(data) {
        emit(Signal::Failed(failure));
    }
    usage(message.metadata.0, emit);
}

fn token(text: Text, emit: &mut dyn FnMut(Signal)) {
    match text.0 {
        true => emit(Signal::Token { choice: 0, kind: Kind::Answer }),
        false => emit(Signal::Choice(0)),
    }
}

fn usage(metadata: Option<Metadata>, emit: &mut dyn FnMut(Signal)) {
    let usage = metadata.and_then(|metadata| metadata.usage);
    if let Some(usage) = usage.filter(|usage| !usage.is_empty()) {
        emit(Signal::Usage(usage));
    }
}

/// A workflow that succeeded finishes the answer, and its outputs hold the text (as `text` says it); one that failed
/// fails it. Its `total_tokens` counts prompts and answers of all its nodes: no count of the answer's tokens.
fn workflow_finished(data: Option<&Value>, text: Signal, emit: &mut dyn FnMut(Signal)) -> bool {
    let field = |key: &str| data.and_then(|data| data.get(key));
    let word = |key: &str| field(key).and_then(Value::as_str).unwrap_or_default();
    match word("status") {
        "failed" => {
            let words = match word("error") {
                "" => "the workflow failed",
                words => words,
            };
            emit(Signal::Failed(Failure::in_words(words)));
            false
        }
        status @ ("succeeded" | "partial-succeeded") => {
            if field("outputs").is_some_and(has_text) {
                emit(text);
            }
            emit(Signal::Finish { choice: 0, reason: status.to_owned() });
            true
        }
        // Stopped, or not said: the answer is not finished.
        _ => false,
    }
}

/// Whether any of a workflow's outputs, which have names of the app's own, is a text.
fn has_text(output: &Value) -> bool {
    match output {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => items.iter().any(has_text),
        Value::Object(fields) => fields.values().any(has_text),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
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
    fn end_04_every_ending_is_known() {
        let end = signals(
            r#"{"event":"message_end","metadata":{"usage":{"prompt_tokens":3,"completion_tokens":5}}}"#,
        );
        let usage = Usage { output: Some(5), input: Some(3), ..Usage::default() };
        let finish = |reason: &str| Signal::Finish { choice: 0, reason: reason.into() };
        assert_eq!(end, [Signal::Usage(usage), finish("message_end"), Signal::Done]);
        let of_a_chat = r#"{"event":"workflow_finished","message_id":"m","data":{"status":"succeeded"}}"#;
        assert_eq!(signals(of_a_chat), [finish("succeeded")]);
        assert_eq!(
            signals(r#"{"event":"workflow_finished","data":{"status":"succeeded"}}"#),
            [finish("succeeded"), Signal::Done]
        );
        assert_eq!(signals(r#"{"event":"workflow_finished","data":{"status":"stopped"}}"#), []);
        let failed = signals(r#"{"event":"workflow_finished","data":{"status":"failed","error":"e"}}"#);
        assert!(matches!(&failed[..], [Signal::Failed(failure)] if failure.message == "e"));
        let error = signals(r#"{"event":"error","status":400,"code":"invalid_param","message":"m"}"#);
        assert!(matches!(&error[..], [Signal::Failed(f)] if f.code.as_deref() == Some("invalid_param")));
    }

    #[test]
    fn a_workflow_app_is_read_streamed_and_whole() {
        let finished = r#""status":"succeeded","outputs":{"result":["w"]},"error":null,"total_tokens":3562"#;
        let finish = Signal::Finish { choice: 0, reason: "succeeded".into() };
        let rows = [
            (r#"{"event":"workflow_started","workflow_run_id":"r","data":{"id":"r"}}"#.to_owned(), vec![]),
            (
                r#"{"event":"node_finished","data":{"status":"succeeded","outputs":{"text":"x"}}}"#.into(),
                vec![],
            ),
            (r#"{"event":"text_chunk","data":{"text":null}}"#.into(), vec![Signal::Choice(0)]),
            (
                format!(r#"{{"event":"workflow_finished","workflow_run_id":"r","data":{{{finished}}}}}"#),
                vec![Signal::WholeText, finish.clone(), Signal::Done],
            ),
        ];
        for (data, expected) in rows {
            assert_eq!(signals(&data), expected, "{data}");
        }
        let mut all = Vec::new();
        let body = format!(r#"{{"workflow_run_id":"r","task_id":"t","data":{{{finished}}}}}"#);
        whole(body.as_bytes(), &mut |signal| all.push(signal));
        assert_eq!(all, [Signal::Token { choice: 0, kind: Kind::Answer }, finish]);
        let mut failed = Vec::new();
        whole(br#"{"data":{"status":"failed","error":"e"}}"#, &mut |signal| failed.push(signal));
        assert!(matches!(&failed[..], [Signal::Failed(f)] if f.message == "e"));
    }

    #[test]
    fn a_field_of_another_form_ends_no_answer_early() {
        let end = signals(r#"{"event":"message_end","metadata":[1],"answer":7,"data":"x"}"#);
        assert_eq!(end.last(), Some(&Signal::Done));
    }

    #[test]
    fn answers_are_tokens_unless_empty() {
        let token = Signal::Token { choice: 0, kind: Kind::Answer };
        assert_eq!(signals(r#"{"event":"message","answer":"w "}"#), std::slice::from_ref(&token));
        assert_eq!(signals(r#"{"event":"message","answer":""}"#), [Signal::Choice(0)]);
        assert_eq!(signals(r#"{"event":"text_chunk","data":{"text":"x"}}"#), [token]);
    }
}
