//! The read loop: chunk -> stamp -> frame -> decode -> record, nothing else in between.

use std::ops::ControlFlow;

use http_body_util::BodyExt as _;
use hyper::Response;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use measure::sample::ErrorDetail;
use measure::{ErrorClass, Flag, Offset, Outcome};
use scenario::plan::Format;

use crate::answer::Answer;
use crate::attempt::{Failed, Log, root};
use crate::caller::Caller;
use crate::classify;
use crate::decoding::Decoding;
use crate::framing::{Event, Ndjson, Sse, TooLarge, Whole};
use crate::guard::Guard;
use crate::protocol::{is_json, is_object};
use crate::trace::Step;
use crate::transport::Link;

mod refusal;

pub(crate) use refusal::read_error_body;

/// How reading a body ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BodyEnd {
    /// As announced.
    Clean,
    /// Cut, reset or garbled.
    Dirty(String),
    /// A timeout struck.
    TimedOut(ErrorClass),
    /// The answer was complete, and the rest of the body did not come in time: the connection is given up.
    Lingered,
    /// The server said that it failed: nothing more is waited for.
    Failed,
    /// An event over the limit.
    TooLarge(TooLarge),
    /// Not compressed as its head says.
    Undecodable(String),
}

/// A body being read, framed as its head says.
#[derive(Debug)]
pub(crate) enum Reading {
    /// Server-sent events.
    Events(Sse),
    /// Lines of JSON.
    Lines(Ndjson),
    /// One JSON document.
    Whole(Whole),
}

/// The media types of lines of JSON.
const LINES: [&str; 6] = [
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/json-lines",
    "application/stream+json",
];

impl Reading {
    /// Chooses the framing by the head.
    pub(crate) fn of(caller: &Caller, response: &Response<Incoming>, log: &mut Log) -> Result<Self, Failed> {
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let kind = header(CONTENT_TYPE).unwrap_or_default().split(';').next().unwrap_or_default();
        let Some(reading) = Self::of_type(&kind.trim().to_ascii_lowercase(), caller) else {
            let text = format!("the answer is `{}`, which can hold no answer of this api", kind.trim());
            return Err(Failed::new(ErrorClass::BadContentType, text));
        };
        if matches!(reading, Self::Whole(_)) && caller.stream && says_json(kind) {
            log.answer.flags.insert(Flag::NotStreamed);
        }
        Ok(reading)
    }

    /// The framing of a body of this media type; `None` when it can hold no answer of the api.
    fn of_type(kind: &str, caller: &Caller) -> Option<Self> {
        let limit = caller.max_event_size;
        let format = if caller.stream { caller.protocol.format() } else { Format::Json };
        match (kind, format) {
            ("text/event-stream", _) => Some(Self::Events(Sse::new(limit))),
            (kind, _) if LINES.contains(&kind) => match caller.protocol.format() {
                Format::Ndjson => Some(Self::Lines(Ndjson::new(limit))),
                Format::Json => Some(Self::Whole(Whole::new(limit))),
                Format::Sse => None,
            },
            // Some servers write a good stream under the type of one document, or without a type.
            ("application/json" | "" | "text/plain" | "application/octet-stream", Format::Ndjson) => {
                Some(Self::Lines(Ndjson::new(limit)))
            }
            ("application/json" | "" | "text/plain" | "application/octet-stream", Format::Sse) => {
                Some(Self::Events(Sse::new(limit)))
            }
            ("application/json" | "" | "text/plain" | "application/octet-stream", _) => {
                Some(Self::Whole(Whole::new(limit)))
            }
            _ => None,
        }
    }

