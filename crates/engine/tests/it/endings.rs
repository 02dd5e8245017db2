//! How streams end, byte by byte: each ending has exactly one outcome.

use std::time::Duration;

use measure::{ErrorClass, Flag, Outcome};

use crate::case::{Case, at_once, case, case_with, openai};
use crate::script::{
    DONE, STOP, Script, Step, chunk, data, head, stream, text, timeline, typed, usage, whole, write,
};

/// A finished answer whose body does not end.
fn held(pieces: &[&str]) -> Vec<Step> {
    let mut steps = stream(pieces);
    steps.pop();
    steps.push(Step::Hold);
    steps
}

/// The head of an answer that ends with its connection.
const BY_CLOSE: &str = "HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

#[test]
fn end_01_a_body_that_ends_keeps_its_connection() {
    let end = STOP.to_owned() + &usage(1) + DONE;
    let steps = timeline(&[(5, text("a")), (60, end)]);
    let case = case_with("openai-chat", 10, "", move |_| steps.clone());
    assert!(case.attempts.iter().all(|attempt| attempt.outcome == Outcome::Ok));
    assert_eq!(case.script.connections(), 1);
    case.at(case.metrics().e2e, 2, 60);
    assert_eq!((case.stage.connect_ms.n, case.stage.e2e_ms.n), (1, 10));
}

#[test]
fn end_01_the_marker_ends_the_answer_and_the_body_is_waited_for_only_shortly() {
    let end = STOP.to_owned() + &usage(1) + DONE;
    let mut steps = timeline(&[(5, text("a")), (500, end)]);
    steps.pop();
    steps.push(Step::Hold);
    let case = case_with("openai-chat", 2, "", move |_| steps.clone());
    assert!(case.attempts.iter().all(|attempt| attempt.outcome == Outcome::Ok));
    assert_eq!(case.script.connections(), 2, "a body that does not end gives up its connection");
    case.flags_of_all(&[]).at(case.metrics().e2e, 2, 500);
    let grace = case.attempts[1].at.start.since(case.attempts[0].at.end);
    assert!((Duration::from_millis(95)..Duration::from_millis(400)).contains(&grace), "{grace:?}");
}

#[test]
fn end_01_what_comes_after_the_marker_is_no_part_of_the_answer() {
    let done = || text("a") + STOP + &usage(1) + DONE;
    openai(stream(&[&done(), DONE])).is_ok(1, Some(1)).flags(&[]);
    openai(stream(&[&done(), "data: [DONE]   \n\n: bye\n\n"])).is_ok(1, Some(1)).flags(&[Flag::Keepalives]);
    // Text is neither a token nor a move of the end.
    let late = openai(timeline(&[(5, done()), (60, text("late"))]));
    late.is_ok(1, Some(1)).flags(&[Flag::Residue]).at(late.metrics().e2e, 1, 5);
    let at = &late.attempt().at;
    assert!(at.last_token <= Some(at.end));
    // An error is one wherever it stands.
    openai(stream(&[&done(), "data: {\"error\":{\"message\":\"late\"}}\n\n"]))
        .failed(ErrorClass::InbandError, "late");
    // A cut there interrupts nothing.
    let mut cut = stream(&[&done()]);
    cut.pop();
    cut.extend([Step::Wait(10), Step::Reset]);
    openai(cut).is_ok(1, Some(1)).flags(&[]);
}

#[test]
fn end_03_a_cut_inside_the_body_is_an_interrupted_stream() {
    for (ending, words) in [(Step::Close, "broke"), (Step::Reset, "reset")] {
        let mut steps = stream(&[&text("a").repeat(12), &usage(12)]);
        steps.pop();
        steps.extend([Step::Wait(20), ending]);
        let case = openai(steps);
        case.failed(ErrorClass::StreamInterrupted, words);
        assert_eq!(case.attempt().events.len(), 12, "its tokens are known");
        is_partial(&case, 12, Some(12));
        assert_eq!(case.script.requests().len(), 1, "it is not asked again");
    }
}

#[test]
fn end_03_a_body_shorter_than_its_length_is_interrupted_too() {
    let all = text("a").repeat(12);
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
        all.len() + 500
    );
    let case = openai(vec![write(&(head + &all)), Step::Wait(10), Step::Close]);
    is_partial(case.failed(ErrorClass::StreamInterrupted, "broke"), 12, None);
}

