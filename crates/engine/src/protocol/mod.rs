//! Events in, signals out: one file per protocol, no I/O and no clock. Lenient about unknown and missing fields, strict
//! about what ends a stream and what is an error.

mod anthropic_messages;
mod custom;
mod dify_chat;
mod failure;
mod lenient;
mod ollama_chat;
mod openai_chat;
mod openai_chunk;
mod openai_completions;
mod openai_responses;
mod repair;
mod signal;
mod text;
mod usage;

use std::sync::Arc;

use scenario::plan::{Api, Format, Response};

use crate::framing::Event;

pub use failure::Failure;
pub use signal::{Kind, Signal};
pub use usage::Usage;

/// What an api says, read event by event.
#[derive(Debug, Clone)]
pub struct Protocol {
    api: Api,
    /// What stands where in the answers of a custom api.
    response: Option<Arc<Response>>,
}

impl Protocol {
    /// The reader of an api that is built in.
    pub fn of(api: Api) -> Self {
        Self { api, response: None }
    }

    /// The reader of an api that a scenario describes.
    pub fn custom(response: Arc<Response>) -> Self {
        Self { api: Api::Custom, response: Some(response) }
    }

    /// How a streamed answer is written.
    pub fn format(&self) -> Format {
        self.response.as_ref().map_or(self.api.format(), |response| response.format)
    }

    /// Reads one event of a stream.
    pub fn event(&self, event: Event<'_>, emit: &mut dyn FnMut(Signal)) {
        match (self.api, &self.response) {
            (Api::OpenAiChat, _) => openai_chat::event(event, emit),
            (Api::OpenAiCompletions, _) => openai_completions::event(event, emit),
            (Api::OpenAiResponses, _) => openai_responses::event(event, emit),
            (Api::AnthropicMessages, _) => anthropic_messages::event(event, emit),
            (Api::DifyChat, _) => dify_chat::event(event, emit),
            (Api::OllamaChat, _) => ollama_chat::event(event, emit),
            (Api::Custom, Some(response)) => custom::event(response, event, emit),
            // Without a description nothing is known.
            (Api::Custom, None) => emit(Signal::Unknown),
        }
    }

    /// Whether an event is a mark of its own that need not be JSON.
    pub fn is_mark(&self, event: Event<'_>) -> bool {
        self.response.as_ref().is_some_and(|response| custom::is_mark(response, event))
    }

    /// Reads a whole answer, not streamed.
    pub fn whole(&self, body: &[u8], emit: &mut dyn FnMut(Signal)) {
        match (self.api, &self.response) {
            (Api::OpenAiChat, _) => openai_chat::whole(body, emit),
            (Api::OpenAiCompletions, _) => openai_completions::whole(body, emit),
            (Api::OpenAiResponses, _) => openai_responses::whole(body, emit),
            (Api::AnthropicMessages, _) => anthropic_messages::whole(body, emit),
            (Api::DifyChat, _) => dify_chat::whole(body, emit),
            (Api::OllamaChat, _) => ollama_chat::whole(body, emit),
            (Api::Custom, Some(response)) => custom::whole(response, body, emit),
            (Api::Custom, None) => emit(Signal::Unknown),
        }
    }
}

/// Parses a JSON object; text that JSON forbids but servers send (broken UTF-8, lone surrogates) is replaced first. An
/// array is none, although its elements could be taken for fields in order.
fn read<T: serde::de::DeserializeOwned>(data: &[u8]) -> Option<T> {
    without_bom(data).trim_ascii_start().starts_with(b"{").then(|| json(data)).flatten()
}

/// As [`read`], whatever JSON it is. Of a key that stands twice the last counts.
fn json<T: serde::de::DeserializeOwned>(data: &[u8]) -> Option<T> {
    let data = without_bom(data);
    if let Ok(value) = serde_json::from_slice(data) {
        return Some(value);
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

/// What to make of data that could not be read: an array may hold an error, JSON of another form is a type we do not
/// know, anything else is odd.
fn unreadable(data: &[u8], emit: &mut dyn FnMut(Signal)) {
    match (is_json(data), Failure::in_document(data)) {
        (_, Some(failure)) => emit(Signal::Failed(failure)),
        (true, None) => emit(Signal::Unknown),
        (false, None) => emit(Signal::Odd),
    }
}

/// Whether data is one JSON text, as leniently as it is read.
pub(crate) fn is_json(data: &[u8]) -> bool {
    json::<serde::de::IgnoredAny>(data).is_some()
}

/// Whether data is one JSON object, as leniently as it is read.
pub(crate) fn is_object(data: &[u8]) -> bool {
    read::<serde::de::IgnoredAny>(data).is_some()
}

fn without_bom(data: &[u8]) -> &[u8] {
    data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data)
}

#[cfg(test)]
mod tests;
