//! What holds for every protocol: a field of another form costs nothing but itself.

use scenario::plan::{Api, Format, Mark, Pointer, Response};
use serde_json::{Value, json};

use super::*;

/// What may stand in a field that should hold something else.
/// What an event without a name says.
pub(super) fn heard(event: fn(Event<'_>, &mut dyn FnMut(Signal)), data: &str) -> Vec<Signal> {
    let mut all = Vec::new();
    event(Event { name: b"", data: data.as_bytes() }, &mut |signal| all.push(signal));
    all
}

fn odd_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(7),
        json!(-1.5),
        json!("x"),
        json!(""),
        json!(true),
        json!([]),
        json!([1]),
        json!(["x"]),
        json!({}),
        json!({ "a": [{}] }),
    ]
}

/// Events with text or an end in them, and the fields beside that which say nothing about it.
fn rows() -> Vec<(Protocol, Value, &'static [&'static str])> {
    let chat = json!({ "id": "i", "created": 1, "usage": null, "choices": [{ "index": 0, "logprobs": null,
        "delta": { "role": "assistant", "content": "a", "reasoning": null, "tool_calls": null, "refusal": null } }] });
    let completions = json!({ "id": "i", "model": "m", "usage": null,
        "choices": [{ "index": 0, "text": "a", "logprobs": null, "reasoning": null }] });
    let delta = json!({ "type": "response.output_text.delta", "delta": "a", "item_id": "i", "logprobs": [],
        "response": null, "sequence_number": 1 });
    let completed = json!({ "type": "response.completed", "delta": null, "sequence_number": 1,
        "response": { "id": "i", "model": "m", "incomplete_details": null, "usage": null, "tools": [] } });
    let text = json!({ "type": "content_block_delta", "index": 0, "message": null, "usage": null, "stop_reason": null,
        "delta": { "type": "text_delta", "text": "a", "stop_reason": null, "thinking": null } });
    let stop = json!({ "type": "message_stop", "delta": null, "usage": null, "message": null });
    let say = json!({ "event": "message", "answer": "a", "data": null, "metadata": null, "message_id": "m" });
    let end = json!({ "event": "message_end", "answer": null, "data": null, "metadata": { "usage": null } });
    let line = json!({ "message": { "content": "a", "thinking": null, "tool_calls": null, "images": null },
        "done": false, "done_reason": null, "eval_count": null, "created_at": "t" });
    let last = json!({ "message": null, "done": true, "total_duration": 1, "context": [1] });
    vec![
        (
            Protocol::of(Api::OpenAiChat),
            chat,
            &[
                "/id",
                "/created",
                "/usage",
                "/choices/0/logprobs",
                "/choices/0/delta/role",
                "/choices/0/delta/reasoning",
                "/choices/0/delta/tool_calls",
                "/choices/0/delta/refusal",
            ],
        ),
        (
            Protocol::of(Api::OpenAiCompletions),
            completions,
            &["/id", "/model", "/usage", "/choices/0/logprobs", "/choices/0/reasoning"],
        ),
        (
            Protocol::of(Api::OpenAiResponses),
            delta,
            &["/item_id", "/logprobs", "/response", "/sequence_number"],
        ),
        (
            Protocol::of(Api::OpenAiResponses),
            completed,
            &["/delta", "/response/id", "/response/incomplete_details", "/response/usage", "/response/tools"],
        ),
        (
            Protocol::of(Api::AnthropicMessages),
            text,
            &["/index", "/message", "/usage", "/stop_reason", "/delta/stop_reason", "/delta/thinking"],
        ),
        (Protocol::of(Api::AnthropicMessages), stop, &["/delta", "/usage", "/message"]),
        (Protocol::of(Api::DifyChat), say, &["/data", "/metadata", "/message_id"]),
        (Protocol::of(Api::DifyChat), end, &["/answer", "/data", "/metadata", "/metadata/usage"]),
        (
            Protocol::of(Api::OllamaChat),
            line,
            &["/message/thinking", "/message/tool_calls", "/message/images", "/done_reason", "/created_at"],
        ),
        (Protocol::of(Api::OllamaChat), last, &["/total_duration", "/context"]),
        (
            Protocol::of(Api::OpenAiChat),
            json!({ "choices": [{ "delta": { "content": "a" } }], "usage": { "completion_tokens": 9,
                "completion_tokens_details": null, "prompt_tokens_details": null, "total_tokens": 12 } }),
            &["/usage/completion_tokens_details", "/usage/prompt_tokens_details", "/usage/total_tokens"],
        ),
        (
            custom(),
            json!({ "text": "a", "thought": null, "usage": { "n": null }, "done": true }),
            &["/thought", "/usage"],
        ),
    ]
}

fn custom() -> Protocol {
    let at = |text: &str| Pointer::parse(text).unwrap();
    Protocol::custom(Arc::new(Response {
        format: Format::Sse,
        text: vec![at("/text")],
        reasoning: vec![at("/thought/*/text")],
        done: vec![Mark::Present(at("/done"))],
        error: vec![Mark::Present(at("/error"))],
        usage_output: vec![at("/usage/n")],
        usage_input: vec![],
    }))
}

fn signals(protocol: &Protocol, event: &Value) -> Vec<Signal> {
    let mut all = Vec::new();
    let data = event.to_string();
    protocol.event(Event { name: b"", data: data.as_bytes() }, &mut |signal| all.push(signal));
    all
}

#[test]
fn a_field_of_another_form_or_of_no_name_costs_nothing_but_itself() {
    for (protocol, event, fields) in rows() {
        let expected = signals(&protocol, &event);
        let tells = |signal: &Signal| matches!(signal, Signal::Token { .. } | Signal::Done);
        assert!(expected.iter().any(tells), "{event}: {expected:?}");
        for field in fields {
            for odd in odd_values() {
                let mut other = event.clone();
                *other.pointer_mut(field).unwrap() = odd;
                assert_eq!(signals(&protocol, &other), expected, "{field} of {other}");
            }
        }
        let mut with_more = event.clone();
        with_more["brand_new"] = json!({ "text": "x", "error": "x", "done": true });
        assert_eq!(signals(&protocol, &with_more), expected, "{with_more}");
    }
}

#[test]
fn whatever_comes_is_read_without_harm() {
    let pieces = [
        "",
        "{",
        "}",
        "[]",
        "null",
        "\"",
        "{\"error\":",
        "{\"choices\":[{\"delta\":",
        "{\"type\":\"error\"}",
        "{\"event\":\"error\"}",
        "{\"error\":{}}",
        "{\"error\":[]}",
        "{\"response\":{}}",
        "\u{feff}{}",
        "{\"\\ud800\":1}",
        "{\"done\":true,\"done\":true}",
        "{\"usage\":{\"completion_tokens\":-1,\"output_tokens\":1e400}}",
    ];
    let deep = "[".repeat(100_000);
    for api in Api::ALL {
        let protocol = if api == Api::Custom { custom() } else { Protocol::of(api) };
        for piece in pieces.iter().copied().chain([deep.as_str()]) {
            let mut finished = 0;
            let mut count = |signal: Signal| finished += usize::from(matches!(signal, Signal::Finish { .. }));
            protocol.event(Event { name: b"x", data: piece.as_bytes() }, &mut count);
            protocol.whole(piece.as_bytes(), &mut |_| {});
            assert!(finished <= 1, "{api:?} {piece}");
        }
    }
}
