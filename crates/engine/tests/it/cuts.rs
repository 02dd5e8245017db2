//! Properties of framing and protocols: what is heard does not depend on where the bytes were cut, work is linear, memory
//! bounded, and a field of any form costs only itself.

use std::ops::ControlFlow;

use engine::Clock;
use engine::framing::{Event, Ndjson, Sse, TooLarge};
use engine::protocol::{Kind, Protocol, Signal};
use proptest::prelude::*;
use scenario::plan::Api;
use serde_json::{Value, json};

/// Enough to hit every pair of pieces many times, and still well under a second.
const CASES: u32 = 400;
const APIS: [Api; 6] = [
    Api::OpenAiChat,
    Api::OpenAiCompletions,
    Api::OpenAiResponses,
    Api::AnthropicMessages,
    Api::DifyChat,
    Api::OllamaChat,
];

/// All that a parser gives.
#[derive(Debug, PartialEq)]
struct Heard {
    events: Vec<(Vec<u8>, Vec<u8>)>,
    refused: Option<TooLarge>,
    unterminated: bool,
    comments: u64,
    residue: Vec<u8>,
}

fn hear<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Heard {
    let mut events = Vec::new();
    let mut sink = |event: Event<'_>| {
        events.push((event.name.to_vec(), event.data.to_vec()));
        ControlFlow::Continue(())
    };
    let mut sse = Sse::new(limit);
    let refused = pieces.into_iter().find_map(|piece| sse.push(piece, &mut sink).err());
    let unterminated = refused.is_none() && sse.finish(&mut sink);
    Heard { events, refused, unterminated, comments: sse.comments(), residue: sse.residue().to_vec() }
}

/// As [`hear`], of lines of JSON.
fn hear_lines<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Heard {
    let mut events = Vec::new();
    let mut sink = |event: Event<'_>| {
        events.push((event.name.to_vec(), event.data.to_vec()));
        ControlFlow::Continue(())
    };
    let mut lines = Ndjson::new(limit);
    let refused = pieces.into_iter().find_map(|piece| lines.push(piece, &mut sink).err());
    let unterminated = refused.is_none() && lines.finish(&mut sink);
    Heard { events, refused, unterminated, comments: 0, residue: lines.residue().to_vec() }
}

fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    at.extend([0, bytes.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// Everything that means something in an event stream, and some that does not.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["\n", "\r", "\r\n", "\n\n"]).prop_map(|text| text.as_bytes().to_vec()),
        4 => prop::sample::select(vec![
            "data: ", "data:", "data", "event: ", "event:error", ":", ": ping", "id: 7", "retry: 1", "\u{feff}", " ",
            "{", "}", "[DONE]", "好🙂", "\u{2028}", "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}",
            "{\"type\":\"ping\"}", "{\"event\":\"message\",\"answer\":\"w\"}", "{\"error\":{\"message\":\"m\"}}", "{\"usage\":{\"completion_tokens\":5}}",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Lines of JSON, documents over several lines, and what is neither.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec!["\n", "\r\n", "\n\n"]).prop_map(|text| text.as_bytes().to_vec()),
        4 => prop::sample::select(vec![
            "{", "}", "{}", "{\"message\":{\"content\":\"好\"}}", "{\"done\":true}", "[1]", "words", " ", "\u{feff}", "\r",
        ]).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn the_same_bytes_are_heard_the_same_however_they_are_cut(
        bytes in stream(),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
        limit in prop_oneof![Just(1 << 20), 8_usize..80],
    ) {
        let whole = hear([bytes.as_slice()], limit);
        prop_assert_eq!(&hear(pieces(&bytes, &cuts), limit), &whole);
        prop_assert_eq!(&hear(bytes.chunks(1), limit), &whole);
    }

    #[test]
    fn the_same_lines_are_heard_the_same_however_they_are_cut(
        bytes in lines(),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
        limit in prop_oneof![Just(1 << 20), 8_usize..80],
    ) {
        let whole = hear_lines([bytes.as_slice()], limit);
        prop_assert_eq!(&hear_lines(pieces(&bytes, &cuts), limit), &whole);
        prop_assert_eq!(&hear_lines(bytes.chunks(1), limit), &whole);
    }

    #[test]
    fn every_protocol_hears_the_same_however_the_bytes_are_cut(
        bytes in stream(),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        for api in APIS {
            prop_assert_eq!(signals(api, pieces(&bytes, &cuts)), signals(api, [bytes.as_slice()]));
        }
    }

    #[test]
    fn a_field_of_any_form_costs_no_token(
        name in prop::sample::select(vec![
            "role", "reasoning", "reasoning_content", "reasoning_details", "reasoning_text", "thinking", "refusal", "tool_calls",
            "function_call", "index", "message", "finish_reason", "logprobs", "usage", "x_groq", "id", "object", "created", "error",
            "metadata", "data", "stop_reason", "partial_json",
        ]),
        value in json_value(),
    ) {
        for (api, token, places) in tokens() {
            for place in places {
                let mut token = token.clone();
                let object = token.pointer_mut(place).and_then(Value::as_object_mut);
                if let Some(object) = object && !object.contains_key(name) {
                    object.insert(name.to_owned(), value.clone());
                }
                let heard = said(api, &token);
                let told = heard.iter().any(|signal| matches!(signal, Signal::Token { .. } | Signal::Failed(_)));
                prop_assert!(told, "{} {:?}", token, heard);
                if name != "error" {
                    prop_assert!(heard.iter().any(|signal| matches!(signal, Signal::Token { kind: Kind::Answer, .. })), "{} {:?}", token, heard);
                }
            }
        }
    }
}

fn signals<'a>(api: Api, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Signal> {
    let mut signals = Vec::new();
    for (name, data) in hear(pieces, 1 << 20).events {
        Protocol::of(api).event(Event { name: &name, data: &data }, &mut |signal| signals.push(signal));
    }
    signals
}

fn said(api: Api, event: &Value) -> Vec<Signal> {
    let mut signals = Vec::new();
    let data = event.to_string();
    Protocol::of(api).event(Event { name: b"", data: data.as_bytes() }, &mut |signal| signals.push(signal));
    signals
}

/// A token event of each protocol, and the objects in it that something may be added to.
fn tokens() -> [(Api, Value, &'static [&'static str]); 3] {
    [
        (
            Api::OpenAiChat,
            json!({"choices": [{"index": 0, "delta": {"content": "a"}}]}),
            &["", "/choices/0", "/choices/0/delta"],
        ),
        (
            Api::AnthropicMessages,
            json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}}),
            &["", "/delta"],
        ),
        (Api::DifyChat, json!({"event": "message", "answer": "a"}), &[""]),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec!["", "a", "0", "stop", "error"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop::sample::select(vec![
            "text",
            "type",
            "name",
            "arguments",
            "content",
            "message",
            "completion_tokens",
            "usage",
            "error",
            "x",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn sse_04_a_text_is_the_same_to_the_byte_wherever_it_is_cut() {
    let stream = "data: {\"content\":\"好🙂\"}\n\n".as_bytes();
    for size in 1..=stream.len() {
        let heard = hear(stream.chunks(size), 1024);
        let said: Value = serde_json::from_slice(&heard.events[0].1).unwrap();
        assert_eq!(said["content"], "好🙂", "pieces of {size}");
    }
}

#[test]
fn sse_11_a_large_event_in_small_pieces_is_not_read_again_and_again() {
    // 16 MiB in pieces of 256 bytes: reading the event again with each piece would be half a terabyte.
    let event = [b"data: ".as_slice(), &vec![b'x'; 16 << 20], b"\n\n"].concat();
    let clock = Clock::start();
    let heard = hear(event.chunks(256), 32 << 20);
    assert_eq!((heard.events.len(), heard.events[0].1.len()), (1, 16 << 20));
    assert!(clock.now().seconds() < 5.0, "{}", clock.now().seconds());
}

#[test]
fn sse_11_many_lines_of_one_event_and_many_events_of_one_read_are_linear_too() {
    let clock = Clock::start();
    let lines = [b"data: x\n".repeat(1 << 18), b"\n".to_vec()].concat();
    assert_eq!(hear(lines.chunks(64), 32 << 20).events.len(), 1);
    assert_eq!(hear([b"data: x\n\n".repeat(1 << 18).as_slice()], 1024).events.len(), 1 << 18);
    assert!(clock.now().seconds() < 5.0, "{}", clock.now().seconds());
}

#[test]
fn sse_11_what_is_kept_is_bounded_whatever_comes() {
    let limit = 1 << 16;
    let endless = ["data: x", "data: x\n", ": x", "x", "x\n", "event: x\n", "id: x\n", "\u{feff}"];
    for piece in endless {
        let mut sse = Sse::new(limit);
        let block = piece.repeat(4096);
        // Either it is refused soon, or there is nothing that needs keeping.
        let kept = (0..64).find(|_| sse.push(block.as_bytes(), &mut |_| ControlFlow::Continue(())).is_err());
        assert!(kept.is_none_or(|n| n * block.len() <= 5 * limit), "{piece:?} after {kept:?}");
        assert!(sse.residue().len() <= limit, "{piece:?}");
    }
}
