//! Event streams as they come over a socket: line endings, cuts, comments, odd frames, sizes, compression.

use std::time::Duration;

use measure::{ErrorClass, Flag, Outcome};

use crate::case::{at_once, case, case_with, openai};
use crate::script::{DONE, STOP, Step, chunk, data, head, stream, text, timeline, usage, whole, write};

/// The answer `a`, finished, with usage.
fn good() -> String {
    text("a") + STOP + &usage(1) + DONE
}

/// A stream whose bytes are written in pieces of so many bytes, each a chunk and a write of its own.
fn cut(bytes: &[u8], size: usize) -> Vec<Step> {
    let piece =
        |piece: &[u8]| Step::Write([format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
    let mut steps = vec![write(&head("text/event-stream"))];
    steps.extend(bytes.chunks(size).map(piece));
    steps.push(write("0\r\n\r\n"));
    steps
}

#[test]
fn sse_01_one_space_after_the_colon_is_no_part_of_the_value() {
    let tight = good().replace("data: ", "data:");
    openai(stream(&[&tight])).is_ok(1, Some(1)).flags(&[]);
    // More than one space is part of the value, and harmless before JSON.
    openai(stream(&[&good().replace("data: ", "data:   ")])).is_ok(1, Some(1)).flags(&[]);
    // ` x` is data that is no JSON; a bare `data` is no event at all.
    openai(stream(&["data:  x\n\n", &tight])).is_ok(1, Some(1)).flags(&[Flag::OddFrames]);
    openai(stream(&["data\n\n", "data:\n\n", "data: \n\n", &tight])).is_ok(1, Some(1)).flags(&[]);
    // Names are case-sensitive and carry no white space: these are unknown fields.
    for unknown in ["Data: x\n\n", "DATA: {}\n\n", " data: {}\n\n", "data : {}\n\n"] {
        openai(stream(&[unknown, &tight])).is_ok(1, Some(1)).flags(&[Flag::Residue]);
    }
}

#[test]
fn sse_03_lines_end_by_lf_crlf_or_cr_in_any_mixture() {
    for ending in ["\n", "\r\n", "\r"] {
        let all = good().replace('\n', ending);
        for size in [1, 7, all.len()] {
            openai(cut(all.as_bytes(), size)).is_ok(1, Some(1)).flags(&[]);
        }
    }
    // A mixture, and one event whose two data lines end differently.
    let mixed = "data: {\"choices\":[{\"index\":0,\r\ndata: \"delta\":{\"content\":\"a\"}}]}\n\r\n";
    let rest = (STOP.to_owned() + &usage(1) + DONE).replace('\n', "\r");
    openai(stream(&[mixed, &rest])).is_ok(1, Some(1)).flags(&[]);
    let named = "event: message_stop\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n";
    let delta = "event: content_block_delta\rdata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\r\r";
    case("anthropic-messages", stream(&[delta, named])).is_ok(1, None);
}

#[test]
fn sse_03_a_last_cr_ends_its_event_at_once_and_at_the_end_of_the_body() {
    let finished = (text("a") + STOP).replace('\n', "\r");
    openai(stream(&[&finished])).is_ok(1, None).flags(&[Flag::NoDone]);
    // The event is out when its second CR is there, not when the next byte tells CR from CRLF.
    let rows = [(10, text("a").replace('\n', "\r")), (200, good().replace('\n', "\r"))];
    let early = openai(timeline(&rows));
    early.is_ok(2, Some(1)).at(early.metrics().ttft, 1, 10);
}

#[test]
fn sse_04_characters_cut_anywhere_are_whole() {
    let all = text("好🙂") + STOP + &usage(1) + DONE;
    for size in [1, 2, 3, 5] {
        openai(cut(all.as_bytes(), size)).is_ok(1, Some(1)).flags(&[]);
    }
}

#[test]
fn sse_04_a_byte_that_is_no_utf_8_is_one_replaced_character() {
    let mut all = text("x#y").into_bytes();
    let at = all.iter().position(|byte| *byte == b'#').unwrap();
    all[at] = 0xFF;
    all.extend((STOP.to_owned() + &usage(1) + DONE).into_bytes());
    for size in [1, 6, all.len()] {
        openai(cut(&all, size)).is_ok(1, Some(1)).flags(&[]);
    }
    // The same in a last event without its blank line, and in the words of an error.
    let end = all.iter().position(|byte| *byte == b'\n').unwrap();
    let unterminated = [STOP.as_bytes(), &all[..end]].concat();
    openai(cut(&unterminated, 9)).is_ok(1, None);
    let error = b"data: {\"error\":{\"message\":\"bad \xFF byte \\ud83d\"}}\n\n";
    openai(cut(error, 4)).failed(ErrorClass::InbandError, "bad \u{fffd} byte \u{fffd}");
}

#[test]
fn sse_05_unicode_separators_end_no_line() {
    let raw = text("a\u{2028}b\u{2029}c\u{85}d\\u000be").replace("\\\\u000b", "\\u000b");
    assert!(raw.contains("\u{2028}") && raw.contains("\u{85}") && raw.contains("\\u000b"));
    for size in [1, raw.len()] {
        let all = raw.clone() + STOP + &usage(1) + DONE;
        openai(cut(all.as_bytes(), size)).is_ok(1, Some(1)).flags(&[]);
    }
    // VT and FF end no line either; raw in a string they are no JSON, between tokens of it they are none either.
    openai(stream(&["data: {\"a\":\u{c}1}\n\n", &good()])).is_ok(1, Some(1)).flags(&[Flag::OddFrames]);
}

#[test]
fn sse_06_comments_are_no_events_and_set_no_first_token() {
    let comments = [": WORKING\n\n", ": WORKING\n\n", ": WORKING\n\n", ":\n\n", ":x\n"];
    let mut rows: Vec<(u64, String)> = comments.iter().map(|comment| (5, (*comment).to_owned())).collect();
    rows.push((120, text("a")));
    rows.push((121, format!("{STOP}: cost=1\n: tok=2\n{DONE}")));
    let case = openai(timeline(&rows));
    case.is_ok(1, None).flags(&[Flag::Keepalives]);
    let metrics = case.metrics();
    case.at(metrics.ttft, 6, 120).at(metrics.ttfe, 6, 120);
    assert_eq!(case.attempt().finish_reason.as_deref(), Some("stop"));
}

#[test]
fn sse_08_a_comment_made_into_data_is_an_odd_frame_and_nothing_else() {
    for odd in [": keepalive", "keepalive", "[PING]", "<ping/>", "{\"choices\":[", "undefined"] {
        let case = openai(stream(&[&text("a"), &data(odd), &text("b"), STOP, &usage(2), DONE]));
        case.is_ok(2, Some(2)).flags(&[Flag::OddFrames]);
    }
    let message = data(r#"{"event":"message","answer":"w"}"#);
    let end = data(r#"{"event":"message_end"}"#);
    case("dify-chat", stream(&[&message, &data(": keepalive"), &end]))
        .is_ok(1, None)
        .flags(&[Flag::OddFrames]);
}

#[test]
fn sse_09_data_lines_are_joined_and_the_name_holds_for_the_whole_event() {
    let error = "event: error\ndata: {\"error\":\ndata:  {\"message\":\"boom\"}}\n\n";
    for api in ["openai-chat", "anthropic-messages", "dify-chat"] {
        case(api, stream(&[error])).failed(ErrorClass::InbandError, "boom");
    }
    let name_last = "data: {\"error\":\ndata: {\"message\":\"boom\"}}\nevent: error\n\n";
    openai(stream(&[name_last])).failed(ErrorClass::InbandError, "boom");
    let pretty = "data: {\ndata:   \"choices\": [\ndata:     {\"index\": 0, \"delta\": {\"content\": \"a\"}}\ndata:   ]}\n\n";
    for size in [1, 11, pretty.len()] {
        let all = pretty.to_owned() + STOP + &usage(1) + DONE;
        openai(cut(all.as_bytes(), size)).is_ok(1, Some(1)).flags(&[]);
    }
    // A name holds for its own event only.
    let named = format!("event: error\n\n{}", good());
    openai(stream(&[&named])).is_ok(1, Some(1)).flags(&[]);
}

#[test]
fn sse_11_a_long_line_is_read_and_one_over_the_limit_fails_alone() {
    for size in [131_073, 524_289, 4 << 20] {
        let long = text(&"x".repeat(size - text("").len()));
        assert_eq!(long.len(), size);
        openai(stream(&[&long, STOP, &usage(1), DONE])).is_ok(1, Some(1)).flags(&[]);
    }
    let flood = "x".repeat(1 << 20);
    let case = case_with("openai-chat", 2, "", move |n| match n {
        0 => {
            let mut steps = vec![write(&head("text/event-stream")), write(&chunk("data: \""))];
            steps.extend((0..64).map(|_| write(&chunk(&flood))));
            steps.push(write("0\r\n\r\n"));
            steps
        }
        _ => stream(&[&good()]),
    });
    case.failed(ErrorClass::EventTooLarge, "max_event_size");
    assert_eq!(case.attempts[1].outcome, Outcome::Ok, "other requests go on");
    assert!(!case.attempts[1].reused, "the rest of the flood was not waited for");
}

#[test]
fn sse_11_an_event_over_the_limit_behind_the_marker_costs_the_answer_nothing() {
    let big = data(&format!("{{\"padding\":\"{}\"}}", "x".repeat(200_000)));
    let limit = "max_event_size = \"64KiB\"";
    let steps = stream(&[&(good() + &big)]);
    let behind = case_with("openai-chat", 1, limit, move |_| steps.clone());
    behind.is_ok(1, Some(1)).flags(&[Flag::Residue]);
    let steps = stream(&[&(text("a") + &big + STOP + DONE)]);
    let inside = case_with("openai-chat", 1, limit, move |_| steps.clone());
    inside.failed(ErrorClass::EventTooLarge, "max_event_size");
}

#[test]
fn sse_11_the_limit_holds_for_every_way_to_be_large() {
    let x = |n: usize| "x".repeat(n);
    let large = [
        format!("data: {}\n\n", x(70_000)),
        format!("data: {}", x(70_000)),
        format!("data: {}\n", x(1000)).repeat(70),
        format!(": {}\n\n", x(70_000)),
        format!("event: {}\ndata: 1\n\n", x(70_000)),
        x(70_000),
    ];
    for stream_text in large {
        let case =
            case_with("openai-chat", 1, "max_event_size = \"64KiB\"", move |_| stream(&[&stream_text]));
        case.failed(ErrorClass::EventTooLarge, "65536");
    }
    let document = format!("{{\"choices\":[{{\"message\":{{\"content\":\"{}\"}}}}]}}", x(70_000));
    let steps = whole("200 OK", "application/json", "", &document);
    let case = case_with("openai-chat", 1, "max_event_size = \"64KiB\"", move |_| steps.clone());
    case.failed(ErrorClass::EventTooLarge, "65536");
}

#[test]
fn sse_11_very_many_small_events_in_one_read_are_all_seen() {
    let all = text("x").repeat(20_000) + STOP + &usage(20_000) + DONE;
    let case = openai(stream(&[&all]));
    case.is_ok(20_000, Some(20_000)).flags(&[Flag::Burst]);
    assert!(case.metrics().e2e.unwrap() < Duration::from_secs(10));
}

#[test]
fn sse_12_a_last_event_without_its_blank_line_counts_unless_it_or_the_body_was_cut() {
    let clean = |tail: &str| stream(&[&text("a"), &format!("{}{tail}", STOP.trim_end())]);
    let dirty = |tail: &str| {
        let mut steps = clean(tail);
        steps.pop();
        steps.extend([Step::Wait(10), Step::Close]);
        steps
    };
    openai(clean("\n\n")).is_ok(1, None).flags(&[Flag::NoDone]);
    for tail in ["\n", "", "\r", "\r\n"] {
        openai(clean(tail)).is_ok(1, None).flags(&[Flag::NoDone, Flag::UnterminatedEvent]);
    }
    for tail in ["\n\n", "\n", ""] {
        openai(dirty(tail)).failed(ErrorClass::StreamInterrupted, "broke");
    }
    let cut = || stream(&[&text("a"), "data: {\"choi"]);
    openai(cut()).failed(ErrorClass::Truncated, "ended before");
    let mut dirty = cut();
    *dirty.last_mut().unwrap() = Step::Close;
    openai(dirty).failed(ErrorClass::StreamInterrupted, "broke");
}

#[test]
fn sse_12_the_marker_usage_and_error_count_without_their_blank_line_too() {
    openai(stream(&[&text("a"), STOP, &usage(1), "data: [DONE]"]))
        .is_ok(1, Some(1))
        .flags(&[Flag::UnterminatedEvent]);
    openai(stream(&[&text("a"), STOP, usage(1).trim_end()])).is_ok(1, Some(1));
    openai(stream(&[&text("a"), "data: {\"error\":{\"message\":\"boom\"}}"]))
        .failed(ErrorClass::InbandError, "boom");
    openai(stream(&[&text("a"), "event: error\ndata: worker lost"]))
        .failed(ErrorClass::InbandError, "worker lost");
    case("anthropic-messages", stream(&["data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}"])).is_ok(1, None);
    // Nothing but a cut event is neither an answer nor an empty one.
    openai(stream(&["data: {\"choi"])).failed(ErrorClass::Malformed, "not an answer");
}

#[test]
fn fields_that_mean_nothing_here_change_nothing() {
    let around = "id: 1\0\nretry: 10000\nid\nretry: soon\n";
    openai(stream(&[around, &good(), "id: 2\n\n", "event: ping\n\n"])).is_ok(1, Some(1)).flags(&[]);
    let numbered = good().replace("data: ", "id: 7\nevent: message\ndata: ");
    openai(stream(&[&numbered])).is_ok(1, Some(1)).flags(&[]);
}

#[test]
fn a_bom_is_removed_at_the_start_and_nowhere_else() {
    let all = format!("\u{feff}{}", good());
    for size in [1, 2, all.len()] {
        openai(cut(all.as_bytes(), size)).is_ok(1, Some(1)).flags(&[]);
    }
    openai(stream(&[&text("a"), "\u{feff}data: {}\n\n", STOP, &usage(1), DONE]))
        .is_ok(1, Some(1))
        .flags(&[Flag::Residue]);
}

#[test]
fn whatever_the_cut_the_answer_is_the_same() {
    let all = format!(
        "\u{feff}: hi\r\n\r\n{}event: x\rdata: {{}}\r\r{}",
        text("好"),
        (STOP.to_owned() + &usage(1) + DONE).replace('\n', "\r\n")
    );
    at_once(vec![1, 2, 3, 5, 8, 13, 64, all.len()], |size| {
        openai(cut(all.as_bytes(), size)).is_ok(1, Some(1)).flags(&[Flag::Keepalives]);
    });
}
