//! A value against the baseline's: red only where the whole interval of the change is over the limit, green only where
//! the whole of it is within.

use super::Comparison;

/// A value and its baseline, both with how far they can be trusted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub(super) value: f64,
    /// Interval of the value.
    pub(super) interval: [f64; 2],
    pub(super) baseline: f64,
    /// From the baseline's value to an end of its interval.
    pub(super) baseline_half: f64,
    /// Change that is allowed, 0.2 for 20 %.
    pub(super) allowed: f64,
    /// A change smaller than this is none.
    pub(super) least: Option<f64>,
    pub(super) comparison: Comparison,
}

/// What a change amounts to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Amounts {
    /// It stays within the limit.
    Within,
    /// It is over it.
    Over,
    /// The limit lies inside its interval. With so many times the values it would be outside; `None` where no number of
    /// values decides, because the value is at the limit or the baseline itself is too uncertain.
    Undecided(Option<f64>),
}

/// So many times the values are no advice any more.
const MOST: f64 = 1_000.0;

impl Change {
    pub(super) fn limit(&self) -> f64 {
        self.baseline * (1.0 + self.allowed)
    }

    /// The interval of the change itself, as shares of the baseline (0.2 for 20 % more); `None` of a baseline of 0.
    pub(super) fn shares(&self) -> Option<[f64; 2]> {
        let of = |end: f64, side: f64| {
            (self.value - self.baseline + side * (end - self.value).hypot(self.baseline_half)) / self.baseline
        };
        let [low, high] = self.interval;
        (self.baseline > 0.0).then(|| [of(low, -1.0), of(high, 1.0)])
    }

    pub(super) fn amounts(&self) -> Amounts {
        let to_baseline = self.distance(self.baseline, 1.0);
        amounts(
            self.distance(self.limit(), 1.0 + self.allowed),
            self.least.map(|least| to_baseline.less(least)),
        )
    }

    /// How far the value is beyond a multiple of the baseline, in the bad direction.
    fn distance(&self, from: f64, multiple: f64) -> Distance {
        let distance = Distance::between(from, self.value, self.interval, self.comparison);
        Distance { baseline: multiple * self.baseline_half, ..distance }
    }
}

/// What it amounts to that a value is so far beyond the limit, and beyond the smallest change that counts, if there is one.
pub(super) fn amounts(to_limit: Distance, to_least: Option<Distance>) -> Amounts {
    // A change too small to count is within, however well it is known; without a smallest one nothing is.
    match to_least {
        _ if to_limit.is_within() => Amounts::Within,
        Some(least) if least.is_within() => Amounts::Within,
        None if to_limit.is_over() => Amounts::Over,
        Some(least) if to_limit.is_over() && least.is_over() => Amounts::Over,
        None => Amounts::Undecided(to_limit.times_the_values()),
        Some(least) => Amounts::Undecided(to_limit.decided_with(&least)),
    }
}

/// A distance from a limit, positive in the bad direction, and the half-widths of its interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distance {
    over: f64,
    /// Of the value, toward the good side and away from it.
    toward: f64,
    away: f64,
    /// Of the baseline.
    baseline: f64,
}

impl Distance {
    /// From `from` to a value with this interval.
    pub(super) fn between(from: f64, value: f64, interval: [f64; 2], comparison: Comparison) -> Self {
        let [below, above] = [value - interval[0], interval[1] - value];
        let (over, toward, away) = match comparison.is_upper_bound() {
            true => (value - from, below, above),
            false => (from - value, above, below),
        };
        Self { over, toward, away, baseline: 0.0 }
    }

    /// The same from a point that is farther in the bad direction.
    pub(super) fn less(self, least: f64) -> Self {
        Self { over: self.over - least, ..self }
    }

    fn is_over(&self) -> bool {
        self.over > self.toward.hypot(self.baseline)
    }

    fn is_within(&self) -> bool {
        self.over <= -self.away.hypot(self.baseline)
    }

    /// What decides both as they seem: red needs both to be over, green needs one to be within.
    fn decided_with(&self, least: &Self) -> Option<f64> {
        let (limit_by, least_by) = (self.times_the_values(), least.times_the_values());
        match (self.over > 0.0, least.over > 0.0) {
            (true, true) => limit_by.zip(least_by).map(|(one, other)| one.max(other)),
            (false, false) => limit_by.into_iter().chain(least_by).reduce(f64::min),
            (true, false) => least_by,
            (false, true) => limit_by,
        }
    }

