//! OpenAI Chat Completions: chunks with `choices[].delta`, usage on a chunk of its own, `[DONE]` at the end.

use serde::Deserialize;
use serde_json::Value;

use super::lenient::{List, Object, Word};
use super::text::{Content, Text};
use super::{Failure, Kind, Signal, Usage, is_error, read, unreadable};
use crate::framing::Event;

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: List<Choice>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    x_groq: Object<Extension>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Choice {
    #[serde(default)]
    index: Option<Value>,
    #[serde(default)]
    delta: Object<Delta>,
    /// An answer that is not streamed has this instead.
    #[serde(default)]
    message: Object<Delta>,
    #[serde(default)]
    finish_reason: Word,
    /// Some servers count here.
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Delta {
    #[serde(default)]
    content: Content,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    reasoning: Text,
    #[serde(default)]
    reasoning_details: Text,
    #[serde(default)]
    reasoning_text: Text,
    #[serde(default)]
    thinking: Text,
    #[serde(default)]
    refusal: Text,
    #[serde(default)]
    tool_calls: Text,
    #[serde(default)]
    function_call: Text,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Extension {
    #[serde(default)]
    usage: Usage,
}

pub(super) fn event(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    let data = event.data.trim_ascii();
    match data {
        b"[DONE]" => emit(Signal::Done),
        _ if is_error(event.name) => emit(Signal::Failed(Failure::said(data))),
        _ => chunk(data, emit),
    }
}

pub(super) fn whole(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    chunk(body.trim_ascii(), emit);
}

fn chunk(data: &[u8], emit: &mut dyn FnMut(Signal)) {
    let Some(chunk) = read::<Chunk>(data) else { return unreadable(data, emit) };
    let mut usage = chunk.usage;
    usage.replace(chunk.x_groq.0.unwrap_or_default().usage);
    // Only what could be an error is read a second time.
    if chunk.error.is_some() || (chunk.choices.0.is_empty() && usage.is_empty()) {
        failed(Failure::in_document(data), emit);
    }
    if chunk.choices.0.iter().any(|choice| choice.delta.0.is_none() && choice.message.0.is_some()) {
        emit(Signal::Document);
    }
    for choice in chunk.choices.0 {
        usage.replace(choice.usage);
        choice_signals(choice, emit);
    }
    if !usage.is_empty() {
        emit(Signal::Usage(usage));
    }
}

fn failed(failure: Option<Failure>, emit: &mut dyn FnMut(Signal)) {
    if let Some(failure) = failure {
        emit(Signal::Failed(failure));
    }
}

fn choice_signals(choice: Choice, emit: &mut dyn FnMut(Signal)) {
    let index = index(choice.index.as_ref());
    let delta = choice.delta.0.or(choice.message.0).unwrap_or_default();
    match kind(&delta) {
        Some(kind) => emit(Signal::Token { choice: index, kind }),
        None => emit(Signal::Choice(index)),
    }
    for error in [delta.error, choice.error].into_iter().flatten() {
        failed(Failure::of_error(&error), emit);
    }
    // An empty reason is no reason: the stream goes on.
    if let Some(reason) = choice.finish_reason.said() {
        emit(Signal::Finish { choice: index, reason });
    }
}

/// An event that holds both answer and reasoning is one token event, and counts as answer.
fn kind(delta: &Delta) -> Option<Kind> {
    let thinks = [
        Text(delta.content.thinking),
        delta.reasoning_content,
        delta.reasoning,
        delta.reasoning_details,
        delta.reasoning_text,
        delta.thinking,
    ];
    if delta.content.answer || delta.tool_calls.0 || delta.function_call.0 {
        Some(Kind::Answer)
    } else if delta.refusal.0 {
        Some(Kind::Refusal)
    } else {
        thinks.iter().any(|text| text.0).then_some(Kind::Reasoning)
    }
}

fn index(index: Option<&Value>) -> u32 {
    let number = match index {
        Some(Value::Number(number)) => number.as_u64(),
        Some(Value::String(text)) => text.parse().ok(),
        _ => None,
    };
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals(data: &str) -> Vec<Signal> {
        let mut all = Vec::new();
        event(Event { name: b"", data: data.as_bytes() }, &mut |signal| all.push(signal));
        all
    }

    fn token(kind: Kind) -> Signal {
        Signal::Token { choice: 0, kind }
    }

    #[test]
    fn only_generated_text_is_a_token() {
        let rows = [
            (r#"{"role":"assistant"}"#, None),
            (r#"{"role":"assistant","content":null}"#, None),
            (r#"{"role":"assistant","content":""}"#, None),
            (r#"{"content":"a"}"#, Some(Kind::Answer)),
            (r#"{"content":[{"type":"text","text":"a"}]}"#, Some(Kind::Answer)),
            (r#"{"content":"\ud83d"}"#, Some(Kind::Answer)),
            (r#"{"reasoning_content":"x"}"#, Some(Kind::Reasoning)),
            (r#"{"reasoning":"x"}"#, Some(Kind::Reasoning)),
            (r#"{"reasoning_details":[{"type":"t","text":"x"}]}"#, Some(Kind::Reasoning)),
            (r#"{"content":"a","reasoning":"x"}"#, Some(Kind::Answer)),
            (r#"{"refusal":"No"}"#, Some(Kind::Refusal)),
            (
                r#"{"content":null,"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}"#,
                Some(Kind::Answer),
            ),
            (r#"{"tool_calls":[{"function":{"arguments":"{\"a"}}]}"#, Some(Kind::Answer)),
        ];
        for (delta, kind) in rows {
            let found = signals(&format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#));
            let expected = kind.map_or(Signal::Choice(0), token);
            assert_eq!(found, [expected], "{delta}");
        }
    }

    #[test]
    fn sch_01_and_sch_02_sparse_chunks_are_read() {
        assert_eq!(signals(r#"{"choices":[],"prompt_filter_results":[]}"#), []);
        assert_eq!(signals(r#"{"usage":{},"cost":"0"}"#), []);
        assert_eq!(signals(r#"{"choices":[],"usage":null,"created":1.7e9}"#), []);
        assert_eq!(signals(r#"{"choices":[{"index":"0","delta":{"content":"a"}}]}"#), [token(Kind::Answer)]);
    }

    #[test]
    fn usage_keeps_reasoning_inside_output() {
        let found = signals(
            r#"{"choices":[],"usage":{"completion_tokens":100,"prompt_tokens":10,"completion_tokens_details":{"reasoning_tokens":80}}}"#,
        );
        let usage = Usage { output: Some(100), input: Some(10), reasoning: Some(80), cached: None };
        assert_eq!(found, [Signal::Usage(usage)]);
    }

    #[test]
    fn an_error_fails_and_a_null_error_does_not() {
        assert!(
            matches!(&signals(r#"{"error":{"message":"m"}}"#)[..], [Signal::Failed(f)] if f.message == "m")
        );
        assert!(matches!(&signals(r#"{"error":"m"}"#)[..], [Signal::Failed(f)] if f.message == "m"));
        assert_eq!(
            signals(r#"{"error":null,"choices":[{"delta":{"content":"error"}}]}"#),
            [token(Kind::Answer)]
        );
    }

    #[test]
    fn sch_03_an_empty_finish_reason_is_none_and_any_other_is_kept() {
        assert_eq!(signals(r#"{"choices":[{"delta":{},"finish_reason":""}]}"#), [Signal::Choice(0)]);
        let last = signals(r#"{"choices":[{"delta":{"content":"z"},"finish_reason":"brand_new"}]}"#);
        assert_eq!(last, [token(Kind::Answer), Signal::Finish { choice: 0, reason: "brand_new".into() }]);
    }

    #[test]
    fn data_that_is_no_json_is_odd_and_json_of_another_form_unknown() {
        assert_eq!(signals(": keepalive"), [Signal::Odd]);
        assert_eq!(signals(r#"{"choices":[{"logprobs":-Infinity}]}"#), [Signal::Odd]);
        assert_eq!(signals("[1]"), [Signal::Unknown]);
    }
}
