//! Chunks as servers really write them: sparse, with more than was asked for, of another form than documented.

use measure::{ErrorClass, Flag};

use crate::case::{case, openai};
use crate::script::{DONE, ROLE, STOP, Script, data, delta, finish, stream, text, timeline, usage, whole};

#[test]
fn sch_01_chunks_without_choices_are_no_tokens_and_no_errors() {
    for preamble in [
        r#"{"choices":[],"prompt_filter_results":[]}"#,
        r#"{"prompt_filter_results":[]}"#,
        r#"{"choices":null}"#,
        r#"{"choices":{}}"#,
        "{}",
    ] {
        let end = STOP.to_owned() + &usage(1) + DONE;
        let case =
            openai(timeline(&[(20, data(preamble)), (30, ROLE.to_owned()), (200, text("a")), (200, end)]));
        case.is_ok(1, Some(1)).flags(&[]);
        let metrics = case.metrics();
        case.at(metrics.ttft, 3, 200).at(metrics.ttfe, 1, 20);
    }
}

#[test]
fn sch_02_sparse_and_extra_chunks_are_read() {
    let token =
        |rest: &str| data(&format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"a"}}}}]{rest}}}"#));
    let chunks = [
        &token(""),
        &token(
            r#","id":null,"object":7,"created":1.7e9,"system_fingerprint":["f"],"unknown":{"a":[1,{"b":null}]}"#,
        ),
        &token(r#","usage":{"completion_tokens":5,"prompt_tokens":3}"#),
        &token(r#","usage":{}"#),
        &token(r#","usage":null"#),
        &data(r#"{"choices":[{"index":"0","delta":{"content":"a"}}]}"#),
        &data(r#"{"choices":[{"delta":{"content":"a"}}]}"#),
        &data(r#"{"choices":[{"index":null,"delta":{"content":"a"},"logprobs":null}]}"#),
        STOP,
        &data(r#"{"choices":[],"cost":"0"}"#),
        DONE,
    ];
    let case = openai(stream(&[&chunks.concat()]));
    case.is_ok(8, Some(5)).flags(&[Flag::Burst]);
    assert_eq!((case.attempt().tokens.input, case.stage.gap_ms.n), (Some(3), 7), "all of one choice");
}

#[test]
fn sch_02_a_field_of_another_form_costs_only_itself() {
    let token = text("a");
    let odd = [
        r#"{"choices":[null,{"index":0,"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"a"},"message":"x","finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"a","tool_calls":7,"refusal":{},"reasoning":[null,3]}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"a","content":"a"}}]}"#,
        r#"{"choices":[{"index":-1,"delta":{"content":"a"},"finish_reason":{"type":"stop"}}],"usage":"none"}"#,
        r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}],"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"\ud83d"}}]}"#,
    ];
    for chunk in odd {
        openai(stream(&[&token, &data(chunk), STOP, &usage(2), DONE])).is_ok(2, Some(2)).flags(&[]);
    }
    let silent = [
        r#"{"choices":[{"index":0,"delta":null}]}"#,
        r#"{"choices":[{"index":0,"delta":"a"}]}"#,
        r#"{"choices":[{"index":0,"delta":[]}]}"#,
        r#"{"choices":[{"index":0}]}"#,
        r#"{"choices":["a"]}"#,
        r#"{"choices":"a"}"#,
        r#"{"choices":[{"index":0,"delta":{"content":5}}]}"#,
    ];
    for chunk in silent {
        openai(stream(&[&data(chunk), &token, STOP, &usage(1), DONE])).is_ok(1, Some(1)).flags(&[]);
    }
    for unknown in ["[1]", "5", "\"a\"", "null", "true"] {
        openai(stream(&[&data(unknown), &token, STOP, &usage(1), DONE]))
            .is_ok(1, Some(1))
            .flags(&[Flag::UnknownTypes]);
    }
}

#[test]
fn sch_02_dify_and_anthropic_events_of_another_form_cost_only_themselves() {
    let dify = [
        r#"{"event":"message","answer":null}"#,
        r#"{"event":"message","answer":5,"metadata":[]}"#,
        r#"{"event":"text_chunk","data":null}"#,
        r#"{"event":"text_chunk","data":{"text":["a"]}}"#,
        r#"{"event":"workflow_finished","data":"x"}"#,
    ];
    for odd in dify {
        let good = data(r#"{"event":"message","answer":"a"}"#)
            + &data(r#"{"event":"message_end","metadata":{"usage":{"completion_tokens":1}}}"#);
        case("dify-chat", stream(&[&data(odd), &good])).is_ok(1, Some(1)).flags(&[]);
    }
    let anthropic = [
        r#"{"type":"message_start","message":null}"#,
        r#"{"type":"message_start","message":{"usage":[]}}"#,
        r#"{"type":"content_block_start","content_block":7}"#,
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":null}}"#,
        r#"{"type":"message_delta","delta":null,"usage":"x"}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":7}}"#,
    ];
    for odd in anthropic {
        let good = data(r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#)
            + &data(
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#,
            )
            + &data(r#"{"type":"message_stop"}"#);
        case("anthropic-messages", stream(&[&data(odd), &good])).is_ok(1, Some(1)).flags(&[]);
    }
}

#[test]
fn sch_03_finish_reasons_of_every_kind() {
    let with = |content: &str, reason: &str| {
        data(&format!(
            r#"{{"choices":[{{"index":0,"delta":{{"content":"{content}"}},"finish_reason":"{reason}"}}]}}"#
        ))
    };
    // (a) An empty reason is none.
    let empty = openai(stream(&[&with("a", "").repeat(3), STOP, &usage(3), DONE]));
    empty.is_ok(3, Some(3)).flags(&[]);
    openai(stream(&[&with("a", "").repeat(3)])).failed(ErrorClass::Truncated, "ended before");
    // (b) The chunk that ends the answer may hold its last text.
    let last = openai(stream(&[&text("x"), &text("y"), &with("z", "length"), &usage(3), DONE]));
    last.is_ok(3, Some(3)).flags(&[]);
    assert_eq!(last.attempt().finish_reason.as_deref(), Some("length"));
    // (c) A generation that failed is no answer.
    for reason in ["error", "ERROR", "abort"] {
        let failed = openai(stream(&[&text("x"), &text("y"), &finish(reason), DONE]));
        failed.failed(ErrorClass::GenerationError, reason);
        assert_eq!((failed.stage.tokens.partial_chunks, failed.stage.tokens.chunks), (2, 0));
    }
    // (d) What the filter withheld is none either, and asking again would not help.
    let filtered = openai(stream(&[&finish("content_filter"), &usage(0), DONE]));
    filtered.failed(ErrorClass::ContentFiltered, "content_filter");
    assert_eq!(filtered.script.requests().len(), 1);
    openai(stream(&[&text("a"), &finish("content_filter"), &usage(1), DONE])).is_ok(1, Some(1));
    // (e) A refusal is generated text.
    let refused = openai(stream(&[&delta(r#"{"refusal":"No"}"#), STOP, &usage(1), DONE]));
    refused.is_ok(1, Some(1)).flags(&[Flag::Refusal]);
    // (f) A new reason is kept as it is.
    let new = openai(stream(&[&text("a"), &finish("brand_new"), &usage(1), DONE]));
    new.is_ok(1, Some(1)).flags(&[]);
    assert_eq!(new.attempt().finish_reason.as_deref(), Some("brand_new"));
}

#[test]
fn sch_04_tools_without_an_index_and_content_in_parts_are_tokens() {
    let call =
        delta(r#"{"content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}"#);
    let parts = delta(r#"{"content":[{"type":"text","text":"a"}]}"#);
    openai(stream(&[&call, &parts, STOP, &usage(2), DONE])).is_ok(2, Some(2)).flags(&[]);
    for (tokens, delta_text) in [
        (1, r#"{"tool_calls":{"function":{"name":"f"}}}"#),
        (1, r#"{"tool_calls":[{"index":null,"function":{"name":null,"arguments":"{"}}]}"#),
        (1, r#"{"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]}"#),
        (0, r#"{"tool_calls":null}"#),
        (0, r#"{"tool_calls":[]}"#),
        (
            0,
            r#"{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"","arguments":""}}]}"#,
        ),
        (0, r#"{"content":[{"type":"text","text":""}]}"#),
        (0, r#"{"content":[]}"#),
        (0, r#"{"content":[{"type":"image_url","image_url":{"url":"u"}}]}"#),
    ] {
        openai(stream(&[&text("a"), &delta(delta_text), STOP, DONE])).is_ok(1 + tokens, None).flags(&[]);
    }
}

#[test]
fn sch_06_numbers_that_json_does_not_know_cost_nothing() {
    for number in ["-Infinity", "Infinity", "NaN", "-1e999"] {
        let odd = format!(
            r#"{{"choices":[{{"index":0,"delta":{{"content":"b"}},"logprobs":{{"content":[{{"token":"a","logprob":{number}}}]}}}}]}}"#
        );
        let case = openai(stream(&[&text("a"), &data(&odd), &text("c"), STOP, &usage(3), DONE]));
        case.is_ok(3, Some(3)).flags(&[]);
        assert_eq!(case.stage.counts.failed, 0);
    }
}

#[test]
fn sch_06_a_500_is_an_ordinary_server_error() {
    let body = r#"{"error":{"message":"Out of range float values are not JSON compliant","code":500}}"#;
    let script = Script::each(move |n| match n {
        0 => whole("500 Internal Server Error", "application/json", "", body),
        _ => stream(&[&text("a"), STOP, &usage(1), DONE]),
    });
    let all = crate::run::attempts(script.port, "openai-chat", 2, "");
    let names: Vec<&str> = all.iter().map(|attempt| attempt.outcome.name()).collect();
    assert_eq!((names, all[0].status), (vec!["server_error", "ok"], Some(500)));
    assert!(all[1].reused, "the connection is as good as before");
}
