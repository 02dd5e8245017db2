//! The head of a request: bytes in, the few facts the mock needs out.

use crate::http::{Framing, ReadError};

/// The head of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) request_id: Option<String>,
    /// The key, from `Authorization: Bearer` or `x-api-key`.
    pub(crate) bearer: Option<String>,
    pub(crate) x_api_key: Option<String>,
    pub(crate) body: BodyLength,
    pub(crate) keep_alive: KeepAlive,
    pub(crate) framing: Framing,
    pub(crate) expects_continue: bool,
}

/// How the end of a request's body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLength {
    Bytes(usize),
    Chunked,
}

/// Whether the connection serves another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeepAlive {
    Keep,
    Close,
}

impl Head {
    /// The head at the start of `bytes` and its length, or `None` while it is incomplete.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Self, usize)>, ReadError> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(length) = request.parse(bytes).map_err(|_| ReadError::Malformed)?
        else {
            return Ok(None);
        };
        let (Some(method), Some(target), Some(minor)) = (request.method, request.path, request.version)
        else {
            return Err(ReadError::Malformed);
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut head = Self::bare(method, path, query, minor);
        for header in request.headers {
            let value = std::str::from_utf8(header.value).unwrap_or("").trim();
            head.take(&header.name.to_ascii_lowercase(), value)?;
        }
        Ok(Some((head, length)))
    }

    /// A head without a header. HTTP/1.0 knows neither chunks nor, unasked, kept connections.
    fn bare(method: &str, path: &str, query: &str, minor: u8) -> Self {
        let (keep_alive, framing) = match minor {
            0 => (KeepAlive::Close, Framing::UntilClose),
            _ => (KeepAlive::Keep, Framing::Chunked),
        };
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            request_id: None,
            bearer: None,
            x_api_key: None,
            body: BodyLength::Bytes(0),
            keep_alive,
            framing,
            expects_continue: false,
        }
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), ReadError> {
        match name {
            "x-request-id" => self.request_id = Some(value.to_owned()),
            "authorization" => self.bearer = value.strip_prefix("Bearer ").map(|key| key.trim().to_owned()),
            "x-api-key" => self.x_api_key = Some(value.to_owned()),
            "transfer-encoding" if value.eq_ignore_ascii_case("chunked") => self.body = BodyLength::Chunked,
            "content-length" if self.body != BodyLength::Chunked => {
                self.body = BodyLength::Bytes(value.parse().map_err(|_| ReadError::Malformed)?);
            }
            "connection" if value.eq_ignore_ascii_case("close") => self.keep_alive = KeepAlive::Close,
            "expect" => self.expects_continue = value.eq_ignore_ascii_case("100-continue"),
            _ => {}
        }
        Ok(())
    }
}

const MOST_HEADERS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Head {
        Head::parse(head.as_bytes()).unwrap().unwrap().0
    }

    #[test]
    fn the_head_gives_path_key_id_and_body_length() {
        let head = parse(
            "POST /v1/messages?beta=true HTTP/1.1\r\nAuthorization: Bearer sk-1\r\nX-Api-Key: sk-2\r\n\
             x-request-id: r-1\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n",
        );
        assert_eq!((head.path.as_str(), head.query.as_str()), ("/v1/messages", "beta=true"));
        assert_eq!((head.bearer.as_deref(), head.x_api_key.as_deref()), (Some("sk-1"), Some("sk-2")));
        assert_eq!((head.request_id.as_deref(), head.body), (Some("r-1"), BodyLength::Bytes(12)));
        assert_eq!((head.keep_alive, head.framing), (KeepAlive::Keep, Framing::Chunked));
        assert!(head.expects_continue);
    }

    #[test]
    fn an_old_client_gets_no_chunks_and_a_closed_connection() {
        let head = parse("GET / HTTP/1.0\r\n\r\n");
        assert_eq!((head.keep_alive, head.framing), (KeepAlive::Close, Framing::UntilClose));
    }

    #[test]
    fn a_chunked_body_wins_over_a_length_in_any_order() {
        for headers in [
            "content-length: 3\r\ntransfer-encoding: chunked",
            "transfer-encoding: Chunked\r\ncontent-length: 3",
        ] {
            assert_eq!(parse(&format!("POST / HTTP/1.1\r\n{headers}\r\n\r\n")).body, BodyLength::Chunked);
        }
    }

    #[test]
    fn every_strict_prefix_is_incomplete_and_nonsense_is_malformed() {
        let head = "POST /x HTTP/1.1\r\nhost: a\r\n\r\n";
        for end in 0..head.len() {
            assert_eq!(Head::parse(&head.as_bytes()[..end]), Ok(None), "{end}");
        }
        for nonsense in
            ["\u{1}\u{2}", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n"]
        {
            assert_eq!(Head::parse(nonsense.as_bytes()), Err(ReadError::Malformed), "{nonsense:?}");
        }
    }
}
