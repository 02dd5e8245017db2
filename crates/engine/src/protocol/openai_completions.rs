//! OpenAI Completions: chunks with `choices[].text`. Usage often rides on a chunk whose text is empty.

use serde::Deserialize;
use serde_json::Value;

use super::text::Text;
use super::{Kind, Signal, Usage, openai_chunk};
use crate::framing::Event;

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: Option<Value>,
    #[serde(default)]
    text: Text,
    #[serde(default)]
    reasoning_content: Text,
    #[serde(default)]
    reasoning: Text,
    #[serde(default)]
    refusal: Text,
    #[serde(default)]
    finish_reason: Option<Value>,
    #[serde(default)]
    usage: Usage,
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
    fn kind(&self) -> Option<Kind> {
        match self {
            choice if choice.text.0 => Some(Kind::Answer),
            choice if choice.refusal.0 => Some(Kind::Refusal),
            choice if choice.reasoning_content.0 || choice.reasoning.0 => Some(Kind::Reasoning),
            _ => None,
        }
    }

    fn index(&self) -> Option<&Value> {
        self.index.as_ref()
    }

    fn finish_reason(&mut self) -> Option<Value> {
        self.finish_reason.take()
    }

    /// Pieces and whole answers have the same form here.
    fn is_whole(&self) -> bool {
        false
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn error(&self) -> Option<&Value> {
        self.error.as_ref()
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

    fn token(choice: u32) -> Signal {
        Signal::Token { choice, kind: Kind::Answer }
    }

    fn finish(choice: u32, reason: &str) -> Signal {
        Signal::Finish { choice, reason: reason.into() }
    }

    #[test]
    fn tok_04_usage_is_read_from_a_chunk_with_empty_text_and_from_one_without_choices() {
        let usage = || Signal::Usage(Usage { output: Some(17), input: Some(5), ..Usage::default() });
        let counts = r#""usage":{"prompt_tokens":5,"completion_tokens":17,"total_tokens":22}"#;
        let on_text = format!(r#"{{"choices":[{{"index":0,"text":"","finish_reason":"stop"}}],{counts}}}"#);
        assert_eq!(signals(&on_text), [Signal::Choice(0), finish(0, "stop"), usage()]);
        assert_eq!(signals(&format!(r#"{{"choices":[],{counts}}}"#)), [usage()]);
    }

    #[test]
    fn text_is_a_token_whatever_stands_beside_it() {
        let rows = [
            (r#"{"choices":[{"index":0,"text":"a"}],"usage":null}"#, vec![token(0)]),
            (r#"{"choices":[{"text":"\ud83d"}]}"#, vec![token(0)]),
            (r#"{"choices":[{"index":"1","text":"a","logprobs":null}]}"#, vec![token(1)]),
            (
                r#"{"choices":[{"index":0,"text":"a"},{"index":1,"text":"b","finish_reason":"stop"}]}"#,
                vec![token(0), token(1), finish(1, "stop")],
            ),
            (r#"{"choices":[{"text":"z","finish_reason":"length"}]}"#, vec![token(0), finish(0, "length")]),
            (r#"{"choices":[{"text":null,"finish_reason":null}]}"#, vec![Signal::Choice(0)]),
            (r#"{"choices":[{"text":7,"finish_reason":""}]}"#, vec![Signal::Choice(0)]),
            (
                r#"{"choices":[{"text":"","reasoning":"hm"}]}"#,
                vec![Signal::Token { choice: 0, kind: Kind::Reasoning }],
            ),
            (r#"{"choices":[null]}"#, vec![]),
            (r#"{"choices":[],"prompt_filter_results":[]}"#, vec![]),
            (r#"{"usage":{},"cost":"0"}"#, vec![]),
            (r#"{"error":null,"choices":[{"text":"error"}]}"#, vec![token(0)]),
            ("[DONE]", vec![Signal::Done]),
        ];
        for (data, expected) in rows {
            assert_eq!(signals(data), expected, "{data}");
        }
    }

    #[test]
    fn counts_may_be_written_as_texts() {
        let found = signals(r#"{"choices":[],"usage":{"prompt_tokens":"5","completion_tokens":"17"}}"#);
        assert_eq!(found, [Signal::Usage(Usage { output: Some(17), input: Some(5), ..Usage::default() })]);
    }

    #[test]
    fn sch_06_numbers_that_json_does_not_have_cost_no_token() {
        assert_eq!(signals(r#"{"choices":[{"text":"a","logprobs":{"x":NaN}}]}"#), [token(0)]);
    }

    #[test]
    fn an_error_fails_by_its_key_or_by_the_name_of_the_event() {
        assert!(
            matches!(&signals(r#"{"error":{"message":"m"}}"#)[..], [Signal::Failed(f)] if f.message == "m")
        );
        let mut all = Vec::new();
        event(Event { name: b"error", data: b"boom" }, &mut |signal| all.push(signal));
        assert!(matches!(&all[..], [Signal::Failed(f)] if f.message == "boom"));
    }
}
