//! How far a statistic can be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The interval of a statistic of one stage, at the confidence of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Interval {
    /// Its lower end, in the metric's unit.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Share of such intervals that hold the truth, 0.5..=0.999.
    pub confidence: f64,
    /// Standard deviation of the statistic over the draws.
    pub standard_error: f64,
    /// What was drawn.
    pub unit: Unit,
    /// How many of them there were.
    pub units: u64,
}

impl Interval {
    /// Whether two values, each with its interval, differ by more than chance: the interval of their difference does not
    /// hold 0.
    pub fn apart(from: (f64, &Self), to: (f64, &Self)) -> bool {
        let ((lower, of_lower), (upper, of_upper)) = if from.0 <= to.0 { (from, to) } else { (to, from) };
        upper - lower > (upper - of_upper.low).hypot(of_lower.high - lower)
    }
}

/// What scatters: drawn with replacement, but for rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Blocks of time: at least a second, and at least the p95 of `e2e`.
    Blocks,
    /// Single requests: there were under ten blocks.
    Requests,
    /// Whole rounds of a stage that was run more than once: nothing was drawn, they scatter by themselves.
    Runs,
    /// Pairs of blocks of an A/B run, one of each side, right after one another.
    Pairs,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { low, high, confidence: 0.95, standard_error: 0.0, unit: Unit::Blocks, units: 20 }
    }

    #[test]
    fn values_are_apart_where_the_interval_of_their_difference_does_not_hold_0() {
        let from = interval(96.0, 104.0);
        // Half-widths of 4 and 3 are 5 together.
        for (value, apart) in [(104.9, false), (105.1, true), (95.1, false), (94.9, true), (100.0, false)] {
            let to = interval(value - 3.0, value + 3.0);
            assert_eq!(Interval::apart((100.0, &from), (value, &to)), apart, "{value}");
            assert_eq!(Interval::apart((value, &to), (100.0, &from)), apart, "{value}");
        }
        let exact = interval(1.0, 1.0);
        assert!(!Interval::apart((1.0, &exact), (1.0, &exact)));
        assert!(Interval::apart((1.0, &exact), (0.93, &interval(0.9, 0.96))));
    }
}
