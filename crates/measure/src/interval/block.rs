//! What one block of time holds: counts, and of each watched distribution its values.

use std::collections::{BTreeMap, BTreeSet};

use crate::offset::milliseconds;
use crate::request::{RequestMetrics, gaps};
use crate::{Metric, Outcome, Sample};

/// One block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) tally: Tally,
    pub(crate) values: BTreeMap<Metric, Values>,
}

/// Counts. Measured requests belong to the block of their start, what arrives or ends to the block in which it does.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) ok: f64,
    pub(crate) failed: f64,
    pub(crate) good: f64,
    pub(crate) attempts: f64,
    pub(crate) http_429: f64,
    pub(crate) http_5xx: f64,
    pub(crate) ended_ok: f64,
    pub(crate) ended_good: f64,
    pub(crate) tokens: f64,
    /// Sum of `smoothness`, and how many have one.
    pub(crate) smoothness: [f64; 2],
}

/// Values of one metric in its own unit, to a thousandth.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    counts: BTreeMap<u32, u32>,
    pub(crate) n: u64,
    pub(crate) sum: f64,
}

/// Bits of a number that are left out: ten of its fraction stay.
const LEFT_OUT: u32 = 42;

impl Values {
    pub(crate) fn push(&mut self, value: f64) {
        // The bits of positive numbers are in the order of the numbers.
        *self.counts.entry((value.max(0.0).to_bits() >> LEFT_OUT) as u32).or_default() += 1;
        self.n += 1;
        self.sum += value;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (step, count) in &other.counts {
            *self.counts.entry(*step).or_default() += count;
        }
        self.n += other.n;
        self.sum += other.sum;
    }

    /// Steps in order, each with how many values lie in it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.counts.iter().map(|(step, count)| (*step, *count))
    }
}

/// The middle of a step.
pub(crate) fn middle(step: u32) -> f64 {
    if step == 0 { 0.0 } else { f64::from_bits((u64::from(step) << LEFT_OUT) | (1 << (LEFT_OUT - 1))) }
}

impl Block {
    /// Takes in a measured request.
    pub(crate) fn take(
        &mut self,
        metrics: &BTreeSet<Metric>,
        sample: &Sample,
        of: &RequestMetrics,
        good: u64,
    ) {
        let tally = &mut self.tally;
        match sample.outcome() {
            Outcome::Ok => {
                tally.ok += 1.0;
                tally.good += good as f64;
            }
            Outcome::Failed(_) => tally.failed += 1.0,
            Outcome::Cancelled => {}
        }
        let statuses = || sample.attempts.iter().filter_map(|attempt| attempt.status);
        tally.attempts += sample.attempts.len() as f64;
        tally.http_429 += statuses().filter(|status| *status == 429).count() as f64;
        tally.http_5xx += statuses().filter(|status| (500..600).contains(status)).count() as f64;
        if let Some(smoothness) = of.smoothness {
            tally.smoothness[0] += smoothness;
            tally.smoothness[1] += 1.0;
        }
        for metric in metrics {
            let values = self.values.entry(*metric).or_default();
            values_of(*metric, sample, of).into_iter().for_each(|value| values.push(value));
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.tally.add(&other.tally);
        for (metric, values) in &other.values {
            self.values.entry(*metric).or_default().merge(values);
        }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.ok += other.ok;
        self.failed += other.failed;
        self.good += other.good;
        self.attempts += other.attempts;
        self.http_429 += other.http_429;
        self.http_5xx += other.http_5xx;
        self.ended_ok += other.ended_ok;
        self.ended_good += other.ended_good;
        self.tokens += other.tokens;
        self.smoothness[0] += other.smoothness[0];
        self.smoothness[1] += other.smoothness[1];
    }
}

/// The values of a request in a distribution, in the metric's unit; most have one at most.
fn values_of(metric: Metric, sample: &Sample, of: &RequestMetrics) -> Vec<f64> {
    let time = |time: Option<std::time::Duration>| time.map(milliseconds);
    let queue = || Some(sample.attempts.first()?.at.start.since(sample.due));
    let one = match metric {
        Metric::Queue => time(queue()),
        Metric::Connect => time(of.connect),
        Metric::Ttfb => time(of.ttfb),
        Metric::Ttfe => time(of.ttfe),
        Metric::Ttft => time(of.ttft),
        Metric::Ttfo => time(of.ttfo),
        Metric::E2e => time(of.e2e),
        Metric::Tpot => time(of.tpot),
        Metric::Ntpot => time(of.ntpot),
        Metric::TimeToError => time(of.time_to_error),
        Metric::DecodeTps => of.decode_tps,
        Metric::OutputTps => of.output_tps,
        Metric::Gap => {
            let ok = sample.last().filter(|_| of.e2e.is_some());
            return ok
                .map(|attempt| gaps(&attempt.events).map(|(_, gap)| milliseconds(gap)).collect())
                .unwrap_or_default();
        }
        Metric::Smoothness
        | Metric::Qps
        | Metric::OutputTokensPerS
        | Metric::SuccessRate
        | Metric::ErrorRate
        | Metric::Http429
        | Metric::Http5xx
        | Metric::Http429Ratio
        | Metric::Http5xxRatio
        | Metric::Goodput
        | Metric::GoodputRatio
        | Metric::ConcurrencyEffective
        | Metric::InFlightMax => None,
    };
    one.into_iter().collect()
}
