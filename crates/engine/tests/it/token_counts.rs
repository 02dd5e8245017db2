//! How many tokens there were and how fast: usage in all its places, several tokens to a chunk, one token, none.

use measure::sample::TokenSource;
use measure::{ErrorClass, Flag, Outcome};

use crate::case::{case, case_with, openai};
use crate::script::{DONE, STOP, data, delta, finish, stream, text, timeline, typed, usage};

fn close_to(found: Option<f64>, expected: f64, share: f64) {
    let found = found.unwrap();
    assert!((found / expected - 1.0).abs() < share, "{found}, expected about {expected}");
}

#[test]
fn tok_01_several_tokens_per_chunk_are_not_one_per_chunk() {
    let mut rows: Vec<(u64, String)> = (0..100).map(|i| (500 + 40 * i, text("four words at once"))).collect();
    rows.push((4465, STOP.to_owned() + &usage(400) + DONE));
    let case = openai(timeline(&rows));
    case.is_ok(100, Some(400)).flags(&[]).tpot(1, 100, 399);
    let (metrics, stage) = (case.metrics(), &case.stage);
    case.at(metrics.ttft, 1, 500).at(metrics.e2e, 101, 4465);
    assert_eq!((stage.gap_ms.n, stage.tokens.chunks, stage.tpot_ms.n), (99, 100, 1));
    assert_eq!(stage.tokens.per_chunk, Some(4.0));
    close_to(stage.gap_ms.p50, 40.0, 0.05);
    close_to(stage.tpot_ms.p50, 9.92, 0.05);
    close_to(metrics.decode_tps, 100.8, 0.05);
    close_to(stage.output_tokens_per_s, 89.6, 0.08);
    // Four tokens to each of the 25 chunks of a full second.
    let peak = stage.timeline.iter().map(|second| second.tokens).fold(0.0, f64::max);
    assert!((96.0..=108.0).contains(&peak), "{peak}");
    assert!(peak >= stage.output_tokens_per_s.unwrap());
}

#[test]
fn tok_02_the_time_to_the_first_token_is_no_gap() {
    let case = openai(timeline(&[
        (500, text("a")),
        (520, text("b")),
        (540, text("c")),
        (540, STOP.to_owned() + &usage(3) + DONE),
    ]));
    case.is_ok(3, Some(3)).gaps(&[1, 2, 3]).tpot(1, 3, 2);
    let gap = &case.stage.gap_ms;
    assert_eq!(gap.n, 2);
    close_to(gap.mean, 20.0, 0.5);
    assert!(gap.max.unwrap() < 100.0, "{:?}", gap.max);
}

#[test]
fn tok_03_tokens_are_never_guessed_from_chunks() {
    let three = text("Hel") + &text("lo") + &text(" world");
    let told = openai(stream(&[&three, STOP, &usage(2), DONE]));
    told.is_ok(3, Some(2));
    assert_eq!((told.stage.tokens.chunks, told.attempt().tokens.source), (3, TokenSource::Usage));
    let silent = openai(stream(&[&three, STOP, DONE]));
    silent.is_ok(3, None);
    assert_eq!((silent.stage.tokens.chunks, silent.attempt().tokens.source), (3, TokenSource::None));
    let metrics = silent.metrics();
    assert_eq!(
        (metrics.tpot, metrics.ntpot, metrics.decode_tps, metrics.output_tps),
        (None, None, None, None)
    );
    assert_eq!(silent.stage.tokens.output, None);
    let mut rows: Vec<(u64, String)> = (0..20).map(|i| (20 + 5 * i, text("x"))).collect();
    rows.push((115, STOP.to_owned() + &usage(8) + DONE));
    let fragments = openai(timeline(&rows));
    fragments.is_ok(20, Some(8)).tpot(1, 20, 7);
    close_to(fragments.metrics().tpot.map(|tpot| tpot.as_secs_f64() * 1e3), 13.6, 0.3);
}

