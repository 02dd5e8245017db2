//! Values of one second: enough to give mean and percentiles of each series of the timeline.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::distribution::round;
use crate::offset::milliseconds;

/// A handful of values in ms, kept as they are: a second holds few requests.
#[derive(Debug, Clone, Default)]
pub(super) struct Values(Vec<f32>);

impl Values {
    pub(super) fn push(&mut self, duration: Option<Duration>) {
        self.0.extend(duration.map(|duration| milliseconds(duration) as f32));
    }

    pub(super) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.0.iter().copied().map(f64::from).sum();
        (!self.0.is_empty()).then(|| round(sum / self.0.len() as f64))
    }

    /// Percentile by nearest rank.
    pub(super) fn percentile(&self, p: f64) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f32::total_cmp);
        let rank = (p / 100.0 * sorted.len() as f64 - 1e-9).ceil() as usize;
        sorted.get(rank.max(1) - 1).map(|value| round(f64::from(*value)))
    }
}

/// Many values in steps of 2 %: a second may hold tens of thousands of gaps.
#[derive(Debug, Clone, Default)]
pub(super) struct Steps(BTreeMap<u16, u32>);

/// Width of a step.
const STEP: f64 = 1.02;
/// Lower end of the first step: 1 us, in ms.
const FLOOR: f64 = 1e-3;

impl Steps {
    pub(super) fn push(&mut self, duration: Duration) {
        let step = (milliseconds(duration).max(FLOOR) / FLOOR).ln() / STEP.ln();
        *self.0.entry(step as u16).or_default() += 1;
    }

    /// How many values lie in each tenth of a decade, by its lower edge in ms.
    pub(super) fn by_decade(&self) -> Vec<(f64, u64)> {
        let mut tenths: BTreeMap<i32, u64> = BTreeMap::new();
        for (step, count) in &self.0 {
            let middle = FLOOR * STEP.powf(f64::from(*step) + 0.5);
            *tenths.entry((middle.log10() * 10.0).floor() as i32).or_default() += u64::from(*count);
        }
        tenths.into_iter().map(|(tenth, count)| (edge(tenth), count)).collect()
    }

    /// Percentile by nearest rank, to 1 %.
    pub(super) fn percentile(&self, p: f64) -> Option<f64> {
        let n: u64 = self.0.values().copied().map(u64::from).sum();
        let rank = ((p / 100.0 * n as f64 - 1e-9).ceil() as u64).max(1);
        let mut seen = 0;
        let (step, _) = self.0.iter().find(|(_, count)| {
            seen += u64::from(**count);
            seen >= rank
        })?;
        Some(round(FLOOR * STEP.powf(f64::from(*step) + 0.5)))
    }
}

/// Lower edge of a tenth of a decade, ms.
fn edge(tenth: i32) -> f64 {
    round(10_f64.powf(f64::from(tenth) / 10.0))
}

/// A mean of numbers that may be absent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mean {
    sum: f64,
    n: u64,
}

impl Mean {
    pub(super) fn push(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.n += 1;
        }
    }

    pub(super) fn value(self) -> Option<f64> {
        (self.n > 0).then(|| round(self.sum / self.n as f64))
    }
}
