//! The stream wrapper under TLS and hyper: it stamps arrivals in the read that delivered the bytes and the send in the
//! write, before anybody looks at them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use measure::Offset;
use measure::sample::ArrivalClock;
use tokio::net::TcpStream;

use super::kernel;
use crate::clock::Clock;

/// What the socket saw. Written by the wrapper, read by the attempt on the same thread; atomic only because the
/// connector's types ask for `Send`.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    last_read: AtomicU64,
    first_write: AtomicU64,
    bytes: AtomicU64,
    /// Wall time minus run time at the latest read: a jump of it is a clock step.
    wall_ahead: AtomicI64,
    /// Whether the kernel stamps what arrives.
    by_kernel: AtomicBool,
}

/// No write since it was armed.
const NEVER: u64 = 0;
/// Wall time that moved against run time by more than this between two reads was stepped.
const STEP_NANOS: u64 = 1_000_000;

impl Stamps {
    /// Makes the next write the one that `first_write` reports, and counts bytes from here.
    pub(crate) fn arm(&self) {
        self.first_write.store(NEVER, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
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

    /// Whether a byte was read since it was armed.
    pub(crate) fn answered(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > 0
    }

    /// What stamped the arrivals.
    pub(crate) fn clock(&self) -> ArrivalClock {
        match self.by_kernel.load(Ordering::Relaxed) {
            true => ArrivalClock::Kernel,
            false => ArrivalClock::Read,
        }
    }

    /// Notes a read of `n` bytes: `now` is the time right after it, `stamp` the kernel's own in wall time. The kernel's stamp counts
    /// by its age, so that wall time itself never enters; it is bounded by what is certain anyway.
    fn read(&self, n: usize, now: Offset, wall_now: i128, stamp: Option<i128>) {
        let ahead = i64::try_from(wall_now - i128::from(now.nanos())).unwrap_or(i64::MAX);
        let before = self.wall_ahead.swap(ahead, Ordering::Relaxed);
        let stepped = ahead.abs_diff(before) > STEP_NANOS;
        let age = stamp.filter(|_| !stepped).map_or(0, |stamp| u64::try_from(wall_now - stamp).unwrap_or(0));
        let earliest = self.last_read.load(Ordering::Relaxed).max(self.first_write.load(Ordering::Relaxed));
        let arrival = now.nanos().saturating_sub(age).max(earliest);
        self.last_read.store(arrival, Ordering::Relaxed);
        self.bytes.fetch_add(n as u64, Ordering::Relaxed);
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
        let (now, wall) = clock.now_and_wall();
        let ahead = wall - i128::from(now.nanos());
        stamps.wall_ahead.store(i64::try_from(ahead).unwrap_or(i64::MAX), Ordering::Relaxed);
        stamps.by_kernel.store(kernel::enable(&stream), Ordering::Relaxed);
        Self { io: TokioIo::new(stream), stamps, clock }
    }

    fn stamp_write(&self) {
        if self.stamps.first_write.load(Ordering::Relaxed) == NEVER {
            self.stamps.first_write.store(self.clock.now().nanos(), Ordering::Relaxed);
        }
    }
}

impl Read for StampedStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        let (n, stamp) = ready!(kernel::poll_receive(self.io.inner(), cx, buf))?;
        let (now, wall) = self.clock.now_and_wall();
        self.stamps.read(n, now, wall, stamp);
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

#[cfg(test)]
mod tests {
    use super::*;

    const WALL: i128 = 1_000_000_000_000;

    fn stamps_at(now: u64) -> Stamps {
        let stamps = Stamps::default();
        stamps.wall_ahead.store(i64::try_from(WALL).unwrap(), Ordering::Relaxed);
        stamps.read(1, Offset::from_nanos(now), WALL + i128::from(now), None);
        stamps
    }

    #[test]
    fn a_late_reader_is_told_when_the_bytes_came() {
        let stamps = stamps_at(1_000);
        stamps.read(1, Offset::from_nanos(50_000_000), WALL + 50_000_000, Some(WALL + 10_000_000));
        assert_eq!(stamps.last_read(), Offset::from_nanos(10_000_000));
    }

    #[test]
    fn stat_08_a_step_of_the_wall_clock_changes_no_stamp() {
        for step in [-5_000_000_000_i128, 5_000_000_000] {
            let stamps = stamps_at(1_000);
            // The kernel stamped before the step, and is read after it.
            stamps.read(1, Offset::from_nanos(20_000_000), WALL + 20_000_000 + step, Some(WALL + 19_000_000));
            assert_eq!(stamps.last_read(), Offset::from_nanos(20_000_000), "{step}");
        }
    }

    #[test]
    fn an_arrival_is_never_before_the_send_or_the_arrival_before_it() {
        let stamps = stamps_at(1_000_000);
        stamps.first_write.store(2_000_000, Ordering::Relaxed);
        stamps.read(1, Offset::from_nanos(2_500_000), WALL + 2_500_000, Some(WALL + 1_900_000));
        assert_eq!(stamps.last_read(), Offset::from_nanos(2_000_000));
        stamps.read(1, Offset::from_nanos(2_600_000), WALL + 2_600_000, Some(WALL + 9_900_000));
        assert_eq!(stamps.last_read(), Offset::from_nanos(2_600_000), "a stamp from the future has no age");
    }
}
