//! Documents where a stream was due: whole answers and errors of any size, under any type, however they are written.

use measure::{ErrorClass, Flag};
use serde_json::{Value, json};

use crate::case::{at_once, case, case_with, openai};
use crate::script::whole;

/// The three protocols' whole answers, with a text of so many bytes.
fn documents(bytes: usize) -> [(&'static str, Value); 3] {
    let text = "x".repeat(bytes);
    let choice = json!({ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
    [
        ("openai-chat", json!({ "choices": [choice], "usage": { "completion_tokens": 200 } })),
        (
            "anthropic-messages",
            json!({ "type": "message", "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn",
                "usage": { "output_tokens": 200 } }),
        ),
        ("dify-chat", json!({ "answer": text, "metadata": { "usage": { "completion_tokens": 200 } } })),
    ]
}

/// One line, and as many as it has values.
fn written(document: &Value) -> [String; 2] {
    [document.to_string(), serde_json::to_string_pretty(document).unwrap()]
}

const TYPES: [&str; 4] = ["application/json", "text/plain", "text/event-stream", ""];

#[test]
fn ft_07_a_whole_answer_of_any_size_up_to_the_limit_of_an_event_is_read() {
    for (api, document) in documents(1 << 20) {
        for body in written(&document) {
            at_once(TYPES.to_vec(), |kind| {
                case(api, whole("200 OK", kind, "", &body)).is_ok(0, Some(200)).flags(&[Flag::NotStreamed]);
                let steps = whole("200 OK", kind, "", &body);
                let small = case_with(api, 1, "max_event_size = \"512KiB\"", move |_| steps.clone());
                small.failed(ErrorClass::EventTooLarge, "max_event_size");
            });
        }
    }
    // Of many lines, none of them large.
    let mut many = documents(1)[0].1.clone();
    many["prompt_logprobs"] = vec![json!({ "token": "a", "logprob": -0.5 }); 10_000].into();
    for body in written(&many) {
        at_once(TYPES.to_vec(), |kind| {
            openai(whole("200 OK", kind, "", &body)).is_ok(0, Some(200)).flags(&[Flag::NotStreamed]);
        });
    }
}

#[test]
fn ft_07_and_err_02_an_error_object_of_any_size_is_found() {
    let trace = vec!["at a line of a program"; 5_000];
    let error = json!({ "error": { "trace": trace, "message": "boom", "padding": "x".repeat(100_000) } });
    for (api, _) in documents(0) {
        for body in written(&error) {
            at_once(TYPES.to_vec(), |kind| {
                let case = case(api, whole("200 OK", kind, "", &body));
                case.failed(ErrorClass::InbandError, "boom");
            });
        }
    }
}
