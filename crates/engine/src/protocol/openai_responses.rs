//! OpenAI Responses: typed events, `response.*.delta` for what is generated, and the whole response, with usage, on the
//! event that ends the stream.

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{Object, Word};
use super::text::Text;
use super::{Failure, Kind, Signal, Usage, read, unreadable};
use crate::framing::Event;

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type", default)]
    kind: Word,
    #[serde(default)]
    delta: Text,
    #[serde(default)]
    response: Object<Response>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status: Word,
    #[serde(default)]
    output: Text,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<Value>,
    #[serde(default)]
    incomplete_details: Object<Incomplete>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Word,
}

/// What a type of event means.
enum Meaning {
    /// Its `delta` is generated text.
    Generated(Kind),
    /// The response ended as its status says.
    Ended,
    /// Progress without generated text.
    Progress,
    Keepalive,
    Failure,
    Unknown,
}

pub(super) fn event(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    let data = event.data.trim_ascii();
    // Some gateways append the marker of the other protocol.
    if data == b"[DONE]" {
        return;
    }
    let Some(message) = read::<Message>(data) else { return unreadable(data, emit) };
    let kind = match message.kind.0 {
        Some(kind) => kind,
        None => String::from_utf8_lossy(event.name).into_owned(),
    };
    match meaning(&kind) {
        Meaning::Generated(kind) if message.delta.0 => emit(Signal::Token { choice: 0, kind }),
        Meaning::Generated(_) | Meaning::Progress => {}
        Meaning::Ended => match message.response.0 {
            Some(response) => ended(response, status_of(&kind), data, Signal::WholeText, emit),
            None => emit(Signal::Unknown),
        },
        Meaning::Keepalive => emit(Signal::Keepalive),
        Meaning::Failure => emit(Signal::Failed(failure(message.error, data))),
        Meaning::Unknown => match message.error.filter(is_said) {
            Some(error) => emit(Signal::Failed(failure(Some(error), data))),
            None => emit(Signal::Unknown),
        },
    }
}

pub(super) fn whole(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    let data = body.trim_ascii();
    let Some(response) = read::<Response>(data) else { return unreadable(data, emit) };
    let status = response.status.as_str().to_owned();
    let text = Signal::Token { choice: 0, kind: Kind::Answer };
    ended(response, &status, data, text, emit);
}

fn meaning(kind: &str) -> Meaning {
    match kind {
        "error" => return Meaning::Failure,
        "ping" | "keepalive" => return Meaning::Keepalive,
        "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
            return Meaning::Ended;
        }
        _ => {}
    }
    let Some((what, change)) = kind.strip_prefix("response.").and_then(|kind| kind.rsplit_once('.')) else {
        return match kind {
            "response.created" | "response.in_progress" | "response.queued" => Meaning::Progress,
            _ => Meaning::Unknown,
        };
    };
    match (what, change) {
        ("output_text" | "audio.transcript", "delta") => Meaning::Generated(Kind::Answer),
        ("refusal", "delta") => Meaning::Generated(Kind::Refusal),
        (what, "delta") if what.starts_with("reasoning") => Meaning::Generated(Kind::Reasoning),
        (
            "function_call_arguments"
            | "custom_tool_call_input"
            | "mcp_call_arguments"
            | "mcp_call.arguments"
            | "code_interpreter_call_code"
            | "code_interpreter_call.code"
            | "shell_call_command",
            "delta",
        ) => Meaning::Generated(Kind::Answer),
        // Sound, and what tools print, are no text of the model's.
        ("audio" | "shell_call_output_content", "delta") => Meaning::Progress,
        (_, "delta") => Meaning::Unknown,
        (
            _,
            "added" | "done" | "in_progress" | "completed" | "failed" | "searching" | "interpreting"
            | "generating" | "partial_image" | "compacting",
        ) => Meaning::Progress,
        _ => Meaning::Unknown,
    }
}

/// The status that a terminal event names.
fn status_of(kind: &str) -> &str {
    kind.strip_prefix("response.").unwrap_or(kind)
}

