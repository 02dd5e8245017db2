//! The only time type that leaves the engine: nanoseconds of one monotonic clock since the run began.

use serde::{Deserialize, Serialize};
use std::ops::Add;
use std::time::Duration;

/// A moment of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Offset(u64);

impl Offset {
    /// The moment the run began.
    pub const ORIGIN: Self = Self(0);

    /// A moment so many nanoseconds after the run began.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the run began.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Microseconds since the run began, whole ones.
    pub const fn micros(self) -> u64 {
        self.0 / 1_000
    }

    /// A moment so many microseconds after the run began.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// Seconds since the run began.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Time since `earlier`, zero when it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Offset {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)))
    }
}

/// A duration as the milliseconds that reports show.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}
