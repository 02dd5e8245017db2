//! What OpenAI's Chat Completions and Completions share: chunks with choices, usage, errors, and `[DONE]` at the end.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::lenient::{Object, Objects};
use super::{Failure, Kind, Signal, Usage, is_error, read, unreadable};
use crate::framing::Event;

/// One element of `choices`.
pub(super) trait Choice: DeserializeOwned {
    /// What text the choice holds, if any.
    fn kind(&self) -> Option<Kind>;
    /// `index`, as it stands there.
    fn index(&self) -> Option<&Value>;
    /// `finish_reason`, as it stands there.
    fn finish_reason(&mut self) -> Option<Value>;
    /// Whether the choice is a whole answer rather than a piece of one.
    fn is_whole(&self) -> bool;
    /// Token counts; some servers have them here.
    fn usage(&self) -> Usage;
    /// Whatever stands under `error`.
    fn error(&self) -> Option<&Value>;
}

#[derive(Deserialize)]
struct Chunk<C> {
    #[serde(default = "Objects::default")]
    choices: Objects<C>,
    #[serde(default)]
    usage: Usage,
    #[serde(default)]
    x_groq: Object<Extension>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize, Default)]
struct Extension {
    #[serde(default)]
    usage: Usage,
}

/// Reads one event of a stream.
pub(super) fn event<C: Choice>(event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
    let data = event.data.trim_ascii();
    match data {
        b"[DONE]" => emit(Signal::Done),
        _ if is_error(event.name) => emit(Signal::Failed(Failure::said(data))),
        _ => chunk::<C>(data, emit),
    }
}

/// Reads a whole answer, which has the form of one chunk.
pub(super) fn whole<C: Choice>(body: &[u8], emit: &mut dyn FnMut(Signal)) {
    chunk::<C>(body.trim_ascii(), emit);
}

fn chunk<C: Choice>(data: &[u8], emit: &mut dyn FnMut(Signal)) {
    let Some(chunk) = read::<Chunk<C>>(data) else { return unreadable(data, emit) };
    let mut usage = chunk.usage;
    usage.replace(chunk.x_groq.0.unwrap_or_default().usage);
    // Only what could be an error is read a second time.
    if chunk.error.is_some() || (chunk.choices.0.is_empty() && usage.is_empty()) {
        failed(Failure::in_document(data), emit);
    }
    if chunk.choices.0.iter().any(Choice::is_whole) {
        emit(Signal::Document);
    }
    for choice in chunk.choices.0 {
        usage.replace(choice.usage());
        choice_signals(choice, emit);
    }
    if !usage.is_empty() {
        emit(Signal::Usage(usage));
    }
}

fn failed(failure: Option<Failure>, emit: &mut dyn FnMut(Signal)) {
    if let Some(failure) = failure {
        emit(Signal::Failed(failure));
    }
}

fn choice_signals<C: Choice>(mut choice: C, emit: &mut dyn FnMut(Signal)) {
    let index = index(choice.index());
    match choice.kind() {
        Some(kind) => emit(Signal::Token { choice: index, kind }),
        None => emit(Signal::Choice(index)),
    }
    failed(choice.error().and_then(Failure::of_error), emit);
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
