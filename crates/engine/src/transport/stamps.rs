//! What a socket saw: when bytes arrived, and when requests departed.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use measure::Offset;
use measure::sample::ArrivalClock;

/// The stamps of one socket. Written by the stream wrapper, read by the attempts on the same thread; atomic only because
/// the connector's types ask for `Send`.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    last_read: AtomicU64,
    bytes: AtomicU64,
    /// Wall time minus run time at the latest read: a jump of it is a clock step.
    wall_ahead: AtomicI64,
    /// Whether the kernel stamps what arrives.
    by_kernel: AtomicBool,
    /// Whether streams share the socket, so that each read must be handed on before the next.
    shared: AtomicBool,
    /// Whether a request waits for its departure: the lock below is for those writes alone.
    armed: AtomicBool,
    departing: Mutex<Vec<Departure>>,
    address: OnceLock<SocketAddr>,
}

/// When the first byte of a request was handed to the socket.
#[derive(Debug, Clone, Default)]
pub(crate) struct Departure(Arc<AtomicU64>);

/// Not departed yet.
const NEVER: u64 = 0;
/// Wall time that moved against run time by more than this between two reads was stepped.
const STEP_NANOS: u64 = 1_000_000;

impl Departure {
    /// The moment; `None` until the socket took a byte.
    pub(crate) fn at(&self) -> Option<Offset> {
        let nanos = self.0.load(Ordering::Relaxed);
        (nanos != NEVER).then(|| Offset::from_nanos(nanos))
    }
}

impl Stamps {
    /// The next write is the departure of the request at hand.
    pub(crate) fn arm(&self) -> Departure {
        let departure = Departure::default();
        self.departing.lock().unwrap_or_else(PoisonError::into_inner).push(departure.clone());
        self.armed.store(true, Ordering::Relaxed);
        departure
    }

    /// Arrival of the latest read.
    pub(crate) fn last_read(&self) -> Offset {
        Offset::from_nanos(self.last_read.load(Ordering::Relaxed))
    }

    /// Arrival of the latest read, which answers a request: it is not before its departure.
    pub(crate) fn arrival_after(&self, departure: &Departure) -> Offset {
        departure.at().map_or(self.last_read(), |departed| departed.max(self.last_read()))
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The other side of the socket.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.address.get().copied()
    }

    /// What stamped the arrivals.
    pub(crate) fn clock(&self) -> ArrivalClock {
        match self.by_kernel.load(Ordering::Relaxed) {
            true => ArrivalClock::Kernel,
            false => ArrivalClock::Read,
        }
    }

    /// Says that streams share the socket from here on.
    pub(super) fn share(&self) {
        self.shared.store(true, Ordering::Relaxed);
    }

    /// Whether streams share the socket.
    pub(super) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    /// Begins: wall time now, who stamps, and the other side.
    pub(super) fn begin(
        &self,
        now: Offset,
        wall_now: i128,
        clock: ArrivalClock,
        address: Option<SocketAddr>,
    ) {
        if let Some(address) = address {
            let _ = self.address.set(address);
        }
        self.wall_ahead.store(ahead(now, wall_now), Ordering::Relaxed);
        self.by_kernel.store(clock == ArrivalClock::Kernel, Ordering::Relaxed);
    }

    /// Notes that a write is about to be made.
    pub(super) fn write(&self, now: Offset) {
        self.armed.store(false, Ordering::Relaxed);
        for departure in self.departing.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            departure.0.store(now.nanos(), Ordering::Relaxed);
        }
    }

    /// Whether a request waits for its departure.
    pub(super) fn is_armed(&self) -> bool {
        self.armed.load(Ordering::Relaxed)
    }

    /// Notes a read of `n` bytes: `now` is the time right after it, `stamp` the kernel's own in wall time. The kernel's stamp counts
    /// by its age, so that wall time itself never enters; it is bounded by what is certain anyway.
    pub(super) fn read(&self, n: usize, now: Offset, wall_now: i128, stamp: Option<i128>) {
        let ahead = ahead(now, wall_now);
        let before = self.wall_ahead.swap(ahead, Ordering::Relaxed);
        let stepped = ahead.abs_diff(before) > STEP_NANOS;
        let age = stamp.filter(|_| !stepped).map_or(0, |stamp| u64::try_from(wall_now - stamp).unwrap_or(0));
        let arrival = now.nanos().saturating_sub(age).max(self.last_read.load(Ordering::Relaxed));
        self.last_read.store(arrival, Ordering::Relaxed);
        self.bytes.fetch_add(n as u64, Ordering::Relaxed);
    }
}

fn ahead(now: Offset, wall_now: i128) -> i64 {
    i64::try_from(wall_now - i128::from(now.nanos())).unwrap_or(i64::MAX)
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
        let departure = stamps.arm();
        stamps.write(Offset::from_nanos(2_000_000));
        stamps.read(1, Offset::from_nanos(2_500_000), WALL + 2_500_000, Some(WALL + 1_900_000));
        assert_eq!(stamps.arrival_after(&departure), Offset::from_nanos(2_000_000));
        stamps.read(1, Offset::from_nanos(2_600_000), WALL + 2_600_000, Some(WALL + 9_900_000));
        assert_eq!(stamps.last_read(), Offset::from_nanos(2_600_000), "a stamp from the future has no age");
        stamps.read(1, Offset::from_nanos(2_700_000), WALL + 2_700_000, Some(WALL + 1_000_000));
        assert_eq!(stamps.last_read(), Offset::from_nanos(2_600_000), "nor does time run backwards");
    }

    #[test]
    fn each_request_on_a_shared_socket_departs_with_the_first_write_after_it() {
        let stamps = stamps_at(0);
        let first = stamps.arm();
        assert_eq!(first.at(), None);
        stamps.write(Offset::from_nanos(10));
        let (second, third) = (stamps.arm(), stamps.arm());
        stamps.write(Offset::from_nanos(20));
        stamps.write(Offset::from_nanos(30));
        let at = [first, second, third].map(|departure| departure.at().map(Offset::nanos));
        assert_eq!(at, [Some(10), Some(20), Some(20)]);
    }
}
