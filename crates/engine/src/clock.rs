//! The one clock: monotonic, counted from the run's beginning, with a wall-clock anchor for people.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use measure::Offset;

/// Two clocks read within this count as read together.
const TOGETHER: Duration = Duration::from_micros(100);
const TOGETHER_TRIES: u32 = 3;

/// Reads time. Copies agree with each other.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
    wall: Timestamp,
}

impl Clock {
    /// Starts the run's time.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn start() -> Self {
        Self { origin: Instant::now(), wall: Timestamp::now() }
    }

    /// Now.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub fn now(&self) -> Offset {
        let since = Instant::now().saturating_duration_since(self.origin);
        Offset::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Now, and wall time in nanoseconds since the epoch, read together: what the kernel's stamps are held against. Read
    /// again when the thread was interrupted in between, which would look like a step of the wall clock.
    #[expect(clippy::disallowed_methods, reason = "this is the one clock")]
    pub(crate) fn now_and_wall(&self) -> (Offset, i128) {
        let mut before = self.now();
        for _ in 0..TOGETHER_TRIES {
            let wall = Timestamp::now().as_nanosecond();
            let after = self.now();
            if after.since(before) < TOGETHER {
                return (after, wall);
            }
            before = after;
        }
        (self.now(), Timestamp::now().as_nanosecond())
    }

    /// UTC of a moment: the anchor plus monotonic time, so that it never steps.
    pub fn wall(&self, at: Offset) -> Timestamp {
        let nanos = i64::try_from(at.nanos()).unwrap_or(i64::MAX);
        self.wall.checked_add(jiff::SignedDuration::from_nanos(nanos)).unwrap_or(self.wall)
    }

    /// The timer's form of a moment.
    pub(crate) fn deadline(&self, at: Offset) -> tokio::time::Instant {
        tokio::time::Instant::from_std(self.origin + Duration::from_nanos(at.nanos()))
    }
}
