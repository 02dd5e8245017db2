//! The bytes of a response: heads, whole bodies and chunks.

use std::time::Duration;

use serde_json::Value;

use crate::http::KeepAlive;

/// How a streamed body is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Chunked,
    /// For HTTP/1.0.
    UntilClose,
}

impl Framing {
    /// `event` as one piece of the body.
    pub(crate) fn piece(self, event: &str) -> Vec<u8> {
        match self {
            Self::Chunked => format!("{:x}\r\n{event}\r\n", event.len()).into_bytes(),
            Self::UntilClose => event.as_bytes().to_vec(),
        }
    }

    /// `event` as the last piece of the body.
    pub(crate) fn last_piece(self, event: &str) -> Vec<u8> {
        let mut piece = if event.is_empty() { Vec::new() } else { self.piece(event) };
        if self == Self::Chunked {
            piece.extend_from_slice(b"0\r\n\r\n");
        }
        piece
    }
}

/// Everything of a response that is not its body.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) keep_alive: KeepAlive,
    pub(crate) date: String,
    pub(crate) request_id: Option<String>,
    pub(crate) retry_after: Option<Duration>,
}

impl Reply {
    /// The head before a stream of events.
    pub(crate) fn stream_head(&self, content_type: &str, framing: Framing) -> Vec<u8> {
        let mut head = self.head(content_type);
        head.push_str("cache-control: no-cache\r\n");
        if framing == Framing::Chunked {
            head.push_str("transfer-encoding: chunked\r\n");
        }
        head.push_str("\r\n");
        head.into_bytes()
    }

    /// Head and body of a JSON answer.
    pub(crate) fn json(&self, body: &Value) -> Vec<u8> {
        let body = body.to_string();
        [&self.json_head(body.len()), body.as_bytes()].concat()
    }

    /// The head before a JSON document of so many bytes.
    pub(crate) fn json_head(&self, length: usize) -> Vec<u8> {
        let head = self.head("application/json");
        format!("{head}content-length: {length}\r\n\r\n").into_bytes()
    }

    fn head(&self, content_type: &str) -> String {
        let (status, reason) = (self.status, reason(self.status));
        let date = &self.date;
        let mut lines = vec![
            format!("HTTP/1.1 {status} {reason}"),
            format!("date: {date}"),
            "server: rungs-mock".to_owned(),
        ];
        lines.push(format!("content-type: {content_type}"));
        lines.extend(self.request_id.as_ref().map(|id| format!("x-request-id: {id}")));
        lines.extend(self.retry_after.map(|wait| format!("retry-after: {}", whole_seconds(wait))));
        if self.keep_alive == KeepAlive::Close {
            lines.push("connection: close".to_owned());
        }
        lines.push(String::new());
        lines.join("\r\n")
    }
}

/// `Retry-After` has no fractions: round up, so that nobody is told to come back too early.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_one_chunk_and_the_last_one_ends_the_body() {
        assert_eq!(Framing::Chunked.piece("data: 河\n\n"), "b\r\ndata: 河\n\n\r\n".as_bytes());
        assert_eq!(Framing::Chunked.last_piece("x"), b"1\r\nx\r\n0\r\n\r\n");
        assert_eq!(Framing::Chunked.last_piece(""), b"0\r\n\r\n");
        assert_eq!(Framing::UntilClose.last_piece("x"), b"x");
    }

    #[test]
    fn retry_after_is_rounded_up() {
        let table = [(1000, 1), (1001, 2), (400, 1), (0, 0)];
        for (millis, seconds) in table {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds, "{millis} ms");
        }
    }
}
