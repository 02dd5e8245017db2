//! How streams end, byte by byte: each ending has exactly one outcome.

use measure::sample::Attempt;
use measure::{ErrorClass, Flag, Outcome};

use crate::run::attempts;
use crate::script::{DONE, ROLE, STOP, Script, Step, chunk, head, stream, text, usage, whole, write};

fn one(steps: Vec<Step>) -> Attempt {
    one_of("openai-chat", steps)
}

fn one_of(api: &str, steps: Vec<Step>) -> Attempt {
    let script = Script::always(steps);
    attempts(script.port, api, 1, "").remove(0)
}

fn ms(from: Option<measure::Offset>, to: Option<measure::Offset>) -> f64 {
    to.unwrap().since(from.unwrap()).as_secs_f64() * 1e3
}

fn failed(attempt: &Attempt) -> (ErrorClass, &str) {
    let Outcome::Failed(class) = attempt.outcome else { panic!("{:?}", attempt.outcome) };
    (class, attempt.error.as_ref().map_or("", |error| error.message.as_str()))
}

#[test]
fn sse_04_characters_cut_anywhere_are_whole() {
    let all = text("好🙂") + STOP + &usage(1) + DONE;
    let mut steps = vec![write(&head("text/event-stream"))];
    steps.extend(
        all.as_bytes().iter().map(|byte| Step::Write([b"1\r\n".as_slice(), &[*byte], b"\r\n"].concat())),
    );
    steps.push(write("0\r\n\r\n"));
    let attempt = one(steps);
    assert_eq!((attempt.outcome, attempt.events.len(), attempt.tokens.output), (Outcome::Ok, 1, Some(1)));
    assert_eq!(attempt.flags, measure::Flags::default());
}

#[test]
fn sse_11_an_event_over_the_limit_fails_alone() {
    let big = text(&"x".repeat(200_000));
    let script = Script::each(move |n| match n {
        0 => stream(&[&big]),
        _ => stream(&[&text("a"), STOP, DONE]),
    });
    let all = attempts(script.port, "openai-chat", 2, "max_event_size = \"64KiB\"");
    assert_eq!(failed(&all[0]).0, ErrorClass::EventTooLarge);
    assert_eq!(all[1].outcome, Outcome::Ok);
}

#[test]
fn sse_12_a_last_event_without_its_blank_line_counts_and_a_cut_one_does_not() {
    let finish = STOP.trim_end();
    for (tail, flagged) in [("\n\n", false), ("\n", true), ("", true)] {
        let attempt = one(stream(&[&text("a"), &format!("{finish}{tail}")]));
        assert_eq!(attempt.outcome, Outcome::Ok, "{tail:?}");
        assert_eq!(attempt.flags.contains(Flag::UnterminatedEvent), flagged, "{tail:?}");
    }
    assert_eq!(failed(&one(stream(&[&text("a"), "data: {\"choi"]))).0, ErrorClass::Truncated);
}

#[test]
fn sse_13_a_compressed_body_is_refused_and_none_was_asked_for() {
    let script =
        Script::always(whole("200 OK", "text/event-stream", "content-encoding: gzip\r\n", "\x1f\x7f"));
    let attempt = attempts(script.port, "openai-chat", 1, "").remove(0);
    assert_eq!(failed(&attempt).0, ErrorClass::UnsupportedEncoding);
    assert!(script.requests()[0].to_ascii_lowercase().contains("accept-encoding: identity\r\n"));
}

#[test]
fn end_01_the_terminal_marker_ends_the_answer_and_the_connection_is_kept_when_the_body_ends() {
    let script = Script::always(stream(&[&text("a"), STOP, &usage(1), DONE]));
    let all = attempts(script.port, "openai-chat", 10, "");
    assert!(all.iter().all(|attempt| attempt.outcome == Outcome::Ok));
    assert_eq!(script.connections(), 1);
    let mut held = stream(&[&text("a"), STOP, &usage(1), DONE]);
    held.pop();
    held.push(Step::Hold);
    let script = Script::always(held);
    let all = attempts(script.port, "openai-chat", 2, "");
    assert!(all.iter().all(|attempt| attempt.outcome == Outcome::Ok));
    assert_eq!(script.connections(), 2, "a body that does not end gives up its connection");
    assert!(ms(all[0].at.sent, Some(all[0].at.end)) < 1000.0, "the answer ended at its marker");
    assert!(ms(Some(all[0].at.end), all[1].at.sent) < 2000.0, "the user was free after a short grace");
}

#[test]
fn end_03_a_cut_inside_the_body_is_an_interrupted_stream() {
    for ending in [Step::Close, Step::Reset] {
        let mut steps = stream(&[&text("a"), &text("b")]);
        steps.pop();
        steps.push(Step::Wait(20));
        steps.push(ending);
        let attempt = one(steps);
        assert_eq!(failed(&attempt).0, ErrorClass::StreamInterrupted);
        assert_eq!(attempt.events.len(), 2, "its tokens are known");
    }
    let by_close = "HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let truncated = one(vec![write(by_close), write(&text("a")), Step::Close]);
    assert_eq!(failed(&truncated).0, ErrorClass::Truncated);
    let whole = one(vec![write(by_close), write(&(text("a") + STOP + DONE)), Step::Close]);
    assert_eq!(whole.outcome, Outcome::Ok);
}

#[test]
fn a_body_that_ends_with_its_connection_is_judged_by_its_markers_however_it_ends() {
    let by_close = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let finished = text("a") + STOP;
    let reset = one(vec![write(by_close), write(&finished), Step::Wait(30), Step::Reset]);
    assert_eq!((reset.outcome, reset.flags.contains(Flag::NoDone)), (Outcome::Ok, true), "{:?}", reset.error);
}

