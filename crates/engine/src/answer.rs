//! What one attempt heard: signals and their arrivals, kept until the attempt is judged.

use std::collections::BTreeMap;

use measure::request::is_burst;
use measure::sample::{Instants, TokenEvent, TokenSource, Tokens};
use measure::{Flag, Flags, Offset};

use crate::classify::failed_reason;
use crate::protocol::{Failure, Kind, Signal, Usage};

/// The record of one attempt while it runs.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) at: Instants,
    pub(crate) flags: Flags,
    pub(crate) events: Vec<TokenEvent>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) failure: Option<Failure>,
    /// Arrival of the terminal marker.
    pub(crate) done: Option<Offset>,
    /// Arrival of the first failure.
    pub(crate) failed: Option<Offset>,
    /// Whether any event (of a stream) or document (of a whole answer) came.
    pub(crate) any_event: bool,
    /// Whether the answer was one document rather than a stream of them.
    pub(crate) is_whole: bool,
    /// Whether generated text came, streamed or not.
    pub(crate) has_text: bool,
    /// Whether the event under way is a whole answer.
    in_document: bool,
    /// Whether each choice seen is finished.
    choices: BTreeMap<u32, bool>,
    usage: Usage,
    /// What usage said before anything was generated: it counts the prompt, and its output is where growth begins.
    opening: Usage,
}

impl Answer {
    /// An event of a stream arrived; its signals follow.
    pub(crate) fn event(&mut self, at: Offset) {
        self.any_event = true;
        self.in_document = false;
        self.at.first_event.get_or_insert(at);
    }

    /// One meaning of an event of a stream.
    pub(crate) fn signal(&mut self, signal: Signal, at: Offset) {
        match signal {
            Signal::Token { choice, kind } if self.in_document => self.text(choice, kind),
            Signal::Token { choice, kind } => self.token(choice, kind, at),
            Signal::Document => self.document(),
            other => self.remark(other, at),
        }
    }

    /// A whole answer in one event is no stream; after a stream it only repeats it.
    fn document(&mut self) {
        self.in_document = true;
        if self.events.is_empty() {
            self.is_whole = true;
            self.flags.insert(Flag::NotStreamed);
        }
    }

    /// One meaning of an answer that was not streamed: text has no arrival of its own.
    pub(crate) fn whole_signal(&mut self, signal: Signal, at: Offset) {
        match signal {
            Signal::Token { choice, kind } => self.text(choice, kind),
            other => self.remark(other, at),
        }
    }

    /// Text that has no arrival of its own.
    fn text(&mut self, choice: u32, kind: Kind) {
        self.has_text = true;
        self.choice(choice);
        self.refusal(kind);
    }

    fn token(&mut self, choice: u32, kind: Kind, at: Offset) {
        // The answer is over: what comes now belongs to none.
        if self.done.is_some() {
            return self.flags.insert(Flag::Residue);
        }
        self.at.first_token.get_or_insert(at);
        self.at.last_token = Some(at);
        if kind != Kind::Reasoning {
            self.at.first_answer.get_or_insert(at);
        }
        self.text(choice, kind);
        self.events.push(TokenEvent { at: Offset::from_micros(at.micros()), choice });
    }

    fn refusal(&mut self, kind: Kind) {
        if kind == Kind::Refusal {
            self.flags.insert(Flag::Refusal);
        }
    }

    fn remark(&mut self, signal: Signal, at: Offset) {
        match signal {
            Signal::Token { .. } | Signal::Document => {}
            Signal::WholeText => self.whole_text(),
            Signal::Choice(choice) => self.choice(choice),
            Signal::Opening(usage) => self.opening = usage,
            Signal::Usage(usage) => self.count(usage, at),
            Signal::Finish { choice, reason } => {
                self.choices.insert(choice, true);
                self.finished(reason);
            }
            Signal::Done => {
                self.done.get_or_insert(at);
            }
            Signal::Failed(failure) => {
                self.failed.get_or_insert(at);
                self.failure.get_or_insert(failure);
            }
            Signal::Keepalive => self.flags.insert(Flag::Keepalives),
            Signal::Odd => self.flags.insert(Flag::OddFrames),
            Signal::Unknown => self.flags.insert(Flag::UnknownTypes),
        }
    }

    /// The last reason stands for the answer, but one choice that failed is not undone by another that did not.
    fn finished(&mut self, reason: String) {
        let failed = |reason: &String| failed_reason(reason).is_some();
        if !self.finish_reason.as_ref().is_some_and(failed) || failed(&reason) {
            self.finish_reason = Some(reason);
        }
    }

    /// A stream that brought its text only at the end streamed nothing.
    fn whole_text(&mut self) {
        self.has_text = true;
        if self.events.is_empty() {
            self.flags.insert(Flag::NotStreamed);
        }
    }

    /// What came as a stream turned out to be one document: its text has no arrival of its own.
    pub(crate) fn becomes_whole(&mut self) {
        self.is_whole = true;
        self.events.clear();
        self.at.first_token = None;
        self.at.first_answer = None;
        self.at.first_generated = None;
        self.at.last_token = None;
    }

    fn count(&mut self, usage: Usage, at: Offset) {
        let before = self.usage.output.or(self.opening.output).unwrap_or(0);
        let grew = usage.output > Some(before);
        if grew && self.at.first_token.is_none() {
            self.at.first_generated.get_or_insert(at);
        }
        self.usage.replace(usage);
    }

    fn choice(&mut self, index: u32) {
        self.choices.entry(index).or_insert(false);
    }

    /// Whether the protocol says that the answer is complete: its marker came, or every choice seen is finished.
    pub(crate) fn is_finished(&self) -> bool {
        self.done.is_some() || self.has_finish_reason()
    }

    /// Whether every choice seen has a finish reason.
    pub(crate) fn has_finish_reason(&self) -> bool {
        !self.choices.is_empty() && self.choices.values().all(|finished| *finished)
    }

    /// Output tokens that usage reports, zero included.
    pub(crate) fn reported_output(&self) -> Option<u64> {
        self.usage.output
    }

    /// Token counts; all-zero usage beside text is unknown. With several choices usage is the whole request's.
    pub(crate) fn tokens(&mut self) -> Tokens {
        let mut usage = self.usage;
        if self.has_text && usage.output == Some(0) {
            self.flags.insert(Flag::UsageZeroWithText);
            usage.output = None;
            usage.input = usage.input.filter(|input| *input > 0);
        }
        Tokens {
            output: usage.output,
            input: usage.input.or(self.opening.input),
            reasoning: usage.reasoning,
            cached: usage.cached.or(self.opening.cached),
            source: if usage.output.is_some() { TokenSource::Usage } else { TokenSource::None },
        }
    }

    /// Sets the flags that follow from the whole stream.
    pub(crate) fn remark_on_stream(&mut self) {
        if is_burst(&self.events) {
            self.flags.insert(Flag::Burst);
        }
    }
}
