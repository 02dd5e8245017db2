//! What every target holds its input to. The input is a body as a server would send it, so that a seed is a file one can
//! read; where it is cut follows from its length.

pub mod files;

use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use engine::framing::{Event, Ndjson, Sse, TooLarge, Whole};
use engine::protocol::{Protocol, Signal};
use scenario::plan::{Api, Format, Mark, Pointer, Response};

/// Small enough that inputs reach it.
const LIMIT: usize = 512;
/// The most tokens that are believed.
const MOST: u64 = 1 << 40;

/// Event streams: the same however they are cut, bounded, nothing handed out that is empty or over the limit.
pub fn sse(input: &[u8]) {
    for limit in [LIMIT, usize::MAX] {
        let whole = Heard::of([input], limit);
        assert_eq!(Heard::of(input.chunks(1), limit), whole);
        assert_eq!(Heard::of(input.chunks(size(input)), limit), whole);
        for (name, data) in &whole.events {
            assert!(!data.is_empty() && data.len() <= limit && name.len() <= limit);
        }
        assert!(whole.residue.len() <= input.len() + 1);
    }
}

/// Lines of JSON: the same however they are cut, bounded, every one of them an object by its looks.
pub fn ndjson(input: &[u8]) {
    for limit in [LIMIT, usize::MAX] {
        let whole = Heard::of_lines([input], limit);
        assert_eq!(Heard::of_lines(input.chunks(1), limit), whole);
        assert_eq!(Heard::of_lines(input.chunks(size(input)), limit), whole);
        for (_, data) in &whole.events {
            assert!(data.starts_with(b"{") && data.ends_with(b"}") && data.len() <= limit);
        }
        assert!(whole.residue.len() <= input.len() + 1);
    }
}

/// Documents: all bytes in order, or refused exactly when they are over the limit.
pub fn whole(input: &[u8]) {
    for size in [1, size(input), input.len().max(1)] {
        let mut whole = Whole::new(LIMIT);
        let refused = input.chunks(size).any(|piece| whole.push(piece).is_err());
        assert_eq!(refused, input.len() > LIMIT);
        assert!(whole.bytes().len() <= LIMIT);
        assert!(input.starts_with(whole.bytes()));
        assert!(refused || whole.bytes() == input);
    }
}

/// A built-in protocol.
pub fn protocol(api: Api, input: &[u8]) {
    held(&Protocol::of(api), input);
}

/// A described one, with every kind of mark and a place that stands for several.
pub fn custom(input: &[u8]) {
    static DESCRIBED: LazyLock<Arc<Response>> = LazyLock::new(|| Arc::new(described()));
    held(&Protocol::custom(Arc::clone(&DESCRIBED)), input);
}

fn described() -> Response {
    let at = |text: &str| Pointer::parse(text).into_iter().collect::<Vec<_>>();
    let equals = at("/event").into_iter().map(|pointer| Mark::Equals { pointer, value: "message_end".into() });
    Response {
        format: Format::Sse,
        text: [at("/answer"), at("/data/text"), at("/choices/*/delta/content")].concat(),
        reasoning: at("/choices/*/delta/reasoning_content"),
        done: equals.chain([Mark::Data("[DONE]".to_owned()), Mark::Event("end".to_owned())]).collect(),
        error: at("/error").into_iter().map(Mark::Present).collect(),
        usage_output: [at("/metadata/usage/completion_tokens"), at("/usage/completion_tokens")].concat(),
        usage_input: at("/usage/prompt_tokens"),
    }
}

/// As a stream the same however it is cut, and as a document; no count that nobody can have sent.
fn held(protocol: &Protocol, input: &[u8]) {
    let whole = signals(protocol, [input]);
    assert_eq!(signals(protocol, input.chunks(1)), whole);
    assert_eq!(signals(protocol, input.chunks(size(input))), whole);
    let mut document = Vec::new();
    protocol.whole(input, &mut |signal| document.push(signal));
    for signal in whole.iter().chain(&document) {
        match signal {
            Signal::Usage(usage) | Signal::Opening(usage) => {
                assert!(!usage.is_empty());
                let counts = [usage.output, usage.input, usage.reasoning, usage.cached];
                assert!(counts.into_iter().flatten().all(|count| count <= MOST));
            }
            Signal::Finish { reason, .. } => assert!(!reason.is_empty()),
            _ => {}
        }
    }
}

fn size(input: &[u8]) -> usize {
    2 + input.len() % 13
}

#[derive(Debug, PartialEq)]
struct Heard {
    events: Vec<(Vec<u8>, Vec<u8>)>,
    refused: Option<TooLarge>,
    unterminated: bool,
    comments: u64,
    residue: Vec<u8>,
}

impl Heard {
    fn of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Self {
        let mut events = Vec::new();
        let mut sink = |event: Event<'_>| {
            events.push((event.name.to_vec(), event.data.to_vec()));
            ControlFlow::Continue(())
        };
        let mut sse = Sse::new(limit);
        let refused = pieces.into_iter().find_map(|piece| sse.push(piece, &mut sink).err());
        let unterminated = refused.is_none() && sse.finish(&mut sink);
        Self { events, refused, unterminated, comments: sse.comments(), residue: sse.residue().to_vec() }
    }

    fn of_lines<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Self {
        let mut events = Vec::new();
        let mut sink = |event: Event<'_>| {
            events.push((event.name.to_vec(), event.data.to_vec()));
            ControlFlow::Continue(())
        };
        let mut lines = Ndjson::new(limit);
        let refused = pieces.into_iter().find_map(|piece| lines.push(piece, &mut sink).err());
        let unterminated = refused.is_none() && lines.finish(&mut sink);
        Self { events, refused, unterminated, comments: 0, residue: lines.residue().to_vec() }
    }
}

fn signals<'a>(protocol: &Protocol, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Signal> {
    let mut signals = Vec::new();
    for (name, data) in Heard::of(pieces, usize::MAX).events {
        protocol.event(Event { name: &name, data: &data }, &mut |signal| signals.push(signal));
    }
    signals
}