    /// Takes in a chunk that arrived at `at`.
    fn push(&mut self, bytes: &[u8], at: Offset, caller: &Caller, log: &mut Log) -> Result<(), TooLarge> {
        let mut record = |event: Event<'_>| {
            hear(event, at, caller, log);
            ControlFlow::Continue(())
        };
        match self {
            Self::Whole(whole) => whole.push(bytes),
            Self::Events(sse) => sse.push(bytes, &mut record).map(|_| ()),
            Self::Lines(lines) => lines.push(bytes, &mut record).map(|_| ()),
        }
    }

    /// Judges the answer once its body ended.
    pub(crate) fn finish(
        mut self,
        caller: &Caller,
        at: Offset,
        end: BodyEnd,
        log: &mut Log,
    ) -> Result<BodyEnd, Failed> {
        let answer = &mut log.answer;
        answer.at.end = answer.done.unwrap_or(at);
        match end {
            BodyEnd::TimedOut(class) if !(is_silence(class) && answer.has_finish_reason()) => {
                Err(caller.timed_out(class))
            }
            BodyEnd::TooLarge(error) if answer.done.is_none() => {
                Err(Failed::new(ErrorClass::EventTooLarge, error.to_string()))
            }
            BodyEnd::Undecodable(reason) if answer.done.is_none() => {
                let text = format!("the body is not compressed as its head says: {reason}");
                Err(Failed::new(ErrorClass::Malformed, text))
            }
            BodyEnd::Dirty(reason) if answer.done.is_none() && answer.failure.is_none() => {
                let text = format!("the connection broke inside the answer: {reason}");
                Err(Failed::new(ErrorClass::StreamInterrupted, text))
            }
            end => {
                if matches!(end, BodyEnd::TooLarge(_)) {
                    answer.flags.insert(Flag::Residue);
                }
                let bytes = self.close(at, caller, log, &end);
                let answer = &mut log.answer;
                let outcome = classify::clean_end(answer, &bytes);
                judged(outcome, answer, caller, &bytes).map(|()| end)
            }
        }
    }

    /// Hands over what the framing still holds, and returns what belongs to no event.
    fn close(&mut self, at: Offset, caller: &Caller, log: &mut Log, end: &BodyEnd) -> Vec<u8> {
        let mut cut = Vec::new();
        let mut last = |event: Event<'_>| {
            // A cut event is dropped: it was never completed.
            if is_complete(event) || caller.protocol.is_mark(event) {
                hear(event, at, caller, log);
            } else {
                cut.extend_from_slice(event.data);
            }
            ControlFlow::Continue(())
        };
        match self {
            Self::Events(sse) => {
                if *end == BodyEnd::Clean && sse.finish(&mut last) {
                    log.answer.flags.insert(Flag::UnterminatedEvent);
                }
                if sse.comments() > 0 {
                    log.answer.flags.insert(Flag::Keepalives);
                }
                // A body that is nothing but a cut event is not an empty one.
                match sse.residue().is_empty() && !log.answer.any_event {
                    true => cut,
                    false => document_instead(sse.residue(), at, caller, log),
                }
            }
            Self::Lines(lines) => {
                let unterminated = *end == BodyEnd::Clean && lines.finish(&mut last);
                if lines.events() == 1 && log.answer.done.is_some() {
                    // One line that begins and ends the answer is a document.
                    log.answer.becomes_whole();
                    not_streamed(caller, log);
                } else if unterminated {
                    log.answer.flags.insert(Flag::UnterminatedEvent);
                }
                document_instead(lines.residue(), at, caller, log)
            }
            Self::Whole(whole) => {
                let body = whole.bytes();
                let readable = is_whole(body) && !body.trim_ascii().is_empty();
                if !readable {
                    return body.to_vec();
                }
                read_whole(body, at, caller, log);
                Vec::new()
            }
        }
    }
}

/// Takes in one event of a stream.
fn hear(event: Event<'_>, at: Offset, caller: &Caller, log: &mut Log) {
    let tokens = log.answer.events.len();
    log.answer.event(at);
    caller.protocol.event(event, &mut |signal| log.answer.signal(signal, at));
    let is_token = log.answer.events.len() > tokens;
    log.trace.tell_at(at, || Step::Event {
        name: caller.mask.excerpt(event.name).unwrap_or_default(),
        data: caller.mask.excerpt(event.data).unwrap_or_default(),
        is_token,
    });
}

fn read_whole(body: &[u8], at: Offset, caller: &Caller, log: &mut Log) {
    log.answer.any_event = true;
    log.answer.is_whole = true;
    caller.protocol.whole(body, &mut |signal| log.answer.whole_signal(signal, at));
    log.trace.tell_at(at, || Step::Event {
        name: String::new(),
        data: caller.mask.excerpt(body).unwrap_or_default(),
        is_token: log.answer.has_text,
    });
}

