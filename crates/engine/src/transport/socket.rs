//! The stream wrapper under TLS and hyper: it stamps arrivals in the read that delivered the bytes and the send in the
//! write, before anybody looks at them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use measure::Offset;
use tokio::net::TcpStream;

use crate::clock::Clock;

/// What the socket saw. Written by the wrapper, read by the attempt on the same thread; atomic only because the
/// connector's types ask for `Send`.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    last_read: AtomicU64,
    first_write: AtomicU64,
    reads: AtomicU64,
}

/// No write since it was armed.
const NEVER: u64 = 0;

impl Stamps {
    /// Makes the next write the one that `first_write` reports, and counts reads from here.
    pub(crate) fn arm(&self) {
        self.first_write.store(NEVER, Ordering::Relaxed);
        self.reads.store(0, Ordering::Relaxed);
    }

    /// Arrival of the latest read.
    pub(crate) fn last_read(&self) -> Offset {
        Offset::from_nanos(self.last_read.load(Ordering::Relaxed))
    }

    /// The first write since it was armed.
    pub(crate) fn first_write(&self) -> Option<Offset> {
        let nanos = self.first_write.load(Ordering::Relaxed);
        (nanos != NEVER).then(|| Offset::from_nanos(nanos))
    }

    /// Reads since it was armed, the one that found the stream's end included.
    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }
}

/// A TCP stream that stamps.
#[derive(Debug)]
pub(crate) struct StampedStream {
    io: TokioIo<TcpStream>,
    stamps: Arc<Stamps>,
    clock: Clock,
}

/// What hyper talks through.
pub(crate) type Wire = MaybeHttpsStream<StampedStream>;

impl StampedStream {
    pub(crate) fn new(stream: TcpStream, stamps: Arc<Stamps>, clock: Clock) -> Self {
        Self { io: TokioIo::new(stream), stamps, clock }
    }

    fn stamp_write(&self) {
        if self.stamps.first_write.load(Ordering::Relaxed) == NEVER {
            self.stamps.first_write.store(self.clock.now().nanos(), Ordering::Relaxed);
        }
    }
}

impl Read for StampedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.io).poll_read(cx, buf);
        if matches!(result, Poll::Ready(Ok(()))) {
            self.stamps.last_read.store(self.clock.now().nanos(), Ordering::Relaxed);
            self.stamps.reads.fetch_add(1, Ordering::Relaxed);
        }
        result
    }
}

impl Write for StampedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        // Before the call: what follows in the kernel is part of the latency.
        self.stamp_write();
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stamp_write();
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

impl Connection for StampedStream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}
