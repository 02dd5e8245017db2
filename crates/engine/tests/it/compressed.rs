//! Compressed bodies: none is asked for; gzip and deflate are undone as they come, others are refused by name.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use measure::{ErrorClass, Outcome};

use crate::run::attempts;
use crate::script::{DONE, STOP, Script, Step, text, usage, whole, write};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";

/// What a compressor hands on for each event that it is made to flush.
fn flushed(events: &[String]) -> Vec<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    events
        .iter()
        .map(|event| {
            encoder.write_all(event.as_bytes()).unwrap();
            encoder.flush().unwrap();
            std::mem::take(encoder.get_mut())
        })
        .collect()
}

#[test]
fn sse_13_no_compression_is_asked_for_and_gzip_is_undone_event_by_event() {
    let events = [text("a"), text("好"), STOP.to_owned() + &usage(2) + DONE];
    let mut steps = vec![write(HEAD)];
    for bytes in flushed(&events) {
        steps.extend([Step::Wait(60), Step::Write(bytes)]);
    }
    steps.push(Step::Close);
    let script = Script::always(steps);
    let attempt = attempts(script.port, "openai-chat", 1, "").remove(0);
    assert!(script.requests()[0].to_ascii_lowercase().contains("accept-encoding: identity\r\n"));
    assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, Some(2)), "{:?}", attempt.error);
    let [first, second] = attempt.events.as_slice() else { panic!("{:?}", attempt.events) };
    let gap = second.at.since(first.at).as_millis();
    assert!((50..200).contains(&gap), "each event has its own arrival: {gap} ms");
}

#[test]
fn sse_13_a_compressor_that_holds_everything_back_runs_into_the_first_token_timeout() {
    let script = Script::always(vec![write(HEAD), Step::Hold]);
    let target = "[target.timeouts]\nfirst_token = \"200ms\"\n";
    let attempt = attempts(script.port, "openai-chat", 1, target).remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::TimeoutFirstToken));
}

#[test]
fn sse_13_other_encodings_are_refused_by_name_and_a_lying_head_is_malformed() {
    for encoding in ["br", "zstd", "gzip, br"] {
        let header = format!("content-encoding: {encoding}\r\n");
        let script = Script::always(whole("200 OK", "text/event-stream", &header, "\x1f\x7f"));
        let attempt = attempts(script.port, "openai-chat", 1, "").remove(0);
        assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::UnsupportedEncoding), "{encoding}");
        assert!(attempt.error.unwrap().message.contains(encoding));
    }
    let script = Script::always(vec![write(&(HEAD.to_owned() + &text("a") + DONE)), Step::Close]);
    let attempt = attempts(script.port, "openai-chat", 1, "").remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::Malformed));
}

#[test]
fn sse_13_every_event_may_be_a_member_of_its_own_and_padding_may_follow() {
    let mut steps = vec![write(HEAD)];
    for event in [text("a"), text("b"), STOP.to_owned() + &usage(2) + DONE] {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(event.as_bytes()).unwrap();
        steps.extend([Step::Write(encoder.finish().unwrap()), Step::Wait(30)]);
    }
    steps.extend([Step::Write(vec![0; 512]), Step::Close]);
    let attempt = attempts(Script::always(steps).port, "openai-chat", 1, "").remove(0);
    assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, Some(2)), "{:?}", attempt.error);
    let [first, second] = attempt.events.as_slice() else { panic!("{:?}", attempt.events) };
    assert!(second.at.since(first.at).as_millis() >= 20, "each event has its own arrival");
}

#[test]
fn sse_13_a_body_that_holds_nothing_compressed_is_malformed() {
    for encoding in ["gzip", "deflate"] {
        for body in ["", "a", "abc"] {
            let head = HEAD.replace("encoding: gzip", &format!("encoding: {encoding}"));
            let script = Script::always(vec![write(&(head + body)), Step::Close]);
            let attempt = attempts(script.port, "openai-chat", 1, "").remove(0);
            assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::Malformed), "{encoding} {body:?}");
        }
    }
}

#[test]
fn sse_13_a_compressed_refusal_is_read() {
    let body =
        flushed(&[r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#.to_owned()]).concat();
    let head = format!(
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let script = Script::always(vec![write(&head), Step::Write(body)]);
    let attempt = attempts(script.port, "openai-chat", 1, "").remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::RateLimited));
    assert_eq!(attempt.error.unwrap().message, "slow down");
}
