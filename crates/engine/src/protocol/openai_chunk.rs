//! What OpenAI's Chat Completions and Completions share: chunks with choices, usage, errors, and `[DONE]` at the end.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::lenient::Objects;
use super::{Failure, Kind, Signal, Usage, read, unreadable};
use crate::framing::Event;

/// One element of `choices`.
pub(super) trait Choice: DeserializeOwned {
    /// What text the choice holds, if any.
    fn kind(&self) -> Option<Kind>;
    /// `index`, as it stands there.
    fn index(&self) -> Option<&Value>;
    /// `finish_reason`, as it stands there.
    fn finish_reason(&mut self) -> Option<Value>;
}

#[derive(Deserialize)]
struct Chunk<C> {
    #[serde(default = "Objects::default")]
    choices: Objects<C>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    error: Option<Value>,
}

/// Reads one event of a stream.
pub(super) fn event<C: Choice>(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    match event.data.trim_ascii() {
        b"[DONE]" => emit(Signal::Done),
        data => chunk::<C>(data, event.name, emit),
    }
}

/// Reads a whole answer, which has the form of one chunk.
pub(super) fn whole<C: Choice>(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    chunk::<C>(body.trim_ascii(), b"", emit);
}

fn chunk<C: Choice>(data: &[u8], event_name: &[u8], emit: &mut dyn FnMut(Signal)) {
    let named_error = event_name == b"error";
    let Some(chunk) = read::<Chunk<C>>(data) else {
        return match named_error {
            true => emit(Signal::Failed(Failure::in_text(data).unwrap_or_else(|| plain(data)))),
            false => unreadable(data, emit),
        };
    };
    if let Some(error) = chunk.error
        && let Some(failure) = failure(error, data)
    {
        emit(Signal::Failed(failure));
    } else if named_error {
        emit(Signal::Failed(Failure::in_text(data).unwrap_or_else(|| plain(data))));
    }
    for choice in chunk.choices.0 {
        choice_signals(choice, emit);
    }
    if let Some(usage) = chunk.usage.filter(|usage| !usage.is_empty()) {
        emit(Signal::Usage(usage));
    }
}

fn failure(error: Value, data: &[u8]) -> Option<Failure> {
    match error {
        Value::String(_) => Failure::in_text(data),
        error => Failure::in_error_key(&serde_json::json!({ "error": error })),
    }
}

fn plain(data: &[u8]) -> Failure {
    Failure::in_words(String::from_utf8_lossy(data))
}

fn choice_signals<C: Choice>(mut choice: C, emit: &mut dyn FnMut(Signal)) {
    let index = index(choice.index());
    match choice.kind() {
        Some(kind) => emit(Signal::Token { choice: index, kind }),
        None => emit(Signal::Choice(index)),
    }
    // An empty reason is no reason: the stream goes on.
    if let Some(Value::String(reason)) = choice.finish_reason()
        && !reason.is_empty()
    {
        emit(Signal::Finish { choice: index, reason });
    }
}

fn index(index: Option<&Value>) -> u32 {
    let number = match index {
        Some(Value::Number(number)) => number.as_u64(),
        Some(Value::String(text)) => text.parse().ok(),
        _ => None,
    };
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}
