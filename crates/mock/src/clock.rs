//! The only place of this crate that reads a clock.

use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};

/// An instant of the mock: nanoseconds from the server's start on one monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp(u64);

impl Stamp {
    /// Nanoseconds since the server's start.
    pub fn nanos(self) -> u64 {
        self.0
    }

    /// The time from `earlier` to this stamp; zero when `earlier` is the later one.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The stamp `offset` after this one.
    pub(crate) fn after(self, offset: Duration) -> Self {
        Self(self.0.saturating_add(saturating_nanos(offset)))
    }
}

#[cfg(test)]
impl Stamp {
    /// A stamp at a known instant.
    pub(crate) fn at(offset: Duration) -> Self {
        Self(saturating_nanos(offset))
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

/// Reads time and sleeps. Copies share the same origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    origin: Instant,
}

#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the mock's one clock")]
impl Clock {
    /// A clock whose zero is now.
    pub(crate) fn start() -> Self {
        Self { origin: Instant::now() }
    }

    pub(crate) fn now(&self) -> Stamp {
        Stamp(saturating_nanos(Instant::now().duration_since(self.origin)))
    }

    /// When bytes arrived that the kernel stamped at this time since the epoch; now, when it did not. The stamp counts by
    /// its age: wall time may be stepped, and an age that cannot be is none.
    pub(crate) fn arrival(&self, since_epoch: Option<Duration>) -> Stamp {
        let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let age = since_epoch.and_then(|stamp| wall.checked_sub(stamp)).filter(|age| *age < OLDEST);
        Stamp(self.now().0.saturating_sub(saturating_nanos(age.unwrap_or_default())))
    }

    /// Returns at `due`, at once when it is past. The runtime's timer rounds up to its tick of 1 ms.
    pub(crate) async fn sleep_until(&self, due: Stamp) {
        if due <= self.now() {
            return;
        }
        let deadline = self.origin + Duration::from_nanos(due.0);
        tokio::time::sleep_until(tokio::time::Instant::from_std(deadline)).await;
    }

    /// The value of a `Date` header.
    pub(crate) fn http_date(&self) -> String {
        httpdate::fmt_http_date(std::time::SystemTime::now())
    }

    /// Whole seconds of the Unix epoch, as the protocols' `created` fields want them.
    pub(crate) fn unix_seconds(&self) -> u64 {
        let now = std::time::SystemTime::now();
        now.duration_since(std::time::UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
    }
}

/// Seconds of the Unix epoch as `2026-01-31T08:00:00Z`.
pub(crate) fn rfc3339(unix_seconds: u64) -> String {
    let (days, second) = (unix_seconds / 86_400, unix_seconds % 86_400);
    // Years that begin in March have their odd day at the end; a cycle of them is 400 years.
    let (cycle, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let (month, day) = ((5 * day + 2) / 153, day - (153 * ((5 * day + 2) / 153) + 2) / 5 + 1);
    let (year, month) = match month < 10 {
        true => (cycle * 400 + year, month + 3),
        false => (cycle * 400 + year + 1, month - 9),
    };
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A request that waited longer than this to be read was not late: the wall clock was stepped.
const OLDEST: Duration = Duration::from_secs(1);

fn saturating_nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        let rows = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (4_102_444_799, "2099-12-31T23:59:59Z"),
        ];
        for (seconds, date) in rows {
            assert_eq!(rfc3339(seconds), date);
        }
    }
}