#[test]
fn end_03_a_body_that_ends_with_its_connection_is_judged_by_its_markers_however_it_ends() {
    let finished = text("a") + STOP;
    for ending in [Step::Close, Step::Reset] {
        let by_close =
            |body: &str| openai(vec![write(BY_CLOSE), write(body), Step::Wait(30), ending.clone()]);
        is_partial(by_close(&text("a").repeat(12)).failed(ErrorClass::Truncated, "ended before"), 12, None);
        by_close(&finished).is_ok(1, None).flags(&[Flag::NoDone]);
        by_close(&(finished.clone() + DONE)).is_ok(1, None).flags(&[]);
    }
    let modern = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    openai(vec![write(modern), write(&finished), Step::Wait(30), Step::Reset]).is_ok(1, None);
}

/// What a failed answer had is kept apart from every statistic of answers.
fn is_partial(case: &Case, chunks: u64, tokens: Option<u64>) {
    let stage = &case.stage;
    assert_eq!((stage.tokens.partial_chunks, stage.tokens.partial), (chunks, tokens));
    assert_eq!((stage.tokens.output, stage.tokens.chunks, stage.counts.ok), (None, 0, 0));
    assert_eq!((stage.ttft_ms.n, stage.e2e_ms.n, stage.gap_ms.n, stage.time_to_error_ms.n), (0, 0, 0, 1));
    assert!(stage.output_tokens_per_s.unwrap_or(0.0) == 0.0, "{:?}", stage.output_tokens_per_s);
}

