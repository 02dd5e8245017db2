//! Exact percentiles of a handful of durations.

use std::time::Duration;

use serde::Serialize;

/// The shape of a set of durations: exact, by nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "Millis")]
pub struct Distribution {
    /// How many there are.
    pub n: usize,
    /// Their mean.
    pub mean: Duration,
    /// The shortest.
    pub min: Duration,
    /// The median.
    pub p50: Duration,
    /// The 95th percentile.
    pub p95: Duration,
    /// The 99th percentile.
    pub p99: Duration,
    /// The longest.
    pub max: Duration,
}

impl Distribution {
    /// Of these durations; absent when there are none.
    pub fn of(durations: impl IntoIterator<Item = Duration>) -> Option<Self> {
        let mut sorted: Vec<Duration> = durations.into_iter().collect();
        sorted.sort_unstable();
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let sum: u128 = sorted.iter().map(Duration::as_nanos).sum();
        let mean = u64::try_from(sum / sorted.len() as u128).map_or(Duration::MAX, Duration::from_nanos);
        let rank = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
        Some(Self { n: sorted.len(), mean, min, p50: rank(50), p95: rank(95), p99: rank(99), max })
    }
}

/// How a distribution is written: milliseconds.
#[derive(Serialize)]
struct Millis {
    n: usize,
    mean: f64,
    min: f64,
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

impl From<Distribution> for Millis {
    fn from(distribution: Distribution) -> Self {
        let Distribution { n, mean, min, p50, p95, p99, max } = distribution;
        let [mean, min, p50, p95, p99, max] =
            [mean, min, p50, p95, p99, max].map(|duration| duration.as_secs_f64() * 1e3);
        Self { n, mean, min, p50, p95, p99, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let ms = Duration::from_millis;
        let hundred = Distribution::of((1..=100).rev().map(ms)).unwrap();
        assert_eq!((hundred.p50, hundred.p95, hundred.p99), (ms(50), ms(95), ms(99)));
        assert_eq!((hundred.min, hundred.max, hundred.mean), (ms(1), ms(100), Duration::from_micros(50_500)));
        let three = Distribution::of([3, 1, 2].map(ms)).unwrap();
        assert_eq!((three.n, three.p50, three.p95), (3, ms(2), ms(3)));
        assert_eq!(Distribution::of([]), None);
    }

    #[test]
    fn it_is_written_in_milliseconds() {
        let one = Distribution::of([Duration::from_micros(1500)]);
        assert_eq!(serde_json::to_value(one).unwrap()["p50"], 1.5);
    }
}
