//! Numbers of events: parts of a number of requests, or a count by itself. Few of them scatter by more than draws of blocks
//! show, and none at all does not scatter in any draw.

use fastrand::Rng;

use super::block::Tally;
use crate::Metric;
use crate::distribution::round;
use crate::normal::quantile;
use crate::result::Interval;

/// So many events, of so many requests; `None` of a count that has no whole.
pub(super) struct Events {
    part: f64,
    of: Option<f64>,
}

impl Events {
    /// What a metric counts; `None` of one that counts nothing, and of a part of nothing.
    pub(super) fn of(metric: Metric, tally: &Tally) -> Option<Self> {
        let judged = tally.ok + tally.failed;
        let (part, of) = match metric {
            Metric::SuccessRate => (tally.ok, Some(judged)),
            Metric::ErrorRate => (tally.failed, Some(judged)),
            Metric::GoodputRatio => (tally.good, Some(judged)),
            Metric::Http429Ratio => (tally.http_429, Some(tally.attempts)),
            Metric::Http5xxRatio => (tally.http_5xx, Some(tally.attempts)),
            Metric::Http429 => (tally.http_429, None),
            Metric::Http5xx => (tally.http_5xx, None),
            _ => return None,
        };
        of.is_none_or(|of| of > 0.0).then_some(Self { part, of })
    }

    /// The whole, of a share.
    pub(super) fn whole(&self) -> Option<f64> {
        self.of
    }

    /// The share, or the count.
    pub(super) fn value(&self) -> f64 {
        self.part / self.of.unwrap_or(1.0)
    }

    /// Whether draws show no scatter at all.
    pub(super) fn is_extreme(&self) -> bool {
        self.part <= 0.0 || self.of.is_some_and(|of| self.part >= of)
    }

    /// The interval that draws showed, where they say too little: of a share that is none or all that of Clopper and Pearson
    /// (1934) with the standard error of Agresti and Coull (1998); of a count at least that of Poisson's distribution.
    pub(super) fn at_least(&self, drawn: Interval) -> Interval {
        match self.of {
            Some(of) if self.is_extreme() => self.exact(of, drawn),
            Some(_) => drawn,
            None => self.poisson(drawn),
        }
    }

    fn exact(&self, of: f64, drawn: Interval) -> Interval {
        let reach = 1.0 - ((1.0 - drawn.confidence) / 2.0).powf(1.0 / of);
        let [low, high] = if self.part <= 0.0 { [0.0, reach] } else { [1.0 - reach, 1.0] };
        let (part, of) = (self.part + 2.0, of + 4.0);
        let standard_error = (part / of * (1.0 - part / of) / of).sqrt();
        Interval { low: round(low), high: round(high), standard_error: round(standard_error), ..drawn }
    }

    fn poisson(&self, drawn: Interval) -> Interval {
        let z = quantile(drawn.confidence);
        let none = -((1.0 - drawn.confidence) / 2.0).ln();
        let high = if self.part > 0.0 { self.part + z * (self.part + 1.0).sqrt() } else { none };
        Interval {
            low: drawn.low.min(round((self.part - z * self.part.sqrt()).max(0.0))),
            high: drawn.high.max(round(high)),
            standard_error: drawn.standard_error.max(round(self.part.max(1.0).sqrt())),
            ..drawn
        }
    }

    /// The interval of this as a share of another, less 1, by the logarithm of the ratio (Katz and others 1978). Neither may
    /// be none.
    pub(super) fn ratio(&self, to: &Self, confidence: f64) -> [f64; 2] {
        let ratio = self.value() / to.value();
        let variance = |of: &Self| 1.0 / of.part - of.of.map_or(0.0, |whole| 1.0 / whole);
        let reach = quantile(confidence) * (variance(self) + variance(to)).max(0.0).sqrt();
        [ratio * (-reach).exp() - 1.0, ratio * reach.exp() - 1.0]
    }

    /// Shares of as many requests, drawn so often; nothing of a count.
    pub(super) fn draws(&self, times: usize, rng: &mut Rng) -> Option<Vec<f64>> {
        let (of, share) = (self.of?, self.value());
        let draw = |_| (0..of as u64).filter(|_| rng.f64() < share).count() as f64 / of;
        Some((0..times).map(draw).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Unit;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { low, high, confidence: 0.95, standard_error: 0.0, unit: Unit::Blocks, units: 20 }
    }

    #[test]
    fn a_count_of_none_may_have_been_three_and_more() {
        let none = Events { part: 0.0, of: None }.at_least(interval(0.0, 0.0));
        assert!((none.high - 3.689).abs() < 1e-3 && none.standard_error >= 1.0, "{none:?}");
        let some = Events { part: 9.0, of: None }.at_least(interval(8.0, 10.0));
        assert!((some.low - 3.12).abs() < 0.01 && (some.high - 15.2).abs() < 0.01, "{some:?}");
        let wide = Events { part: 9.0, of: None }.at_least(interval(1.0, 30.0));
        assert_eq!((wide.low, wide.high), (1.0, 30.0), "what scatters more than chance does");
    }

    #[test]
    fn the_ratio_of_few_events_is_hardly_known_and_that_of_many_is() {
        let of = |part: f64, whole: f64| Events { part, of: Some(whole) };
        let [low, high] = of(8.0, 200.0).ratio(&of(2.0, 200.0), 0.95);
        assert!(low < 0.0 && high > 15.0, "four times as many, of eight and two: {low} {high}");
        let [low, high] = of(4_000.0, 10_000.0).ratio(&of(2_000.0, 10_000.0), 0.95);
        assert!((0.9..1.0).contains(&low) && (1.0..1.1).contains(&high), "{low} {high}");
        let [low, high] = of(990.0, 1_000.0).ratio(&of(980.0, 1_000.0), 0.95);
        assert!(low > -0.01 && high < 0.03, "{low} {high}");
    }
}
