//! What an event means, the same for every protocol.

use super::{Failure, Usage};

/// One meaning of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// Generated text arrived for a choice.
    Token {
        /// Index of the choice.
        choice: u32,
        /// Answer or reasoning.
        kind: Kind,
    },
    /// The event is a whole answer: its text, whose signals follow, has no arrival of its own.
    Document,
    /// The answer's text as a whole, at its end: where it had come piece by piece before, this adds nothing.
    WholeText,
    /// The choice exists although it has no text yet.
    Choice(u32),
    /// Token counts; later ones replace earlier ones, field by field.
    Usage(Usage),
    /// Token counts before anything was generated: what later ones grow from.
    Opening(Usage),
    /// A choice is finished, and why.
    Finish {
        /// Index of the choice.
        choice: u32,
        /// As the server spelt it.
        reason: String,
    },
    /// The protocol's terminal marker.
    Done,
    /// The server says that it failed.
    Failed(Failure),
    /// A ping.
    Keepalive,
    /// Data that is not JSON where JSON is due.
    Odd,
    /// An event of a type that the protocol does not name.
    Unknown,
}

/// What generated text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Part of the answer.
    Answer,
    /// Thinking before the answer.
    Reasoning,
    /// A refusal.
    Refusal,
}