#[test]
fn end_04_dify_ends_in_several_ways() {
    let message = data(r#"{"event":"message","answer":"w "}"#).repeat(5);
    let finished = |status: &str| {
        data(&format!(r#"{{"event":"workflow_finished","data":{{"status":"{status}","error":"e"}}}}"#))
    };
    case("dify-chat", stream(&[&message, &finished("succeeded")])).is_ok(5, None);
    case("dify-chat", stream(&[&message, &data(r#"{"event":"message_end"}"#)])).is_ok(5, None);
    case("dify-chat", stream(&[&message, &finished("failed")])).failed(ErrorClass::InbandError, "e");
    case("dify-chat", stream(&[&message, &finished("stopped")]))
        .failed(ErrorClass::Truncated, "ended before");
    case("dify-chat", stream(&[&message])).failed(ErrorClass::Truncated, "ended before");
}

#[test]
fn end_04_an_error_of_difys_frees_its_user_though_pings_go_on() {
    let error = data(r#"{"event":"error","status":400,"code":"invalid_param","message":"m"}"#);
    let mut steps = timeline(&[(40, error)]);
    steps.pop();
    steps.extend((0..50).flat_map(|_| [Step::Wait(100), write(&chunk("event: ping\n\n"))]));
    let case = case_with("dify-chat", 2, "", move |_| steps.clone());
    case.failed(ErrorClass::InbandError, "m").at(case.metrics().time_to_error, 1, 40);
    assert_eq!(case.attempt().error.as_ref().unwrap().code.as_deref(), Some("invalid_param"));
    let free = case.attempts[1].at.start.since(case.attempts[0].at.end);
    // Failed requests pause their user a little, so that a failing server is not flooded.
    assert!(free < Duration::from_millis(700), "{free:?}");
}

#[test]
fn a_finished_answer_whose_body_never_ends_is_ok_when_silence_strikes() {
    let rows = vec![("idle = \"900ms\"", false), ("stall = \"900ms\"", false), ("stall = \"500ms\"", true)];
    at_once(rows, |(limit, pings)| {
        let mut steps = held(&[&text("a"), &text("b"), STOP]);
        if pings {
            steps.pop();
            steps.extend((0..40).flat_map(|_| [Step::Wait(40), write(&chunk(": ping\n\n"))]));
        }
        let case =
            case_with("openai-chat", 1, &format!("[target.timeouts]\n{limit}\n"), move |_| steps.clone());
        case.is_ok(2, None);
        assert!(case.attempt().flags.contains(Flag::NoDone));
        if !pings {
            let e2e = case.metrics().e2e.unwrap();
            assert!(
                e2e < Duration::from_millis(800),
                "it ended with its last byte, not with the timeout: {e2e:?}"
            );
        }
    });
}

#[test]
fn a_document_without_a_type_where_a_stream_was_due_is_not_streamed() {
    let body = r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"completion_tokens":2}}"#;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    openai(vec![write(&head)]).is_ok(0, Some(2)).flags(&[Flag::NotStreamed]);
}

#[test]
fn anthropic_ends_by_its_marker_or_by_a_stop_reason() {
    let token = typed(
        "content_block_delta",
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
    );
    let reason = typed("message_delta", r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#);
    let stop = typed("message_stop", r#"{"type":"message_stop"}"#);
    let ends = |pieces: &[&str]| case("anthropic-messages", stream(pieces));
    ends(&[&token, &reason, &stop]).is_ok(1, None).flags(&[]);
    ends(&[&token, &reason, &stop, DONE]).is_ok(1, None).flags(&[]);
    ends(&[&token, &reason]).is_ok(1, None).flags(&[Flag::NoDone]);
    ends(&[&token, &stop]).is_ok(1, None).flags(&[Flag::NoFinishReason]);
    ends(&[&token]).failed(ErrorClass::Truncated, "ended before");
    // The type may stand in the data alone, or in the event's name alone.
    let unnamed = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("event"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    ends(&[&unnamed(&token), &unnamed(&reason), &unnamed(&stop)]).is_ok(1, None).flags(&[]);
    let untyped = |text: &str| {
        text.replace("\"type\":\"content_block_delta\",", "").replace("\"type\":\"message_stop\"", "\"x\":1")
    };
    ends(&[&untyped(&token), &reason, &untyped(&stop)]).is_ok(1, None).flags(&[]);
}

#[test]
fn several_choices_are_finished_when_each_of_them_is() {
    let of = |index: u32, rest: &str| data(&format!(r#"{{"choices":[{{"index":{index},{rest}}}]}}"#));
    let token = |index| of(index, r#""delta":{"content":"a"}"#);
    let stop = |index, reason: &str| of(index, &format!(r#""delta":{{}},"finish_reason":"{reason}""#));
    let both = token(0) + &token(1);
    openai(stream(&[&both, &stop(0, "stop"), &stop(1, "stop")])).is_ok(2, None).flags(&[Flag::NoDone]);
    openai(stream(&[&both, &stop(0, "stop")])).failed(ErrorClass::Truncated, "ended before");
    openai(stream(&[&both, &stop(0, "stop"), DONE])).is_ok(2, None).flags(&[Flag::NoFinishReason]);
    // One that failed is not undone by another that did not.
    openai(stream(&[&both, &stop(0, "error"), &stop(1, "stop"), DONE]))
        .failed(ErrorClass::GenerationError, "error");
}

#[test]
fn an_answer_of_one_piece_and_one_of_many_end_the_same() {
    let all = text("a") + STOP + &usage(1) + DONE;
    openai(whole("200 OK", "text/event-stream", "", &all)).is_ok(1, Some(1)).flags(&[]);
    let script = Script::always(vec![write(&(head("text/event-stream") + &chunk(&all) + "0\r\n\r\n"))]);
    let attempts = crate::run::attempts(script.port, "openai-chat", 3, "");
    assert!(attempts.iter().all(|attempt| attempt.outcome == Outcome::Ok));
    assert_eq!(script.connections(), 1);
}

#[test]
fn trailers_and_chunk_extensions_are_no_part_of_the_answer() {
    let all = text("a") + STOP + &usage(1) + DONE;
    let body = format!("{:x};name=value\r\n{all}\r\n0\r\nx-checksum: 1\r\n\r\n", all.len());
    let head = head("text/event-stream");
    let case = case_with("openai-chat", 2, "", move |_| vec![write(&head), write(&body)]);
    case.is_ok(1, Some(1)).flags_of_all(&[]);
    assert_eq!(case.script.connections(), 1);
}

#[test]
fn a_marker_without_its_blank_line_on_a_body_that_never_ends_is_no_marker() {
    let steps = held(&[&text("a"), STOP, &usage(1), "data: [DONE]\n"]);
    let case = case_with("openai-chat", 1, "[target.timeouts]\nidle = \"300ms\"\n", move |_| steps.clone());
    case.is_ok(1, Some(1)).flags(&[Flag::NoDone]);
}
