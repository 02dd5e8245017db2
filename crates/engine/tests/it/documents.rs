//! Documents where a stream was due: whole answers and errors of any size, under any type, however they are written.

use engine::Clock;
use measure::{ErrorClass, Flag};
use serde_json::{Value, json};

use crate::case::{at_once, case, case_with, openai};
use crate::run::{run, scenario};
use crate::script::{DONE, Script, data, stream, text, whole};

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

#[test]
fn sch_06_what_json_forbids_but_servers_send_costs_a_document_nothing() {
    let [(_, document), ..] = documents(1);
    let (odd, answer) = (document.to_string(), "\"content\":\"x\"");
    let bodies = [
        odd.replacen('{', "{\"logprob\":-Infinity,", 1),
        odd.replacen('{', "{\"logprob\":[NaN],", 1),
        odd.replace(answer, "\"content\":\"\\ud83d\""),
        format!("\u{feff}{odd}"),
    ];
    let not_streamed =
        "body = '{\"messages\":[{\"role\":\"user\",\"content\":\"<query>\"}],\"stream\":false}'\n";
    for body in bodies {
        at_once(TYPES.to_vec(), |kind| {
            openai(whole("200 OK", kind, "", &body)).is_ok(0, Some(200)).flags(&[Flag::NotStreamed]);
        });
        let script = Script::always(whole("200 OK", "application/json", "", &body));
        let load = "[load]\nstages = [1]\nstage_requests = 1\npreflight = false\n";
        let stage =
            run(&(scenario(script.port, "openai-chat", load) + not_streamed)).recording.stages.remove(0);
        assert_eq!((stage.counts.ok, stage.tokens.output), (1, Some(200)), "{body}");
        assert!(stage.flags.is_empty(), "{body}: {:?}", stage.flags);
    }
}

#[test]
fn sch_06_what_json_forbids_cuts_no_last_event_whose_blank_line_is_missing() {
    let last = r#"data: {"choices":[{"delta":{},"logprobs":NaN,"finish_reason":"stop"}]}"#;
    let flags = [Flag::NoDone, Flag::UnterminatedEvent];
    openai(stream(&[&text("a"), last])).is_ok(1, None).flags(&flags);
    let only = r#"data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#;
    openai(stream(&[&format!("\u{feff}{only}")])).is_ok(1, None).flags(&flags);
}

#[test]
fn ft_07_a_whole_answer_without_a_finish_reason_is_complete() {
    let rows = [
        ("openai-chat", r#"{"choices":[{"message":{"content":"a"}}]}"#),
        ("openai-completions", r#"{"choices":[{"text":"a"}]}"#),
        ("anthropic-messages", r#"{"type":"message","content":[{"type":"text","text":"a"}]}"#),
    ];
    for (api, body) in rows {
        let case = case(api, whole("200 OK", "application/json", "", body));
        case.is_ok(0, None).flags(&[Flag::NoFinishReason, Flag::NotStreamed]);
    }
}

#[test]
fn ft_07_lines_of_a_pretty_document_of_ollama_are_no_lines_of_a_stream() {
    let body = "{\n  \"message\": {\n    \"tool_calls\": [\n      {\"function\": {\"name\": \"f\"}}\n    ]\n  },\n  \"done\": true,\n  \"eval_count\": 9\n}\n";
    for kind in ["application/json", "application/x-ndjson"] {
        let case = case("ollama-chat", whole("200 OK", kind, "", body));
        case.is_ok(0, Some(9)).flags(&[Flag::NotStreamed]);
    }
}

#[test]
fn very_many_choices_of_one_event_are_read_in_time() {
    let of = |rest: &str| {
        let choices: Vec<String> =
            (0..100_000).map(|index| format!("{{\"index\":{index},{rest}}}")).collect();
        data(&format!("{{\"choices\":[{}]}}", choices.join(",")))
    };
    let (tokens, stop) = (of("\"delta\":{\"content\":\"a\"}"), of("\"finish_reason\":\"stop\""));
    let clock = Clock::start();
    openai(stream(&[&tokens, &stop, DONE])).is_ok(100_000, None).flags(&[]);
    assert!(clock.now().seconds() < 20.0, "{}", clock.now().seconds());
}