    /// The value's own part shrinks with the root of the number of values, the baseline's does not.
    fn times_the_values(&self) -> Option<f64> {
        let own = if self.over > 0.0 { self.toward } else { self.away };
        let left = self.over.powi(2) - self.baseline.powi(2);
        let times = own.powi(2) / left;
        (left > 0.0 && times <= MOST).then_some(times.max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value of 100 with an error of 2 against a baseline of 100 times this with an error of 1.
    fn change(value: f64, allowed: f64) -> Change {
        Change {
            value,
            interval: [value - 3.92, value + 3.92],
            baseline: 100.0,
            baseline_half: 1.96,
            allowed,
            least: None,
            comparison: Comparison::AtMost,
        }
    }

    #[test]
    fn only_an_interval_that_lies_on_one_side_of_the_limit_decides() {
        // The limit is 120, its own uncertainty 1.96 * 1.2; together with the value's 3.92 that is 4.57.
        for (value, expected) in [(100.0, Amounts::Within), (115.4, Amounts::Within), (124.6, Amounts::Over)]
        {
            assert_eq!(change(value, 0.2).amounts(), expected, "{value}");
        }
        for value in [115.6, 120.0, 124.4] {
            assert!(matches!(change(value, 0.2).amounts(), Amounts::Undecided(_)), "{value}");
        }
    }

    #[test]
    fn the_interval_of_the_change_is_wider_than_that_of_the_value() {
        let [low, high] = change(110.0, 0.2).shares().unwrap();
        let half = 3.92_f64.hypot(1.96) / 100.0;
        assert!((low - (0.1 - half)).abs() < 1e-9 && (high - (0.1 + half)).abs() < 1e-9, "{low} {high}");
        assert_eq!(Change { baseline: 0.0, ..change(1.0, 0.2) }.shares(), None);
    }

    #[test]
    fn a_lower_bound_looks_the_other_way() {
        let lower = |value| Change { comparison: Comparison::AtLeast, ..change(value, -0.2) }.amounts();
        assert_eq!(
            (lower(100.0), lower(85.0), lower(75.0)),
            (Amounts::Within, Amounts::Within, Amounts::Over)
        );
        assert!(matches!(lower(81.0), Amounts::Undecided(_)));
    }

    #[test]
    fn a_change_too_small_to_count_never_fails() {
        let with = |value, least| Change { least: Some(least), ..change(value, 0.0) }.amounts();
        assert_eq!(with(106.0, 30.0), Amounts::Within);
        assert_eq!(with(140.0, 30.0), Amounts::Over);
        assert!(matches!(with(131.0, 30.0), Amounts::Undecided(_)));
    }

    #[test]
    fn what_would_decide_is_said_where_more_values_can() {
        let times = |value| match change(value, 0.2).amounts() {
            Amounts::Undecided(times) => times,
            other => panic!("{other:?}"),
        };
        // 3 over: the value's half-width must come down from 3.92 to sqrt(9 - 2.352^2).
        let expected = 3.92_f64.powi(2) / (9.0 - 2.352_f64.powi(2));
        assert!((times(123.0).unwrap() - expected).abs() < 1e-6, "{:?}", times(123.0));
        assert_eq!((times(120.0), times(121.0)), (None, None));
    }

    #[test]
    fn with_a_smallest_change_that_counts_the_open_one_of_the_two_is_to_be_decided() {
        let times = |value, allowed, least| match (Change { least: Some(least), ..change(value, allowed) })
            .amounts()
        {
            Amounts::Undecided(times) => times.unwrap(),
            other => panic!("{other:?}"),
        };
        let needed = |over: f64, baseline: f64| 3.92_f64.powi(2) / (over.powi(2) - baseline.powi(2));
        // Far over the limit of 100, and 3 over the 30 that count.
        assert!((times(133.0, 0.0, 30.0) - needed(3.0, 1.96)).abs() < 1e-6);
        // 3 over the limit of 120, and far over the 5 that count.
        assert!((times(123.0, 0.2, 5.0) - needed(3.0, 2.352)).abs() < 1e-6);
        // Over the limit, and 3 under the 30 that count: that will be green.
        assert!((times(127.0, 0.0, 30.0) - needed(3.0, 1.96)).abs() < 1e-6);
        // Under both: the one that is farther decides.
        assert!((times(116.0, 0.2, 20.0) - needed(4.0, 1.96).min(needed(4.0, 2.352))).abs() < 1e-6);
    }

    #[test]
    fn numbers_without_scatter_are_compared_as_they_are() {
        let exact = |value, baseline, allowed| {
            Change { interval: [value; 2], value, baseline, baseline_half: 0.0, ..change(value, allowed) }
                .amounts()
        };
        assert_eq!((exact(0.0, 0.0, 0.0), exact(1.0, 0.0, 0.0)), (Amounts::Within, Amounts::Over));
    }
}
