//! How the answers of a custom api are read: the compiled form of `[target.response]`.

use serde_json::Value;

use super::Pointer;

/// What stands where in the answers of a custom api.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// How an answer is written.
    pub format: Format,
    /// Where generated text stands; at least one.
    pub text: Vec<Pointer>,
    /// Where reasoning stands.
    pub reasoning: Vec<Pointer>,
    /// What ends a streamed answer, any of them; at least one unless the format is `json`.
    pub done: Vec<Mark>,
    /// What says that the request failed, any of them.
    pub error: Vec<Mark>,
    /// Where the count of generated tokens stands; the first that is there counts.
    pub usage_output: Vec<Pointer>,
    /// Where the count of prompt tokens stands; the first that is there counts.
    pub usage_input: Vec<Pointer>,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Server-sent events.
    Sse,
    /// One JSON document a line.
    Ndjson,
    /// One JSON document.
    Json,
}

/// How an event is told from others.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// By its `event` field.
    Event(String),
    /// By its data as a whole.
    Data(String),
    /// By a value in its data.
    Equals {
        /// Where the value stands.
        pointer: Pointer,
        /// What it is.
        value: Value,
    },
    /// By there being anything but null, false or nothing at that place.
    Present(Pointer),
}

impl Format {
    /// The media type to ask for.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::Ndjson => "application/x-ndjson",
            Self::Json => "application/json",
        }
    }
}