/// The end of a response: usage, text (as `text` says it), and how it ended.
fn ended(response: Response, status: &str, data: &[u8], text: Signal, emit: &mut dyn FnMut(Signal)) {
    if response.output.0 {
        emit(text);
    }
    if let Some(usage) = response.usage.filter(|usage| !usage.is_empty()) {
        emit(Signal::Usage(usage));
    }
    let error = response.error.filter(is_said);
    match status {
        "failed" => return emit(Signal::Failed(failure(error, data))),
        "cancelled" => return emit(Signal::Failed(Failure::in_words("the response was cancelled"))),
        _ => {}
    }
    if let Some(error) = error {
        return emit(Signal::Failed(failure(Some(error), data)));
    }
    let reason = match status {
        "completed" => "completed".to_owned(),
        "incomplete" => {
            let said = response.incomplete_details.0.and_then(|details| details.reason.0);
            said.unwrap_or_else(|| "incomplete".to_owned())
        }
        // Still queued or in progress: not finished.
        _ => return,
    };
    emit(Signal::Finish { choice: 0, reason });
    emit(Signal::Done);
}

fn is_said(error: &Value) -> bool {
    Failure::in_error_key(&serde_json::json!({ "error": error })).is_some()
}

/// The failure that an error object, or the event around it, describes.
fn failure(error: Option<Value>, data: &[u8]) -> Failure {
    match error {
        Some(error @ Value::Object(_)) => Failure::of_object(&error),
        Some(Value::String(message)) => Failure::in_words(message),
        _ => Failure::in_text(data).unwrap_or_else(|| Failure::in_words("the response failed")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::heard;
    use super::*;

    fn signals(data: &str) -> Vec<Signal> {
        heard(event, data)
    }

    fn whole_signals(body: &str) -> Vec<Signal> {
        let mut all = Vec::new();
        whole(body.as_bytes(), &mut |signal| all.push(signal));
        all
    }

    fn finish(reason: &str) -> Signal {
        Signal::Finish { choice: 0, reason: reason.into() }
    }

    #[test]
    fn what_is_generated_is_a_token_and_nothing_else() {
        let delta =
            |what: &str, delta: &str| format!(r#"{{"type":"response.{what}.delta","delta":{delta}}}"#);
        let token = |kind| vec![Signal::Token { choice: 0, kind }];
        let rows = [
            (delta("output_text", r#""a""#), token(Kind::Answer)),
            (delta("output_text", r#""\ud83d""#), token(Kind::Answer)),
            (delta("output_text", r#""""#), vec![]),
            (delta("output_text", "null"), vec![]),
            (delta("output_text", "7"), vec![]),
            (delta("refusal", r#""No""#), token(Kind::Refusal)),
            (delta("reasoning_text", r#""hm""#), token(Kind::Reasoning)),
            (delta("reasoning_summary_text", r#""hm""#), token(Kind::Reasoning)),
            (delta("reasoning_summary", r#"{"text":"hm"}"#), token(Kind::Reasoning)),
            (delta("reasoning", r#""hm""#), token(Kind::Reasoning)),
            (delta("function_call_arguments", r#""{\"a""#), token(Kind::Answer)),
            (delta("custom_tool_call_input", r#""x""#), token(Kind::Answer)),
            (delta("mcp_call_arguments", r#""x""#), token(Kind::Answer)),
            (delta("code_interpreter_call_code", r#""x""#), token(Kind::Answer)),
            (delta("audio", r#""QUJD""#), vec![]),
            (delta("shell_call_output_content", r#"{"stdout":"x"}"#), vec![]),
            (delta("brand_new", r#""x""#), vec![Signal::Unknown]),
            (r#"{"type":"response.created","response":{"usage":null}}"#.into(), vec![]),
            (r#"{"type":"response.output_item.added","item":{"type":"message"}}"#.into(), vec![]),
            (r#"{"type":"response.output_text.done","text":"all of it"}"#.into(), vec![]),
            (r#"{"type":"response.web_search_call.completed"}"#.into(), vec![]),
            (r#"{"type":"response.mcp_call.failed"}"#.into(), vec![]),
            (r#"{"type":"keepalive"}"#.into(), vec![Signal::Keepalive]),
            (r#"{"type":"brand.new"}"#.into(), vec![Signal::Unknown]),
            (r#"{"type":7}"#.into(), vec![Signal::Unknown]),
            ("[DONE]".into(), vec![]),
            ("[1]".into(), vec![Signal::Unknown]),
            (
                r#"{"type":"response.output_text.delta","delta":"a","logprobs":[NaN]}"#.into(),
                token(Kind::Answer),
            ),
            (r#"{"type":"response.output_text.delta""#.into(), vec![Signal::Odd]),
        ];
        for (data, expected) in rows {
            assert_eq!(signals(&data), expected, "{data}");
        }
    }

    #[test]
    fn the_type_may_stand_in_the_name_of_the_event_alone() {
        let mut all = Vec::new();
        let named = Event { name: b"response.output_text.delta", data: br#"{"delta":"a"}"# };
        event(named, &mut |signal| all.push(signal));
        assert_eq!(all, [Signal::Token { choice: 0, kind: Kind::Answer }]);
    }

    #[test]
    fn end_04_a_response_ends_in_three_ways() {
        let usage =
            r#""usage":{"input_tokens":3,"output_tokens":9,"output_tokens_details":{"reasoning_tokens":4}}"#;
        let counted =
            Signal::Usage(Usage { output: Some(9), input: Some(3), reasoning: Some(4), cached: None });
        let output = r#""output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]"#;
        let completed =
            format!(r#"{{"type":"response.completed","response":{{"error":null,{output},{usage}}}}}"#);
        assert_eq!(
            signals(&completed),
            [Signal::WholeText, counted.clone(), finish("completed"), Signal::Done]
        );
        let incomplete = format!(
            r#"{{"type":"response.incomplete","response":{{"incomplete_details":{{"reason":"max_output_tokens"}},{usage}}}}}"#
        );
        assert_eq!(signals(&incomplete), [counted.clone(), finish("max_output_tokens"), Signal::Done]);
        let failed = format!(
            r#"{{"type":"response.failed","response":{{"error":{{"code":"server_error","message":"m"}},{usage}}}}}"#
        );
        assert!(
            matches!(&signals(&failed)[..], [_, Signal::Failed(f)] if f.message == "m" && f.code.as_deref() == Some("server_error"))
        );
    }

    #[test]
    fn an_error_event_fails_in_either_form() {
        let rows = [
            r#"{"type":"error","code":"rate_limit_exceeded","message":"m","param":null,"sequence_number":1}"#,
            r#"{"type":"error","error":{"code":"rate_limit_exceeded","message":"m"}}"#,
            r#"{"error":{"code":"rate_limit_exceeded","message":"m"}}"#,
        ];
        for data in rows {
            let found = signals(data);
            assert!(
                matches!(&found[..], [Signal::Failed(f)] if f.message == "m" && f.code.as_deref() == Some("rate_limit_exceeded")),
                "{data}: {found:?}"
            );
        }
        assert_eq!(signals(r#"{"type":"response.in_progress","error":null}"#), []);
    }

    #[test]
    fn a_whole_answer_is_read_by_its_status() {
        let token = Signal::Token { choice: 0, kind: Kind::Answer };
        let call =
            r#"{"status":"completed","output":[{"type":"function_call","name":"f","arguments":"{}"}]}"#;
        assert_eq!(whole_signals(call), [token.clone(), finish("completed"), Signal::Done]);
        let refusal = r#"{"status":"completed","output":[{"content":[{"type":"refusal","refusal":"No"}]}]}"#;
        assert_eq!(whole_signals(refusal), [token, finish("completed"), Signal::Done]);
        assert_eq!(whole_signals(r#"{"status":"in_progress","output":[]}"#), []);
        let error = whole_signals(r#"{"error":{"message":"m"}}"#);
        assert!(matches!(&error[..], [Signal::Failed(f)] if f.message == "m"));
    }
}
