//! OpenAI Chat Completions: chunks with `choices[].delta`, usage on a chunk of its own, `[DONE]` at the end.

use serde::Deserialize;
use serde_json::Value;

use super::text::Text;
use super::{Failure, Kind, Signal, Usage, read, unreadable};
use crate::framing::Event;

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: Option<Value>,
    #[serde(default)]
    delta: Option<Delta>,
    /// An answer that is not streamed has this instead.
    #[serde(default)]
    message: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Delta {
    #[serde(default)]
    content: Text,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    reasoning: Text,
    #[serde(default)]
    reasoning_details: Text,
    #[serde(default)]
    refusal: Text,
    #[serde(default)]
    tool_calls: Text,
    #[serde(default)]
    function_call: Text,
}

pub(super) fn event(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    match event.data.trim_ascii() {
        b"[DONE]" => emit(Signal::Done),
        data => chunk(data, event.name, emit),
    }
}

pub(super) fn whole(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    chunk(body.trim_ascii(), b"", emit);
}

fn chunk(data: &[u8], event_name: &[u8], emit: &mut dyn FnMut(Signal)) {
    let named_error = event_name == b"error";
    let Some(chunk) = read::<Chunk>(data) else {
        return match named_error {
            true => emit(Signal::Failed(Failure::in_text(data).unwrap_or_else(|| plain(data)))),
            false => unreadable(data, emit),
        };
    };
    if let Some(error) = chunk.error
        && let Some(failure) = failure(error, data)
    {
        emit(Signal::Failed(failure));
    } else if named_error {
        emit(Signal::Failed(Failure::in_text(data).unwrap_or_else(|| plain(data))));
    }
    for choice in chunk.choices.into_iter().flatten() {
        choice_signals(choice, emit);
    }
    if let Some(usage) = chunk.usage.filter(|usage| !usage.is_empty()) {
        emit(Signal::Usage(usage));
    }
}

fn failure(error: Value, data: &[u8]) -> Option<Failure> {
    match error {
        Value::String(_) => Failure::in_text(data),
        error => Failure::in_error_key(&serde_json::json!({ "error": error })),
    }
}

fn plain(data: &[u8]) -> Failure {
    Failure::in_words(String::from_utf8_lossy(data))
}

fn choice_signals(choice: Choice, emit: &mut dyn FnMut(Signal)) {
    let index = index(choice.index.as_ref());
    let delta = choice.delta.or(choice.message).unwrap_or_default();
    // An event that holds both answer and reasoning is one token event, and counts as answer.
    let kind = if delta.content.0 || delta.tool_calls.0 || delta.function_call.0 {
        Some(Kind::Answer)
    } else if delta.refusal.0 {
        Some(Kind::Refusal)
    } else {
        let reasoning = delta.reasoning_content.0 || delta.reasoning.0 || delta.reasoning_details.0;
        reasoning.then_some(Kind::Reasoning)
    };
    match kind {
        Some(kind) => emit(Signal::Token { choice: index, kind }),
        None => emit(Signal::Choice(index)),
    }
    // An empty reason is no reason: the stream goes on.
    if let Some(Value::String(reason)) = choice.finish_reason
        && !reason.is_empty()
    {
        emit(Signal::Finish { choice: index, reason });
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
