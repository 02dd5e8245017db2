//! What the first token is, and what is not: roles, reasoning, tools, heads, documents, bursts.

use measure::{Flag, Outcome};

use crate::case::{at_once, case, openai};
use crate::script::{
    DONE, ROLE, STOP, Step, chunk, data, delta, finish, head, text, timeline, typed, usage, whole, write,
};

#[test]
fn ft_01_a_role_chunk_is_not_the_first_token() {
    let roles = [
        r#"{"role":"assistant"}"#,
        r#"{"role":"assistant","content":null}"#,
        r#"{"role":"assistant","content":""}"#,
    ];
    at_once(roles.to_vec(), |role| {
        let end = STOP.to_owned() + &usage(2) + DONE;
        let case = openai(timeline(&[(5, delta(role)), (214, text("a")), (234, text("b")), (234, end)]));
        case.is_ok(2, Some(2)).flags(&[]);
        let metrics = case.metrics();
        case.at(metrics.ttfb, 0, 5)
            .at(metrics.ttfe, 1, 5)
            .at(metrics.ttft, 2, 214)
            .at(metrics.e2e, 4, 234)
            .gaps(&[2, 3]);
    });
}

/// The four ways to think: the delta of an event, and whether an answer follows after ten of twenty.
const THINKING: [(&str, bool); 8] = [
    (r#"{"reasoning_content":"x"}"#, false),
    (r#"{"reasoning":"x"}"#, false),
    (r#"{"reasoning_details":[{"type":"t","text":"x"}]}"#, false),
    (r#"{"reasoning_content":"x"}"#, true),
    (r#"{"reasoning":"x","reasoning_content":"x","content":""}"#, false),
    (r#"{"reasoning_text":"x"}"#, false),
    (r#"{"thinking":"x","content":null}"#, false),
    (r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"x"}]}]}"#, true),
];

#[test]
fn ft_03_thinking_is_generated_text_in_every_spelling() {
    at_once(THINKING.to_vec(), |(thinking, answers)| {
        let mut rows = vec![(10, ROLE.to_owned())];
        rows.extend((0..20).map(|i| {
            let says = if answers && i >= 10 { text("y") } else { delta(thinking) };
            (100 + 50 * i, says)
        }));
        rows.push((1050, finish("length") + &usage(20) + DONE));
        let case = openai(timeline(&rows));
        case.is_ok(20, Some(20)).flags(&[]);
        let metrics = case.metrics();
        case.at(metrics.ttft, 2, 100).tpot(2, 21, 19);
        match answers {
            true => _ = case.at(metrics.ttfo, 12, 600),
            false => assert_eq!(metrics.ttfo, None, "{thinking}"),
        }
        assert_eq!(case.attempt().finish_reason.as_deref(), Some("length"));
        assert_eq!(case.stage.ttfo_ms.n, u64::from(answers));
    });
}

#[test]
fn ft_03_an_event_with_reasoning_and_answer_is_one_token_event() {
    let both = delta(r#"{"content":"a","reasoning":"x","reasoning_content":"x"}"#);
    let case = openai(timeline(&[(10, both), (20, STOP.to_owned() + &usage(1) + DONE)]));
    case.is_ok(1, Some(1));
    assert_eq!(case.metrics().ttfo, case.metrics().ttft);
}

#[test]
fn ft_04_a_tool_call_is_an_answer() {
    let call = |arguments: &str| {
        delta(&format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":{arguments}}}}}]}}"#))
    };
    let first = delta(
        r#"{"content":null,"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}"#,
    );
    let case = openai(timeline(&[
        (10, ROLE.to_owned()),
        (120, first),
        (140, call(r#""{\"a""#)),
        (160, call(r#""\":1}""#)),
        (165, finish("tool_calls") + &usage(9) + DONE),
    ]));
    case.is_ok(3, Some(9)).flags(&[]).gaps(&[2, 3, 4]).tpot(2, 4, 8);
    let metrics = case.metrics();
    case.at(metrics.ttft, 2, 120).at(metrics.ttfo, 2, 120);
}

#[test]
fn ft_04_the_older_function_call_and_anthropics_tools_are_answers_too() {
    let older = openai(timeline(&[
        (5, delta(r#"{"content":null,"function_call":{"name":"f","arguments":""}}"#)),
        (25, delta(r#"{"function_call":{"arguments":"{}"}}"#)),
        (26, finish("function_call") + &usage(5) + DONE),
    ]));
    older.is_ok(2, Some(5)).gaps(&[1, 2]);
    let json = |part: &str| {
        typed(
            "content_block_delta",
            &format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":"{part}"}}}}"#
            ),
        )
    };
    let end = typed(
        "message_delta",
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
    );
    let anthropic = case(
        "anthropic-messages",
        timeline(&[
            (5, json("")),
            (20, json("{")),
            (40, json("}")),
            (41, end + &typed("message_stop", r#"{"type":"message_stop"}"#)),
        ]),
    );
    anthropic.is_ok(2, Some(9)).gaps(&[2, 3]);
}

#[test]
fn ft_05_thinking_is_measured_and_signatures_and_unknown_deltas_are_no_tokens() {
    let block = |delta: &str| {
        typed(
            "content_block_delta",
            &format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#),
        )
    };
    let start = |block: &str| {
        typed(
            "content_block_start",
            &format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#),
        )
    };
    let stop = typed("content_block_stop", r#"{"type":"content_block_stop","index":0}"#);
    let case = case(
        "anthropic-messages",
        timeline(&[
            (
                80,
                typed(
                    "message_start",
                    r#"{"type":"message_start","message":{"usage":{"input_tokens":4,"output_tokens":1}}}"#,
                ),
            ),
            (80, typed("ping", r#"{"type":"ping"}"#)),
            (90, start(r#"{"type":"thinking","thinking":""}"#)),
            (300, block(r#"{"type":"thinking_delta","thinking":"hm"}"#)),
            (900, block(r#"{"type":"signature_delta","signature":"QUJD"}"#)),
            (901, stop),
            (905, start(r#"{"type":"text","text":""}"#)),
            (910, block(r#"{"type":"text_delta","text":"Hi"}"#)),
            (912, block(r#"{"type":"future_delta","future":"x"}"#)),
            (
                950,
                typed(
                    "message_delta",
                    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":30}}"#,
                ),
            ),
            (951, typed("message_stop", r#"{"type":"message_stop"}"#)),
        ]),
    );
    case.is_ok(2, Some(30)).flags(&[Flag::Keepalives, Flag::UnknownTypes]);
    let metrics = case.metrics();
    case.at(metrics.ttfb, 0, 80).at(metrics.ttft, 4, 300).at(metrics.ttfo, 8, 910).at(metrics.e2e, 11, 951);
    case.gaps(&[4, 8]).tpot(4, 8, 29);
}

#[test]
fn ft_06_head_first_token_and_end_are_three_instants() {
    let steps = vec![
        Step::At(5),
        write(&head("text/event-stream")),
        Step::At(6),
        write(&chunk(": waiting\n\n")),
        Step::At(800),
        write(&chunk(&text("a"))),
        Step::At(805),
        write(&chunk(&(STOP.to_owned() + &usage(1) + DONE))),
        write("0\r\n\r\n"),
    ];
    let case = openai(steps);
    case.is_ok(1, Some(1)).flags(&[Flag::Keepalives]);
    let metrics = case.metrics();
    case.at(metrics.ttfb, 0, 5).at(metrics.ttfe, 2, 800).at(metrics.ttft, 2, 800).at(metrics.e2e, 3, 805);
    assert_eq!((case.stage.ttfb_ms.n, case.stage.ttft_ms.n, case.stage.e2e_ms.n), (1, 1, 1));
}

#[test]
fn ft_07_a_server_that_ignores_stream_gives_no_ttft() {
    let openai = r#"{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":200}}"#;
    let anthropic = r#"{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":200}}"#;
    let dify = r#"{"event":"message","answer":"hi","metadata":{"usage":{"prompt_tokens":3,"completion_tokens":200}}}"#;
    let rows = vec![
        ("openai-chat", "application/json", openai, 4000),
        ("openai-chat", "application/json; charset=utf-8", openai, 10),
        ("openai-chat", "text/plain", openai, 10),
        // A document under the type of a stream: not one of its lines is a field.
        ("openai-chat", "text/event-stream", openai, 10),
        ("anthropic-messages", "application/json", anthropic, 10),
        ("dify-chat", "application/json", dify, 10),
    ];
    at_once(rows, |(api, kind, body, ms)| {
        let mut steps = whole("200 OK", kind, "", body);
        steps.insert(0, Step::At(ms));
        let case = case(api, steps);
        case.is_ok(0, Some(200)).flags(&[Flag::NotStreamed]);
        let metrics = case.metrics();
        case.at(metrics.e2e, 0, ms);
        assert_eq!((metrics.ttft, metrics.ttfo, metrics.tpot, metrics.decode_tps), (None, None, None, None));
        let stage = &case.stage;
        assert_eq!((stage.ttft_ms.n, stage.tpot_ms.n, stage.gap_ms.n, stage.decode_tps.n), (0, 0, 0, 0));
        let overall = 200.0 / metrics.e2e.unwrap().as_secs_f64();
        assert!((metrics.output_tps.unwrap() / overall - 1.0).abs() < 1e-6, "tokens over the whole time");
        if ms == 4000 {
            assert!((45.0..=50.0).contains(&metrics.output_tps.unwrap()), "{:?}", metrics.output_tps);
        }
    });
}

#[test]
fn ft_07_a_whole_answer_in_one_event_is_no_stream_either() {
    let message = r#"{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}"#;
    let chat = data(&format!(
        r#"{{"object":"chat.completion","choices":[{message}],"usage":{{"completion_tokens":200}}}}"#
    ));
    let own = data(
        r#"{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"output_tokens":200}}"#,
    );
    for (api, answer) in
        [("openai-chat", chat.clone() + DONE), ("openai-chat", chat.clone()), ("anthropic-messages", own)]
    {
        let case = case(api, timeline(&[(100, answer)]));
        case.is_ok(0, Some(200)).flags(&[Flag::NotStreamed]);
        let metrics = case.metrics();
        assert_eq!((metrics.ttft, metrics.tpot, case.stage.ttft_ms.n), (None, None, 0), "{api}");
        case.at(metrics.e2e, 1, 100);
    }
    // After a stream it repeats what was streamed, and is no token.
    let case = openai(timeline(&[(10, text("hi")), (60, chat + DONE)]));
    case.is_ok(1, Some(200)).flags(&[]);
    assert_eq!(case.attempt().at.last_token, case.attempt().at.first_token);
}

#[test]
fn ft_09_a_burst_is_flagged_and_has_no_token_rate() {
    let all = text("x").repeat(50) + STOP + &usage(50) + DONE;
    let at_once = format!("{}{}0\r\n\r\n", head("text/event-stream"), chunk(&all));
    let case = openai(vec![Step::At(1700), write(&at_once)]);
    case.is_ok(50, Some(50)).flags(&[Flag::Burst]);
    let metrics = case.metrics();
    case.at(metrics.ttft, 0, 1700).at(metrics.e2e, 0, 1700);
    assert_eq!((metrics.tpot, metrics.decode_tps), (None, None));
    assert!((26.0..=29.42).contains(&metrics.output_tps.unwrap()), "{:?}", metrics.output_tps);
    let gap = &case.stage.gap_ms;
    assert_eq!((gap.n, gap.min), (49, Some(0.0)), "no gap is negative, and zero is one");
    assert!(gap.p90.unwrap() < 0.1, "{:?}", gap.p90);
}

#[test]
fn ft_09_a_burst_is_one_for_every_protocol_and_an_even_stream_is_none() {
    let message = data(r#"{"event":"message","answer":"w "}"#);
    let dify = message.repeat(8)
        + &data(r#"{"event":"message_end","metadata":{"usage":{"prompt_tokens":1,"completion_tokens":8}}}"#);
    case("dify-chat", timeline(&[(30, dify)])).is_ok(8, Some(8)).flags(&[Flag::Burst]);
    let mut even: Vec<(u64, String)> = (0..8).map(|i| (10 + 5 * i, text("x"))).collect();
    even.push((50, STOP.to_owned() + &usage(8) + DONE));
    assert_eq!(openai(timeline(&even)).is_ok(8, Some(8)).attempt().outcome, Outcome::Ok);
    openai(timeline(&even)).flags(&[]);
}
