//! One row per key, to see whether one key's quota is the limit.

use crate::distribution::round;
use crate::request::RequestMetrics;
use crate::result::KeyLine;
use crate::{Distribution, Outcome, Sample};

/// The keys of one stage, by index.
#[derive(Debug, Clone)]
pub(super) struct Keys(Vec<Key>);

#[derive(Debug, Clone, Default)]
struct Key {
    requests: u64,
    http_429: u64,
    failed: u64,
    ttft: Distribution,
}

impl Keys {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![Key::default(); count])
    }

    pub(super) fn record(&mut self, sample: &Sample, metrics: &RequestMetrics) {
        let Some(key) = sample.key.and_then(|index| self.0.get_mut(index)) else { return };
        key.requests += 1;
        key.http_429 += sample.attempts.iter().filter(|attempt| attempt.status == Some(429)).count() as u64;
        key.failed += u64::from(matches!(sample.outcome(), Outcome::Failed(_)));
        metrics.ttft.into_iter().for_each(|ttft| key.ttft.record(ttft));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (key, other) in self.0.iter_mut().zip(&other.0) {
            key.requests += other.requests;
            key.http_429 += other.http_429;
            key.failed += other.failed;
            key.ttft.merge(&other.ttft);
        }
    }

    pub(super) fn lines(&self) -> Vec<KeyLine> {
        let line = |(index, key): (usize, &Key)| KeyLine {
            key: format!("key {}", index + 1),
            requests: key.requests,
            http_429: key.http_429,
            failed: key.failed,
            ttft_ms_p95: key.ttft.percentile(95.0).map(round),
        };
        self.0.iter().enumerate().map(line).collect()
    }
}
