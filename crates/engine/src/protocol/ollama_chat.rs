//! Ollama: a line of JSON per piece, `message` of chat or `response` of generate, `done: true` with the counts at the end.

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{Object, Word};
use super::text::Text;
use super::usage::Count;
use super::{Failure, Kind, Signal, Usage, read, unreadable};
use crate::framing::Event;

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    message: Object<Message>,
    #[serde(default)]
    response: Text,
    #[serde(default)]
    thinking: Text,
    #[serde(default)]
    done: Option<Value>,
    #[serde(default)]
    done_reason: Word,
    #[serde(default)]
    eval_count: Count,
    #[serde(default)]
    prompt_eval_count: Count,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Text,
    #[serde(default)]
    thinking: Text,
    #[serde(default)]
    reasoning: Text,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    refusal: Text,
    #[serde(default)]
    tool_calls: Text,
}

pub(super) fn event(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    line(event.data.trim_ascii(), emit);
}

/// A whole answer has the form of the last line.
pub(super) fn whole(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    line(body.trim_ascii(), emit);
}

fn line(data: &[u8], emit: &mut dyn FnMut(Signal)) {
    let Some(line) = read::<Line>(data) else { return unreadable(data, emit) };
    let error = line.error.as_ref().map(|error| serde_json::json!({ "error": error }));
    if let Some(failure) = error.as_ref().and_then(Failure::in_error_key) {
        emit(Signal::Failed(failure));
    }
    match line.kind() {
        Some(kind) => emit(Signal::Token { choice: 0, kind }),
        None => emit(Signal::Choice(0)),
    }
    let usage = Usage { output: line.eval_count.0, input: line.prompt_eval_count.0, ..Usage::default() };
    if !usage.is_empty() {
        emit(Signal::Usage(usage));
    }
    if line.done == Some(Value::Bool(true)) {
        let reason = line.done_reason.0.unwrap_or_else(|| "done".to_owned());
        emit(Signal::Finish { choice: 0, reason });
        emit(Signal::Done);
    }
}

impl Line {
    /// A line that holds both answer and thinking is one token event, and counts as answer.
    fn kind(&self) -> Option<Kind> {
        let message = self.message.0.as_ref();
        let has = |field: fn(&Message) -> Text| message.is_some_and(|message| field(message).0);
        if self.response.0 || has(|message| message.content) || has(|message| message.tool_calls) {
            return Some(Kind::Answer);
        }
        if has(|message| message.refusal) {
            return Some(Kind::Refusal);
        }
        let reasoning = self.thinking.0
            || has(|message| message.thinking)
            || has(|message| message.reasoning)
            || has(|message| message.reasoning_content);
        reasoning.then_some(Kind::Reasoning)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::heard;
    use super::*;

    fn signals(data: &str) -> Vec<Signal> {
        heard(event, data)
    }

    fn token(kind: Kind) -> Vec<Signal> {
        vec![Signal::Token { choice: 0, kind }]
    }

    #[test]
    fn only_generated_text_is_a_token() {
        let rows = [
            (r#"{"message":{"role":"assistant","content":"a"},"done":false}"#, token(Kind::Answer)),
            (r#"{"message":{"role":"assistant","content":"\ud83d"}}"#, token(Kind::Answer)),
            (r#"{"response":"a","done":false}"#, token(Kind::Answer)),
            (r#"{"message":{"content":"","thinking":"hm"}}"#, token(Kind::Reasoning)),
            (r#"{"response":"","thinking":"hm"}"#, token(Kind::Reasoning)),
            (r#"{"message":{"content":"a","thinking":"hm"}}"#, token(Kind::Answer)),
            (
                r#"{"message":{"content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]}}"#,
                token(Kind::Answer),
            ),
            (r#"{"message":{"role":"assistant","content":""}}"#, vec![Signal::Choice(0)]),
            (r#"{"message":{"content":null,"thinking":null,"tool_calls":null}}"#, vec![Signal::Choice(0)]),
            (r#"{"message":null,"done":"true","error":null}"#, vec![Signal::Choice(0)]),
            (r#"{"message":[1],"done_reason":7,"eval_count":{}}"#, vec![Signal::Choice(0)]),
            (r#"{"response":"a","logprobs":[{"logprob":-Infinity}]}"#, token(Kind::Answer)),
            ("{\"response\":\"a\"", vec![Signal::Odd]),
            ("[1]", vec![Signal::Unknown]),
        ];
        for (data, expected) in rows {
            assert_eq!(signals(data), expected, "{data}");
        }
    }

    #[test]
    fn the_last_line_has_the_counts_and_the_reason() {
        let usage = Usage { output: Some(298), input: Some(26), ..Usage::default() };
        let finish = |reason: &str| Signal::Finish { choice: 0, reason: reason.into() };
        let last = r#"{"message":{"content":""},"done":true,"done_reason":"stop","eval_count":298,"prompt_eval_count":"26"}"#;
        assert_eq!(signals(last), [Signal::Choice(0), Signal::Usage(usage), finish("stop"), Signal::Done]);
        assert_eq!(signals(r#"{"done":true}"#), [Signal::Choice(0), finish("done"), Signal::Done]);
    }

    #[test]
    fn an_error_line_fails() {
        let found = signals(r#"{"error":"an error was encountered while running the model"}"#);
        assert!(matches!(&found[..], [Signal::Failed(f), _] if f.message.starts_with("an error")));
    }
}
