//! What the engine hands over: one [`Sample`] per request, with every attempt and its instants.

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Flags, Offset, Outcome};

/// One request of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Index of the stage in which it started; absent for the preflight.
    pub stage: Option<usize>,
    /// The phase in which it started.
    pub phase: Phase,
    /// Position among the requests of the run, from 0.
    pub seq: u64,
    /// The user who sent it, from 0 within its stage.
    pub user: u32,
    /// Row of the data it was rendered from.
    pub row: usize,
    /// Index of the key it used.
    pub key: Option<usize>,
    /// Closed loop: when its user became free.
    pub due: Offset,
    /// When a slot to run in was free: `due` unless the request had to wait for one.
    pub free: Offset,
    /// Requests that were open right after it started, itself included.
    pub in_flight: u32,
    /// Every attempt in order; never empty. Metrics are those of the last.
    pub attempts: Vec<Attempt>,
}

impl Sample {
    /// The attempt whose latencies and outcome are the request's.
    pub fn last(&self) -> Option<&Attempt> {
        self.attempts.last()
    }

    /// Back-off between its attempts, summed; `None` when the first was the last.
    pub fn retry_wait(&self) -> Option<Duration> {
        let waits = self.attempts.windows(2).map(|pair| pair[1].at.start.since(pair[0].at.end));
        (self.attempts.len() > 1).then(|| waits.sum())
    }

    /// From the start of the first attempt to the end of the last.
    pub fn total(&self) -> Option<Duration> {
        Some(self.attempts.last()?.at.end.since(self.attempts.first()?.at.start))
    }

    /// How the request ended.
    pub fn outcome(&self) -> Outcome {
        self.last().map_or(Outcome::Cancelled, |attempt| attempt.outcome)
    }
}

/// A part of the run with its own accounting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The one request before load.
    Preflight,
    /// Before the first stage, outside every statistic.
    WarmUp,
    /// While the users of a stage start.
    Ramp,
    /// The window of a stage: the only phase that statistics see.
    Measure,
    /// After the window; running requests finish, none starts.
    Drain,
}

/// One attempt on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// Value of the request id header.
    pub request_id: String,
    /// When what happened.
    pub at: Instants,
    /// How it ended.
    pub outcome: Outcome,
    /// Status of the response head, if one came.
    pub status: Option<u16>,
    /// Remarks.
    pub flags: Flags,
    /// Token counts, as far as known.
    pub tokens: Tokens,
    /// Every token event, in order of arrival.
    #[serde(skip)]
    pub events: Vec<TokenEvent>,
    /// The last finish or stop reason, as the server spelt it.
    pub finish_reason: Option<String>,
    /// What is known about a failure.
    pub error: Option<ErrorDetail>,
    /// Whether the connection was there already.
    pub reused: bool,
    /// The other side of the connection: the server, or the proxy.
    pub address: Option<SocketAddr>,
    /// What stamped the arrivals.
    pub clock: ArrivalClock,
}

/// What stamped the arrivals of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalClock {
    /// The time right after the read: as late as the reader was.
    #[default]
    Read,
    /// The kernel, when the bytes came in.
    Kernel,
}

impl ArrivalClock {
    /// As written in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Kernel => "kernel",
        }
    }
}

/// The instants of one attempt. Absent: it did not happen (or, for `connected`, the connection was there already).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Instants {
    /// Taken up by the worker, before name resolution and connecting.
    pub start: Offset,
    /// A fresh connection is usable.
    pub connected: Option<Offset>,
    /// First byte of the request handed to the socket: zero of all latencies.
    pub sent: Option<Offset>,
    /// Response head complete.
    pub headers: Option<Offset>,
    /// First complete event of any kind.
    pub first_event: Option<Offset>,
    /// First token event.
    pub first_token: Option<Offset>,
    /// First event whose usage count grew, if earlier than `first_token`.
    pub first_generated: Option<Offset>,
    /// First token event that is not reasoning.
    pub first_answer: Option<Offset>,
    /// Last token event.
    pub last_token: Option<Offset>,
    /// Terminal marker, clean end of body, or the failure.
    pub end: Offset,
}

/// A token event: when it arrived and to which choice it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenEvent {
    /// Arrival of the read that completed it, to the microsecond: what the samples file keeps.
    pub at: Offset,
    /// Index of the choice.
    pub choice: u32,
}

/// Token counts of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Generated tokens, reasoning included.
    pub output: Option<u64>,
    /// Prompt tokens.
    pub input: Option<u64>,
    /// Part of `output` that is reasoning.
    pub reasoning: Option<u64>,
    /// Part of `input` that came from a cache.
    pub cached: Option<u64>,
    /// Where `output` came from.
    pub source: TokenSource,
}

/// Where a token count came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenSource {
    /// The server's own usage object.
    Usage,
    /// Unknown.
    #[default]
    None,
}

/// What is known about a failure; secrets already masked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ErrorDetail {
    /// One sentence: the server's own message, or what happened on the wire.
    pub message: String,
    /// The server's error code or type.
    pub code: Option<String>,
    /// First 512 bytes of the body.
    pub excerpt: Option<String>,
    /// `Retry-After` as the server sent it.
    pub retry_after: Option<String>,
}
