//! One request told step by step while it runs: for `rungs probe`. Under load nobody listens, and a step costs a look at an
//! empty option.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use measure::Offset;

use crate::clock::Clock;

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The request is taken up: zero of connecting.
    Started,
    /// The host's name was resolved.
    Resolved {
        /// The name.
        host: String,
        /// What it stands for, in the resolver's order.
        addresses: Vec<SocketAddr>,
    },
    /// A TCP connection is there.
    Connected {
        /// The other side.
        address: Option<SocketAddr>,
    },
    /// The proxy opened a tunnel.
    Tunnelled,
    /// TLS is there.
    Secured {
        /// `TLSv1_3`.
        version: Option<String>,
        /// What was agreed on by ALPN, if anything.
        alpn: Option<String>,
    },
    /// The connection can be used.
    Usable {
        /// `HTTP/1.1` or `HTTP/2`.
        http: &'static str,
    },
    /// The first byte of the request was handed to the socket: zero of all latencies.
    Sent,
    /// The response head is complete.
    Head {
        /// Status of the answer.
        status: u16,
        /// Headers in order; values masked where they could hold a secret.
        headers: Vec<(String, String)>,
    },
    /// An event of the stream, or a whole answer.
    Event {
        /// Name of an SSE event, if it has one.
        name: String,
        /// Its data, masked and cut to its first 512 bytes.
        data: String,
        /// Whether generated text is in it.
        is_token: bool,
    },
}

/// Who listens.
pub type Listener = Arc<dyn Fn(Offset, Step) + Send + Sync>;

/// Tells steps to a listener, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Trace(Option<(Listener, Clock)>);

impl Trace {
    pub(crate) fn to(listener: Listener, clock: Clock) -> Self {
        Self(Some((listener, clock)))
    }

    /// A step that happens now.
    pub(crate) fn tell(&self, step: impl FnOnce() -> Step) {
        if let Some((listener, clock)) = &self.0 {
            listener(clock.now(), step());
        }
    }

    /// A step that happened at a moment.
    pub(crate) fn tell_at(&self, at: Offset, step: impl FnOnce() -> Step) {
        if let Some((listener, _)) = &self.0 {
            listener(at, step());
        }
    }

    /// Whether anybody listens.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on() { "on" } else { "off" })
    }
}
