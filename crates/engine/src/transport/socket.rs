//! The stream wrapper under TLS and hyper: it stamps arrivals in the read that delivered the bytes and the send in the
//! write, before anybody looks at them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use measure::sample::ArrivalClock;
use tokio::net::TcpStream;

use super::kernel;
use super::stamps::Stamps;
use crate::clock::Clock;

/// A TCP stream that stamps.
#[derive(Debug)]
pub(crate) struct StampedStream {
    io: TokioIo<TcpStream>,
    stamps: Arc<Stamps>,
    clock: Clock,
    /// On a shared socket: whether the bytes of a read may still wait for the tasks of their streams.
    has_read: bool,
}

/// What hyper talks through.
pub(crate) type Wire = MaybeHttpsStream<StampedStream>;

impl StampedStream {
    pub(crate) fn new(stream: TcpStream, stamps: Arc<Stamps>, clock: Clock) -> Self {
        let (now, wall) = clock.now_and_wall();
        let by = if kernel::enable(&stream) { ArrivalClock::Kernel } else { ArrivalClock::Read };
        stamps.begin(now, wall, by, stream.peer_addr().ok());
        Self { io: TokioIo::new(stream), stamps, clock, has_read: false }
    }

    fn stamp_write(&self) {
        if self.stamps.is_armed() {
            self.stamps.write(self.clock.now());
        }
    }
}

impl Read for StampedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        // Streams that share a socket read its latest stamp when their tasks run: one read a turn, or a second read
        // would stamp the bytes of the first.
        if self.stamps.is_shared() && std::mem::take(&mut self.has_read) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let (n, stamp) = ready!(kernel::poll_receive(self.io.inner(), cx, buf))?;
        let (now, wall) = self.clock.now_and_wall();
        self.stamps.read(n, now, wall, stamp);
        self.has_read = true;
        Poll::Ready(Ok(()))
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
