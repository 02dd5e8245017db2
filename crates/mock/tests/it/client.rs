//! A blocking HTTP/1.1 client over a bare socket, just enough to see every chunk and when it came.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

/// One connection.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
}

/// A response, each chunk with the time since the request was sent.
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) chunks: Vec<(Duration, String)>,
}

impl Client {
    pub(crate) fn connect(addr: SocketAddr) -> Self {
        let stream = TcpStream::connect(addr).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    pub(crate) fn post(&mut self, path: &str, body: &str) -> Response {
        self.post_with(path, &[], body)
    }

    pub(crate) fn post_with(&mut self, path: &str, headers: &[&str], body: &str) -> Response {
        self.send("POST", path, headers, body);
        self.receive(now())
    }

    pub(crate) fn get(&mut self, path: &str) -> Response {
        self.send("GET", path, &[], "");
        self.receive(now())
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[&str], body: &str) {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: mock\r\n{headers}content-length: {length}\r\n\r\n{body}"
        );
        self.send_raw(request.as_bytes());
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    pub(crate) fn receive(&mut self, sent: Instant) -> Response {
        let (status, headers) = self.head();
        let mut response = Response { status, headers, chunks: Vec::new() };
        if response.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                response.chunks.push((now() - sent, chunk));
            }
        } else {
            let length = response.header("content-length").unwrap().parse().unwrap();
            let body = self.exactly(length);
            response.chunks.push((now() - sent, body));
        }
        response
    }

    pub(crate) fn head(&mut self) -> (u16, Vec<(String, String)>) {
        let status = self.line().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else { return (status, headers) };
            headers.push((name.to_owned(), value.to_owned()));
        }
    }

    /// The next chunk, or `None` at the end of the body.
    pub(crate) fn chunk(&mut self) -> Option<String> {
        let size = usize::from_str_radix(&self.line(), 16).unwrap();
        let chunk = self.exactly(size);
        assert_eq!(self.exactly(2), "\r\n");
        (size > 0).then_some(chunk)
    }

    /// Everything up to the end of the connection.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.stream.read_to_string(&mut rest).unwrap();
        rest
    }

    /// What comes before the connection ends, and how it ended unless in order.
    pub(crate) fn until_it_breaks(&mut self) -> (String, Option<ErrorKind>) {
        let mut read = Vec::new();
        let end = self.stream.read_to_end(&mut read);
        (String::from_utf8(read).unwrap(), end.err().map(|error| error.kind()))
    }

    /// Whether no byte is there, on a connection that is still open.
    pub(crate) fn has_nothing_to_read(&mut self) -> bool {
        self.stream.get_mut().set_nonblocking(true).unwrap();
        self.stream.fill_buf().is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.strip_suffix("\r\n").expect("a whole line").to_owned()
    }

    fn exactly(&mut self, length: usize) -> String {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        self.chunks.iter().map(|(_, chunk)| chunk.as_str()).collect()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap()
    }

    /// The JSON of each chunk that is one event with JSON data.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data =
            |chunk: &str| chunk.lines().find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        let chunks = self.chunks.iter().filter_map(|(_, chunk)| data(chunk));
        chunks.filter_map(|data| serde_json::from_str(&data).ok()).collect()
    }

    /// When the chunks that contain `part` came.
    pub(crate) fn arrivals(&self, part: &str) -> Vec<Duration> {
        self.chunks.iter().filter(|(_, chunk)| chunk.contains(part)).map(|(at, _)| *at).collect()
    }
}

#[expect(clippy::disallowed_methods, reason = "the client must not measure with the clock it checks")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