/// Nothing came, or no token: of a finished answer nothing more need come.
fn is_silence(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::TimeoutIdle | ErrorClass::TimeoutStall)
}

/// A document where a stream was due, under a type that says neither; what else is left is given back.
fn document_instead(residue: &[u8], at: Offset, caller: &Caller, log: &mut Log) -> Vec<u8> {
    if log.answer.any_event || !is_object(residue) {
        return residue.to_vec();
    }
    not_streamed(caller, log);
    read_whole(residue, at, caller, log);
    Vec::new()
}

fn not_streamed(caller: &Caller, log: &mut Log) {
    if caller.stream {
        log.answer.flags.insert(Flag::NotStreamed);
    }
}

fn says_json(content_type: &str) -> bool {
    content_type.trim().eq_ignore_ascii_case("application/json")
}

/// Whether an event without its blank line can be all that was to come: JSON shows it, and words never do; but an error
/// in words is believed.
fn is_complete(event: Event<'_>) -> bool {
    let in_words = event.name.eq_ignore_ascii_case(b"error") && !event.data.trim_ascii().starts_with(b"{");
    in_words || is_whole(event.data)
}

fn is_whole(data: &[u8]) -> bool {
    let data = data.trim_ascii();
    data == b"[DONE]" || is_json(data)
}

fn judged(outcome: Outcome, answer: &Answer, caller: &Caller, residue: &[u8]) -> Result<(), Failed> {
    let Outcome::Failed(class) = outcome else { return Ok(()) };
    let failure = answer.failure.as_ref();
    let reason = answer.finish_reason.as_deref().unwrap_or("none");
    let message = match (failure, class) {
        (Some(failure), _) if failure.message.is_empty() => {
            "the server sent an error without a message".to_owned()
        }
        (Some(failure), _) => failure.message.clone(),
        (None, ErrorClass::Truncated) => "the body ended before the answer did".to_owned(),
        (None, ErrorClass::EmptyOutput) => "the answer holds no token".to_owned(),
        (None, ErrorClass::Malformed) => "the body is not an answer of this api".to_owned(),
        (None, _) => format!("the answer ended with the finish reason `{reason}`"),
    };
    let code = failure.and_then(|failure| failure.code.clone());
    let excerpt = caller.mask.excerpt(residue);
    let detail = ErrorDetail { message, code, excerpt, retry_after: None };
    Err(Failed { class, detail, demand: None })
}

/// Reads a body to its end.
pub(crate) async fn read_body(
    caller: &Caller,
    link: &mut Link,
    mut body: Incoming,
    guard: &mut Guard,
    (decoding, reading): (&mut Decoding, &mut Reading),
    log: &mut Log,
) -> BodyEnd {
    loop {
        let frame = match link.drive(body.frame(), guard).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(error))) => return BodyEnd::Dirty(root(&error)),
            Ok(None) => {
                return match decoding.finish() {
                    Ok(()) => BodyEnd::Clean,
                    Err(error) => BodyEnd::Undecodable(error.to_string()),
                };
            }
            Err(_) if log.answer.done.is_some() => return BodyEnd::Lingered,
            Err(class) => return BodyEnd::TimedOut(class),
        };
        let at = link.arrival(); // 1. stamp: taken in the read itself, before any work
        let Some(bytes) = frame.data_ref() else { continue };
        guard.byte(at);
        let (tokens, was_done) = (log.answer.events.len(), log.answer.done.is_some());
        // 2. frame, 3. decode, 4. record
        let bytes = match decoding.next(bytes) {
            Ok(bytes) => bytes,
            Err(error) => return BodyEnd::Undecodable(error.to_string()),
        };
        if let Err(error) = reading.push(bytes, at, caller, log) {
            return BodyEnd::TooLarge(error);
        }
        let new_tokens = log.answer.events.len() - tokens;
        if new_tokens > 0 {
            guard.token(at);
            log.tally.set(log.tally.get() + new_tokens as u64);
        }
        if log.answer.failure.is_some() {
            return BodyEnd::Failed;
        }
        if let Some(class) = guard.struck(at) {
            return if log.answer.done.is_some() { BodyEnd::Lingered } else { BodyEnd::TimedOut(class) };
        }
        if log.answer.done.is_some() && !was_done {
            guard.done();
        }
    }
}
