//! One accepted connection: reads requests, writes bytes, notices when the client has gone.

use std::io;

use thiserror::Error;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::clock::{Clock, Stamp};
use crate::http::arrival::try_receive;
use crate::http::head::BodyLength;
use crate::http::{Head, Request, chunked};

/// A connection and the bytes that were read from it but not yet used.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    clock: Clock,
    unread: Vec<u8>,
    /// Arrival of the newest bytes.
    last_read: Stamp,
}

/// Why no request could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum ReadError {
    #[error("the bytes are not HTTP/1.x")]
    Malformed,
    #[error("head or body is larger than the mock takes")]
    TooLarge,
    #[error("the connection ended or broke")]
    Ended,
}

/// The client closed the connection, or it broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone;

impl From<io::Error> for Gone {
    fn from(_: io::Error) -> Self {
        Self
    }
}

impl Connection {
    /// Takes an accepted stream; every write is sent at once.
    pub(crate) fn new(stream: TcpStream, clock: Clock) -> Self {
        // Without it the kernel may hold small writes back; a socket that refuses it is about to fail anyway.
        let _ = stream.set_nodelay(true);
        Self { stream, clock, unread: Vec::new(), last_read: clock.now() }
    }

    /// The next request, as soon as its last byte is there.
    pub(crate) async fn read_request(&mut self) -> Result<Request, ReadError> {
        let head = loop {
            if let Some((head, length)) = Head::parse(&self.unread)? {
                self.unread.drain(..length);
                break head;
            }
            self.read_more(MOST_HEAD).await?;
        };
        if head.expects_continue {
            self.write(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|Gone| ReadError::Ended)?;
        }
        let body = match head.body {
            BodyLength::Bytes(length) => self.read_sized(length).await?,
            BodyLength::Chunked => self.read_chunked().await?,
        };
        Ok(Request { head, body, received: self.last_read })
    }

    async fn read_sized(&mut self, length: usize) -> Result<Vec<u8>, ReadError> {
        if length > MOST_BODY {
            return Err(ReadError::TooLarge);
        }
        while self.unread.len() < length {
            self.read_more(MOST_BODY).await?;
        }
        let rest = self.unread.split_off(length);
        Ok(std::mem::replace(&mut self.unread, rest))
    }

    async fn read_chunked(&mut self) -> Result<Vec<u8>, ReadError> {
        loop {
            if let Some((body, length)) = chunked::decode(&self.unread)? {
                self.unread.drain(..length);
                return Ok(body);
            }
            self.read_more(MOST_BODY).await?;
        }
    }

    async fn read_more(&mut self, most: usize) -> Result<(), ReadError> {
        if self.unread.len() > most {
            return Err(ReadError::TooLarge);
        }
        loop {
            self.stream.readable().await.map_err(|_| ReadError::Ended)?;
            match self.receive() {
                Ok(0) => return Err(ReadError::Ended),
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Err(ReadError::Ended),
            }
        }
    }

    /// Reads what is there to what is unread; how much that was.
    fn receive(&mut self) -> io::Result<usize> {
        let unread = self.unread.len();
        self.unread.resize(unread + READ_SIZE, 0);
        let received = try_receive(&self.stream, &mut self.unread[unread..], &self.clock);
        let (n, at) = match received {
            Ok((n, at)) => (n, Some(at)),
            Err(_) => (0, None),
        };
        self.unread.truncate(unread + n);
        self.last_read = at.filter(|_| n > 0).unwrap_or(self.last_read);
        received.map(|(n, _)| n)
    }

    /// Hands `bytes` to the socket: one system call, unless the client does not read.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// The connection is going to end by a reset, without anything that was not sent yet.
    pub(crate) fn reset_when_dropped(&self) -> Gone {
        // A socket that refuses it is about to fail anyway.
        let _ = self.stream.set_zero_linger();
        Gone
    }

    /// Sleeps until `due`, but not past the client's leaving.
    pub(crate) async fn wait_until(&mut self, due: Stamp) -> Result<(), Gone> {
        let clock = self.clock;
        self.wait_for(clock.sleep_until(due)).await
    }

    /// Waits for `event`, but not past the client's leaving.
    pub(crate) async fn wait_for<T>(&mut self, event: impl Future<Output = T>) -> Result<T, Gone> {
        tokio::select! {
            biased;
            happened = event => Ok(happened),
            Gone = self.gone() => Err(Gone),
        }
    }

    /// Returns when the client has closed its side. Bytes that arrive meanwhile belong to the next request.
    ///
    /// A client that only shuts down its sending side counts as gone: no client of these protocols does.
    async fn gone(&mut self) -> Gone {
        loop {
            if self.unread.len() > MOST_HEAD {
                return std::future::pending().await;
            }
            if self.stream.readable().await.is_err() {
                return Gone;
            }
            match self.receive() {
                Ok(0) => return Gone,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Gone,
            }
        }
    }
}

const READ_SIZE: usize = 16 * 1024;
const MOST_HEAD: usize = 64 * 1024;
const MOST_BODY: usize = 32 * 1024 * 1024;
