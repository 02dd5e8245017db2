//! OpenAI Chat Completions: chunks with `choices[].delta`, usage on a chunk of its own, `[DONE]` at the end.

use serde::Deserialize;
use serde_json::Value;

use super::lenient::Object;
use super::text::{Content, Text};
use super::{Kind, Signal, Usage, openai_chunk};
use crate::framing::Event;

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: Option<Value>,
    #[serde(default)]
    delta: Object<Delta>,
    /// An answer that is not streamed has this instead.
    #[serde(default)]
    message: Object<Delta>,
    #[serde(default)]
    finish_reason: Option<Value>,
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

pub(super) fn event(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    openai_chunk::event::<Choice>(event, emit);
}

pub(super) fn whole(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    openai_chunk::whole::<Choice>(body, emit);
}

impl openai_chunk::Choice for Choice {
    /// A choice that holds both answer and reasoning is one token event, and counts as answer.
    fn kind(&self) -> Option<Kind> {
        let delta = self.delta.0.as_ref().or(self.message.0.as_ref())?;
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

    fn index(&self) -> Option<&Value> {
        self.index.as_ref()
    }

    fn finish_reason(&mut self) -> Option<Value> {
        self.finish_reason.take()
    }

    fn is_whole(&self) -> bool {
        self.delta.0.is_none() && self.message.0.is_some()
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn error(&self) -> Option<&Value> {
        self.error.as_ref().or(self.delta.0.as_ref()?.error.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::heard;
    use super::*;
    use crate::protocol::Usage;

    fn signals(data: &str) -> Vec<Signal> {
        heard(event, data)
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
    fn sch_06_numbers_that_json_does_not_have_cost_no_token() {
        let logprobs = r#"{"content":[{"token":"a","logprob":-Infinity}]}"#;
        let data = format!(r#"{{"choices":[{{"delta":{{"content":"a"}},"logprobs":{logprobs}}}]}}"#);
        assert_eq!(signals(&data), [token(Kind::Answer)]);
    }

    #[test]
    fn data_that_is_no_json_is_odd_and_json_of_another_form_unknown() {
        assert_eq!(signals(": keepalive"), [Signal::Odd]);
        assert_eq!(signals("[1]"), [Signal::Unknown]);
    }
}
