//! One finished request.

use std::time::Duration;

use serde::Serialize;

use crate::clock::Stamp;
use crate::faults::Fault;
use crate::protocol::Protocol;

/// What the server did for one request, and when.
///
/// Every stamp of a write is taken right *before* the bytes are handed to the socket, so no client can
/// honestly have seen them earlier; what a client sees later is the way there. A row enters the ledger
/// before its last bytes are written: whoever has read an answer to its end finds its row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The request's `x-request-id`, to join it with what a client recorded.
    pub id: Option<String>,
    /// Running number of the request since the server's start.
    pub ordinal: u64,
    /// The protocol it was served in.
    pub protocol: Protocol,
    /// Arrival of the read that delivered the request's last byte, stamped by the kernel where it does.
    pub received: Stamp,
    /// When it had its slot; absent when it was refused or left while waiting.
    pub slot: Option<Stamp>,
    /// When the response head was written.
    pub head: Option<Stamp>,
    /// When each token was written; empty when the answer was not streamed.
    pub tokens: Vec<Stamp>,
    /// The answer's size when it was sent whole.
    pub whole_tokens: Option<usize>,
    /// When the last bytes were written, or when the client was found gone.
    pub end: Stamp,
    /// The status that was sent, if any was.
    pub status: Option<u16>,
    /// The client left before the end.
    pub aborted: bool,
    /// The fault that it met; none that was still to come when the client left.
    pub fault: Option<Fault>,
}

impl Row {
    /// Answered in full with a 2xx, without a fault: the only rows that count in distributions.
    pub fn is_complete(&self) -> bool {
        !self.aborted
            && self.fault.is_none()
            && self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// From the request's last byte to the writing of the first token; absent when there was none.
    pub fn ttft(&self) -> Option<Duration> {
        self.tokens.first().map(|first| first.since(self.received))
    }

    /// Between each two consecutive token writes.
    pub fn gaps(&self) -> impl Iterator<Item = Duration> {
        self.tokens.windows(2).map(|pair| pair[1].since(pair[0]))
    }

    /// From the request's last byte to the writing of the answer's last one.
    pub fn e2e(&self) -> Duration {
        self.end.since(self.received)
    }

    /// Tokens handed to the socket, streamed or whole.
    pub fn sent_tokens(&self) -> u64 {
        (self.tokens.len() + self.whole_tokens.unwrap_or(0)) as u64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A complete row received at 0 with tokens at these milliseconds, which ends 1 ms after the last.
    pub(in crate::ledger) fn row(tokens_ms: &[u64]) -> Row {
        let at = |ms| Stamp::at(Duration::from_millis(ms));
        Row {
            id: None,
            ordinal: 0,
            protocol: Protocol::OpenAiChat,
            received: at(0),
            slot: Some(at(0)),
            head: Some(at(0)),
            tokens: tokens_ms.iter().copied().map(at).collect(),
            whole_tokens: None,
            end: at(tokens_ms.last().unwrap_or(&0) + 1),
            status: Some(200),
            aborted: false,
            fault: None,
        }
    }

    #[test]
    fn durations_are_differences_of_stamps() {
        let ms = Duration::from_millis;
        let row = row(&[50, 60, 75]);
        assert_eq!(row.ttft(), Some(ms(50)));
        assert_eq!(row.gaps().collect::<Vec<_>>(), [ms(10), ms(15)]);
        assert_eq!(row.e2e(), ms(76));
    }
}