#[test]
fn tok_04_usage_counts_wherever_it_rides() {
    let rides = [
        // On the chunk that ends the answer, with empty text.
        r#"data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"completion_tokens":17}}"#,
        // On one without choices, or with none at all.
        &(STOP.to_owned() + r#"data: {"choices":[],"usage":{"completion_tokens":17}}"#),
        &(STOP.to_owned() + r#"data: {"choices":null,"usage":{"completion_tokens":17}}"#),
        &(STOP.to_owned() + r#"data: {"usage":{"completion_tokens":17}}"#),
        // Inside the choice, and in an extension.
        r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"completion_tokens":17}}]}"#,
        r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"completion_tokens":17}}}"#,
        // As text, and as a fraction of nothing.
        &(STOP.to_owned() + r#"data: {"usage":{"completion_tokens":"17","prompt_tokens":null}}"#),
        &(STOP.to_owned() + r#"data: {"usage":{"completion_tokens":17.0}}"#),
    ];
    let chunk = r#"data: {"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null}"#.to_owned() + "\n\n";
    for ride in rides {
        for ending in [DONE.to_owned(), String::new()] {
            let last = format!("{ride}\n\n{ending}");
            openai(stream(&[&chunk.repeat(5), &last])).is_ok(5, Some(17));
        }
    }
}

#[test]
fn tok_04_usage_that_follows_the_terminal_marker_counts() {
    let case = openai(timeline(&[(5, text("a")), (10, STOP.to_owned() + DONE), (50, usage(17))]));
    case.is_ok(1, Some(17)).flags(&[]);
    case.at(case.metrics().e2e, 2, 10);
}

