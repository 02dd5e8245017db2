//! Events in, signals out: one file per protocol, no I/O and no clock. Lenient about unknown and missing fields, strict
//! about what ends a stream and what is an error.

mod anthropic_messages;
mod dify_chat;
mod failure;
mod lenient;
mod openai_chat;
mod repair;
mod signal;
mod text;
mod usage;

use scenario::plan::Api;

use crate::framing::Event;

pub use failure::Failure;
pub use signal::{Kind, Signal};
pub use usage::Usage;

/// What an api says, read event by event.
#[derive(Debug, Clone, Copy)]
pub struct Protocol(Api);

impl Protocol {
    /// The reader of an api.
    pub fn of(api: Api) -> Self {
        Self(api)
    }

    /// Reads one event of a stream.
    pub fn event(self, event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
        match self.0 {
            Api::OpenAiChat => openai_chat::event(event, emit),
            Api::AnthropicMessages => anthropic_messages::event(event, emit),
            Api::DifyChat => dify_chat::event(event, emit),
        }
    }

    /// Reads a whole answer, not streamed.
    pub fn whole(self, body: &[u8], emit: &mut dyn FnMut(Signal)) {
        match self.0 {
            Api::OpenAiChat => openai_chat::whole(body, emit),
            Api::AnthropicMessages => anthropic_messages::whole(body, emit),
            Api::DifyChat => dify_chat::whole(body, emit),
        }
    }
}

/// Parses a JSON object. Text that JSON forbids but servers send (broken UTF-8, lone surrogates) is replaced first; of a
/// key that stands twice the last counts.
fn read<T: serde::de::DeserializeOwned>(data: &[u8]) -> Option<T> {
    if !data.starts_with(b"{") {
        return None;
    }
    if let Ok(object) = serde_json::from_slice(data) {
        return Some(object);
    }
    let repaired = repair::repaired(data);
    let data = repaired.as_ref().map_or(data, |text| text.as_bytes());
    let tree: serde_json::Value = serde_json::from_slice(data).ok()?;
    serde_json::from_value(tree).ok()
}

/// Whether an event is an error by its name.
fn is_error(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"error")
}

/// What to make of data that could not be read: JSON of another form is a type we do not know, anything else is odd.
fn unreadable(data: &[u8], emit: &mut dyn FnMut(Signal)) {
    let is_json = |data: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(data).is_ok();
    match is_json(data) || repair::repaired(data).is_some_and(|text| is_json(text.as_bytes())) {
        true => emit(Signal::Unknown),
        false => emit(Signal::Odd),
    }
}