#[test]
fn an_answer_that_is_finished_and_never_ends_its_body_is_ok_when_silence_strikes() {
    let mut steps = stream(&[&text("a"), &text("b"), STOP]);
    steps.pop();
    steps.push(Step::Hold);
    let script = Script::always(steps);
    let limits = "[target.timeouts]\nidle = \"900ms\"\n";
    let attempt = attempts(script.port, "openai-chat", 1, limits).remove(0);
    assert_eq!((attempt.outcome, attempt.flags.contains(Flag::NoDone)), (Outcome::Ok, true));
    assert!(
        ms(attempt.at.sent, Some(attempt.at.end)) < 800.0,
        "it ended with its last byte, not with the timeout"
    );
}

#[test]
fn a_document_without_a_type_where_a_stream_was_due_is_not_streamed() {
    let body = r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"completion_tokens":2}}"#;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let attempt = one(vec![write(&head)]);
    assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, Some(2)));
    assert_eq!(attempt.flags.iter().collect::<Vec<_>>(), [Flag::NotStreamed]);
}

#[test]
fn tok_06_what_anthropic_says_before_the_answer_is_no_count_of_it() {
    let start = "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n";
    let delta =
        "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n";
    let end = |usage: &str| {
        format!(
            "data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}}{usage}}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    let silent = one_of("anthropic-messages", stream(&[start, delta, delta, &end("")]));
    assert_eq!((silent.outcome, silent.tokens.output, silent.tokens.input), (Outcome::Ok, None, Some(25)));
    let told = one_of(
        "anthropic-messages",
        stream(&[start, delta, delta, &end(",\"usage\":{\"output_tokens\":15}")]),
    );
    assert_eq!((told.tokens.output, told.tokens.input, told.at.first_generated), (Some(15), Some(25), None));
}

#[test]
fn an_odd_field_costs_no_token() {
    let odd = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"message\":null}],\"usage\":0}\n\n";
    let huge = "data: {\"choices\":[],\"usage\":{\"completion_tokens\":18446744073709551615}}\n\n";
    let attempt = one(stream(&[odd, STOP, huge, DONE]));
    assert_eq!((attempt.outcome, attempt.events.len(), attempt.tokens.output), (Outcome::Ok, 1, None));
}

#[test]
fn end_04_dify_ends_in_several_ways() {
    let message = "data: {\"event\":\"message\",\"answer\":\"w \"}\n\n";
    let finished = |status: &str| {
        format!(
            "data: {{\"event\":\"workflow_finished\",\"data\":{{\"status\":\"{status}\",\"error\":\"e\"}}}}\n\n"
        )
    };
    let ok = one_of("dify-chat", stream(&[message, message, &finished("succeeded")]));
    assert_eq!((ok.outcome, ok.tokens.output), (Outcome::Ok, None));
    let bad = one_of("dify-chat", stream(&[message, &finished("failed")]));
    assert_eq!(failed(&bad), (ErrorClass::InbandError, "e"));
    let error = "data: {\"event\":\"error\",\"status\":400,\"code\":\"invalid_param\",\"message\":\"m\"}\n\n";
    let held = vec![write(&head("text/event-stream")), write(&chunk(error)), Step::Hold];
    let attempt = one_of("dify-chat", held);
    assert_eq!(failed(&attempt), (ErrorClass::InbandError, "m"));
    assert_eq!(attempt.error.unwrap().code.as_deref(), Some("invalid_param"));
}

#[test]
fn err_02_and_err_03_an_error_under_200_is_a_failure() {
    let only = one(stream(&["data: {\"error\":{\"message\":\"too long\",\"code\":422}}\n\n"]));
    assert_eq!(failed(&only), (ErrorClass::InbandError, "too long"));
    let text_only = one(stream(&["data: {\"error\":\"too long\"}\n\n", DONE]));
    assert_eq!(failed(&text_only), (ErrorClass::InbandError, "too long"));
    let busy = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";
    let overloaded = one_of("anthropic-messages", stream(&[busy]));
    assert_eq!((failed(&overloaded), overloaded.status), ((ErrorClass::Overloaded, "busy"), Some(200)));
}

#[test]
fn err_05_a_bare_error_after_the_frames_is_found() {
    let tail = "{\n  \"error\": {\n    \"code\": 503, \"message\": \"gone\"\n  }\n}\n";
    assert_eq!(failed(&one(stream(&[&text("Ok"), STOP, tail]))), (ErrorClass::InbandError, "gone"));
    let other = one(stream(&[&text("Ok"), STOP, DONE, "trailing words\n"]));
    assert_eq!((other.outcome, other.flags.contains(Flag::Residue)), (Outcome::Ok, true));
}

#[test]
fn err_06_and_err_07_content_types() {
    let html = one(whole("200 OK", "text/html", "", "<html>Sign in</html>"));
    assert_eq!(failed(&html).0, ErrorClass::BadContentType);
    assert_eq!(failed(&one(stream(&[]))).0, ErrorClass::EmptyOutput);
    for kind in ["text/event-stream;charset=UTF-8", "Text/Event-Stream ; charset=utf-8"] {
        let steps = vec![write(&head(kind)), write(&chunk(&(text("a") + STOP + DONE))), write("0\r\n\r\n")];
        assert_eq!(one(steps).outcome, Outcome::Ok, "{kind}");
    }
    let untyped = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let steps = vec![write(untyped), write(&chunk(&(text("a") + STOP + DONE))), write("0\r\n\r\n")];
    assert_eq!(one(steps).outcome, Outcome::Ok);
}