#[test]
fn tok_06_anthropic_usage_replaces_and_never_adds() {
    let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1}}}"#;
    let token = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#;
    let report = |usage: &str| {
        typed(
            "message_delta",
            &format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{usage}}}"#),
        )
    };
    let case = case(
        "anthropic-messages",
        stream(&[
            &typed("message_start", start),
            &typed("content_block_delta", token),
            &report(r#"{"output_tokens":7}"#),
            &report(r#"{"input_tokens":25,"output_tokens":15}"#),
            &typed("message_stop", r#"{"type":"message_stop"}"#),
        ]),
    );
    case.is_ok(1, Some(15)).flags(&[]);
    assert_eq!(case.attempt().tokens.input, Some(25));
    assert_eq!((case.stage.tokens.output, case.stage.tokens.input), (Some(15), Some(25)));
}

#[test]
fn tok_07_reasoning_tokens_are_inside_the_output() {
    let last = r#"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":100,"completion_tokens_details":{"reasoning_tokens":80}}}"#;
    let case = openai(stream(&[&text("a"), STOP, &data(last), DONE]));
    case.is_ok(1, Some(100));
    assert_eq!((case.attempt().tokens.reasoning, case.stage.tokens.output), (Some(80), Some(100)));
    let broken = r#"{"choices":[],"usage":{"completion_tokens":100,"completion_tokens_details":"none"}}"#;
    openai(stream(&[&text("a"), STOP, &data(broken), DONE])).is_ok(1, Some(100));
}

#[test]
fn tok_08_tokens_that_the_parser_held_back_are_counted_from_when_they_were_made() {
    let counted = |delta: &str, n: u64| {
        data(&format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}],"usage":{{"completion_tokens":{n}}}}}"#))
    };
    let mut rows: Vec<(u64, String)> = (1..=10).map(|n| (90 + 10 * n, counted("{}", n))).collect();
    rows.push((200, counted(r#"{"content":"..."}"#, 11)));
    rows.extend((12..=21).map(|n| (90 + 10 * n, counted(r#"{"content":"x"}"#, n))));
    rows.push((300, STOP.to_owned() + DONE));
    let case = openai(timeline(&rows));
    // From usage 1 at write 1 to the last token at write 21: 200 ms for 20 tokens.
    case.is_ok(11, Some(21)).tpot(1, 21, 20);
    let metrics = case.metrics();
    case.at(metrics.ttft, 11, 200);
    let at = &case.attempt().at;
    let generated = at.first_generated.unwrap().since(at.sent.unwrap());
    case.at(Some(generated), 1, 100);
    close_to(metrics.tpot.map(|tpot| tpot.as_secs_f64() * 1e3), 10.0, 0.2);
}

#[test]
fn tok_08_usage_that_only_counts_the_prompt_is_no_generated_token() {
    let prompt = data(
        r#"{"choices":[{"index":0,"delta":{"role":"assistant"}}],"usage":{"prompt_tokens":9,"completion_tokens":0}}"#,
    );
    let case = openai(timeline(&[
        (5, prompt),
        (60, text("a")),
        (80, text("b")),
        (80, STOP.to_owned() + &usage(2) + DONE),
    ]));
    case.is_ok(2, Some(2)).tpot(2, 3, 1);
    assert_eq!(case.attempt().at.first_generated, None);
}

#[test]
fn tok_09_one_token_and_none_break_nothing() {
    let one = || timeline(&[(100, text("a")), (101, STOP.to_owned() + &usage(1) + DONE)]);
    let three = || {
        timeline(&[
            (100, text("a")),
            (120, text("b")),
            (140, text("c")),
            (140, STOP.to_owned() + &usage(3) + DONE),
        ])
    };
    let case = case_with("openai-chat", 5, "", move |n| match n {
        0..3 => one(),
        3 => three(),
        _ => stream(&[DONE]),
    });
    let outcomes: Vec<&str> = case.attempts.iter().map(|attempt| attempt.outcome.name()).collect();
    assert_eq!(outcomes, ["ok", "ok", "ok", "ok", "empty_output"]);
    let stage = &case.stage;
    assert_eq!((stage.tpot_ms.n, stage.ttft_ms.n, stage.counts.ok, stage.counts.failed), (1, 4, 4, 1));
    close_to(stage.tpot_ms.p50, 20.0, 0.5);
    assert_eq!(stage.decode_tps.n, 1);
    assert_eq!(stage.time_to_error_ms.n, 1);
}

#[test]
fn tok_09_no_token_at_all_is_told_apart_from_tokens_that_nobody_sees() {
    let empty = [
        stream(&[STOP, DONE]),
        stream(&[STOP, &usage(0), DONE]),
        stream(&[&delta("null"), STOP]),
        stream(&[&delta(r#"{"content":""}"#), &finish("length"), DONE]),
    ];
    for steps in empty {
        openai(steps).failed(ErrorClass::EmptyOutput, "no token");
    }
    let unseen = openai(stream(&[&finish("length"), &usage(16), DONE]));
    unseen.is_ok(0, Some(16)).flags(&[Flag::NoVisibleTokens]);
    let metrics = unseen.metrics();
    assert_eq!((metrics.ttft, metrics.tpot, metrics.decode_tps), (None, None, None));
    assert_eq!(unseen.stage.ttft_ms.n, 0);
}

#[test]
fn tok_11_zero_usage_beside_text_is_unknown_usage() {
    let message = data(r#"{"event":"message","answer":"w "}"#);
    let end = r#"{"event":"message_end","metadata":{"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}}"#;
    let dify = case("dify-chat", stream(&[&message.repeat(10), &data(end)]));
    let chat = openai(stream(&[&text("w ").repeat(10), STOP, &usage(0), DONE]));
    for (case, input) in [(dify, None), (chat, Some(10))] {
        case.is_ok(10, None);
        assert!(case.attempt().flags.contains(Flag::UsageZeroWithText));
        assert_eq!(case.stage.flags["usage_zero_with_text"], 1);
        assert_eq!((case.attempt().tokens.source, case.attempt().tokens.input), (TokenSource::None, input));
        let (metrics, stage) = (case.metrics(), &case.stage);
        assert_eq!((metrics.tpot, metrics.output_tps, metrics.decode_tps), (None, None, None));
        assert_eq!((stage.output_tps.n, stage.tpot_ms.n, stage.ttft_ms.n), (0, 0, 1));
        assert!(metrics.ttft.is_some());
    }
}

#[test]
fn usage_of_any_other_form_costs_nothing_but_itself() {
    for odd in [
        "0",
        "\"17\"",
        "[]",
        "[17]",
        "true",
        "{}",
        "null",
        "-1",
        r#"{"completion_tokens":{}}"#,
        r#"{"completion_tokens":-3}"#,
    ] {
        let chunk =
            data(&format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"a"}}}}],"usage":{odd}}}"#));
        let case = openai(stream(&[&chunk, STOP, DONE]));
        assert_eq!(case.is_ok(1, None).attempt().outcome, Outcome::Ok, "{odd}");
    }
}

#[test]
fn tok_06_what_anthropic_says_before_the_answer_is_no_count_of_it() {
    let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1}}}"#;
    let token = r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#;
    let end = |usage: &str| {
        data(&format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"end_turn"}}{usage}}}"#))
            + &data(r#"{"type":"message_stop"}"#)
    };
    let answer = |usage: &str| {
        case("anthropic-messages", stream(&[&data(start), &data(token).repeat(2), &end(usage)]))
    };
    let silent = answer("");
    assert_eq!(silent.is_ok(2, None).attempt().tokens.input, Some(25));
    let told = answer(r#","usage":{"output_tokens":15}"#);
    assert_eq!(told.is_ok(2, Some(15)).attempt().tokens.input, Some(25));
    assert_eq!(told.attempt().at.first_generated, None);
}
