//! A stage second by second: starts, ends, tokens, and the latencies of what ended.

use std::collections::BTreeMap;

use super::bucket::{Mean, Steps, Values};
use crate::distribution::round;
use crate::request::{RequestMetrics, gaps};
use crate::result::Second;
use crate::sample::Phase;
use crate::{Offset, Outcome, Sample};

/// Buckets of one second since the run began.
#[derive(Debug, Clone, Default)]
pub(super) struct Timeline(BTreeMap<u64, Bucket>);

#[derive(Debug, Clone, Default)]
struct Bucket {
    /// Most requests that were open right after one of this second's starts.
    in_flight: u64,
    started: u64,
    ended: u64,
    ok: u64,
    failed: u64,
    errors: BTreeMap<&'static str, u64>,
    http_429: u64,
    tokens: f64,
    chunks: u64,
    ttfb: Values,
    ttft: Values,
    tpot: Values,
    e2e: Values,
    output_tps: Mean,
    tokens_per_request: Mean,
    gaps: Steps,
}

impl Timeline {
    /// Takes in one finished request.
    pub(super) fn record(&mut self, sample: &Sample, metrics: &RequestMetrics) {
        let (Some(first), Some(last)) = (sample.attempts.first(), sample.last()) else { return };
        let bucket = self.bucket(first.at.start);
        bucket.started += 1;
        bucket.in_flight = bucket.in_flight.max(u64::from(sample.in_flight));
        self.bucket(last.at.end).ended += 1;
        for attempt in &sample.attempts {
            self.bucket(attempt.at.end).http_429 += u64::from(attempt.status == Some(429));
        }
        match sample.outcome() {
            Outcome::Ok => self.record_ok(sample, metrics),
            Outcome::Failed(class) => {
                let bucket = self.bucket(last.at.end);
                bucket.failed += 1;
                *bucket.errors.entry(class.name()).or_default() += 1;
            }
            Outcome::Cancelled => {}
        }
        let per_event = last.tokens.output.unwrap_or(0) as f64 / last.events.len().max(1) as f64;
        if matches!(sample.outcome(), Outcome::Ok | Outcome::Cancelled) {
            for event in &last.events {
                let bucket = self.bucket(event.at);
                bucket.chunks += 1;
                bucket.tokens += per_event;
            }
            if last.events.is_empty() {
                self.bucket(last.at.end).tokens += last.tokens.output.unwrap_or(0) as f64;
            }
        }
    }

    fn record_ok(&mut self, sample: &Sample, metrics: &RequestMetrics) {
        let Some(last) = sample.last() else { return };
        let bucket = self.bucket(last.at.end);
        bucket.ok += 1;
        bucket.ttfb.push(metrics.ttfb);
        bucket.ttft.push(metrics.ttft);
        bucket.tpot.push(metrics.tpot);
        bucket.e2e.push(metrics.e2e);
        bucket.output_tps.push(metrics.output_tps);
        bucket.tokens_per_request.push(last.tokens.output.map(|tokens| tokens as f64));
        for (at, gap) in gaps(&last.events) {
            self.bucket(at).gaps.push(gap);
        }
    }

    fn bucket(&mut self, at: Offset) -> &mut Bucket {
        self.0.entry(second(at)).or_default()
    }

    /// The seconds in order, without a hole; `phase` says which phase a moment belongs to.
    pub(super) fn seconds(&self, phase: impl Fn(Offset) -> Phase) -> Vec<Second> {
        let (Some((first, _)), Some((last, _))) = (self.0.first_key_value(), self.0.last_key_value()) else {
            return Vec::new();
        };
        let silent = Bucket::default();
        let mut open = 0;
        (*first..=*last)
            .map(|second| {
                let bucket = self.0.get(&second).unwrap_or(&silent);
                let active = bucket.in_flight.max(open);
                open = (open + bucket.started).saturating_sub(bucket.ended);
                bucket.second(second, active, &phase)
            })
            .collect()
    }
}

fn second(at: Offset) -> u64 {
    at.nanos() / 1_000_000_000
}

impl Bucket {
    fn second(&self, t_s: u64, active: u64, phase: impl Fn(Offset) -> Phase) -> Second {
        Second {
            t_s,
            phase: match phase(Offset::from_nanos(t_s * 1_000_000_000)) {
                Phase::Preflight => "preflight",
                Phase::WarmUp => "warm_up",
                Phase::Ramp => "ramp",
                Phase::Measure => "measure",
                Phase::Drain => "drain",
            }
            .to_owned(),
            active,
            started: self.started,
            ok: self.ok,
            failed: self.failed,
            http_429: self.http_429,
            tokens: round(self.tokens),
            chunks: self.chunks,
            ttfb_ms_mean: self.ttfb.mean(),
            ttft_ms_mean: self.ttft.mean(),
            ttft_ms_p50: self.ttft.percentile(50.0),
            ttft_ms_p95: self.ttft.percentile(95.0),
            tpot_ms_mean: self.tpot.mean(),
            tpot_ms_p50: self.tpot.percentile(50.0),
            e2e_ms_mean: self.e2e.mean(),
            e2e_ms_p50: self.e2e.percentile(50.0),
            e2e_ms_p95: self.e2e.percentile(95.0),
            output_tps_mean: self.output_tps.value(),
            tokens_per_request: self.tokens_per_request.value(),
            gap_ms_p99: self.gaps.percentile(99.0),
            gaps: self.gaps.by_decade(),
            errors: self.errors.iter().map(|(class, n)| ((*class).to_owned(), *n)).collect(),
        }
    }
}
