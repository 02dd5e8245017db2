//! How far the two sides of an A/B run are apart: a bootstrap over pairs of blocks. The two blocks of a pair ran right after
//! one another, so that what changes over minutes changes both and cancels in their difference.

use fastrand::Rng;

use super::block::Block;
use super::bootstrap::{Bootstrap, scatter};
use crate::distribution::round;
use crate::gate::{Stat, Statistic};
use crate::result::{Difference, Interval, Unit};

/// Fewer pairs than this say too little about their scatter.
const LEAST_PAIRS: usize = 5;

/// The blocks of both sides, pair by pair, each with its seconds: as many of A as of B.
pub(crate) struct Pairs<'a> {
    pub(crate) a: &'a [(Block, f64)],
    pub(crate) b: &'a [(Block, f64)],
    /// Share of intervals that hold the truth, 0..1.
    pub(crate) confidence: f64,
    pub(crate) seed: u64,
}

/// A statistic of one side, and its own interval, where it has one.
pub(crate) type Measured = (f64, Option<Interval>);

impl Pairs<'_> {
    /// By how much a statistic of A differs from that of B.
    pub(crate) fn difference(&self, of: Statistic, a: Measured, b: Measured) -> Difference {
        let absolute = a.0 - b.0;
        let (interval, share_interval) = match self.draws(of) {
            Some(draws) => self.intervals(&draws, a, b),
            None => (None, None),
        };
        Difference {
            a: a.0,
            b: b.0,
            absolute: round(absolute),
            interval,
            share: (b.0 > 0.0).then(|| round(absolute / b.0)),
            share_interval,
        }
    }

    /// A statistic of each side in draws of the same pairs.
    fn draws(&self, of: Statistic) -> Option<Vec<[f64; 2]>> {
        if self.a.len() < LEAST_PAIRS || matches!(of.stat, Some(Stat::Min | Stat::Max)) {
            return None;
        }
        let [a, b] = [self.a, self.b].map(|blocks| {
            let side = Bootstrap { blocks, confidence: self.confidence, seed: self.seed };
            // The same seed and number of blocks: draws of the same pairs.
            side.draws(of, &mut Rng::with_seed(self.seed))
        });
        let both: Vec<[f64; 2]> = a?.into_iter().zip(b?).filter_map(|(a, b)| Some([a?, b?])).collect();
        (!both.is_empty()).then_some(both)
    }

    /// Of the difference, and of the difference as a share of B.
    fn intervals(
        &self,
        draws: &[[f64; 2]],
        a: Measured,
        b: Measured,
    ) -> (Option<Interval>, Option<[f64; 2]>) {
        let interval = |drawn: Vec<f64>, value: f64| {
            scatter(drawn, value, self.confidence, Unit::Pairs, self.a.len() as u64)
        };
        let absolute = interval(draws.iter().map(|[a, b]| a - b).collect(), a.0 - b.0);
        // Shares of all or nothing do not scatter at all, and are not known for certain all the same.
        if absolute.standard_error <= 0.0 {
            let Some(interval) = apart(absolute, a, b) else { return (None, None) };
            let share = (b.0 > 0.0).then(|| [interval.low, interval.high].map(|end| round(end / b.0)));
            return (Some(interval), share);
        }
        let shares = draws.iter().filter(|[_, b]| *b > 0.0).map(|[a, b]| a / b - 1.0).collect();
        let share = (b.0 > 0.0).then(|| interval(shares, a.0 / b.0 - 1.0));
        (Some(absolute), share.map(|share| [share.low, share.high]))
    }
}

/// The interval of a difference of two values that are known by themselves.
fn apart(like: Interval, (a, of_a): Measured, (b, of_b): Measured) -> Option<Interval> {
    let (of_a, of_b) = (of_a?, of_b?);
    let (below, above) = ((a - of_a.low).hypot(of_b.high - b), (of_a.high - a).hypot(b - of_b.low));
    let standard_error = round(of_a.standard_error.hypot(of_b.standard_error));
    Some(Interval { low: round(a - b - below), high: round(a - b + above), standard_error, ..like })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metric;

    const P95: Statistic = Statistic { metric: Metric::Ttft, stat: Some(Stat::Percentile(95.0)) };
    const MEAN: Statistic = Statistic { metric: Metric::Ttft, stat: Some(Stat::Mean) };
    const SUCCESS: Statistic = Statistic { metric: Metric::SuccessRate, stat: None };

    /// Log-normal values around 100 times `level`.
    fn block(rng: &mut Rng, level: f64) -> (Block, f64) {
        let mut block = Block::default();
        for _ in 0..40 {
            let normal = (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos();
            block.values.entry(Metric::Ttft).or_default().push(100.0 * level * (0.3 * normal).exp());
        }
        block.tally.ok = 40.0;
        (block, 6.0)
    }

    /// Blocks of a day on which everything gets half slower from the first pair to the last; A is `factor` times B.
    fn sides(pairs: usize, factor: f64, rng: &mut Rng) -> [Vec<(Block, f64)>; 2] {
        let drift = |pair: usize| 1.0 + 0.5 * pair as f64 / pairs as f64;
        let b = (0..pairs).map(|pair| block(rng, drift(pair))).collect();
        [(0..pairs).map(|pair| block(rng, factor * drift(pair))).collect(), b]
    }

    fn value(of: Statistic, blocks: &[(Block, f64)]) -> Measured {
        let whole: Vec<(Block, f64)> = vec![blocks.iter().fold((Block::default(), 0.0), |mut all, one| {
            all.0.merge(&one.0);
            (all.0, all.1 + one.1)
        })];
        let all = Bootstrap { blocks: &whole, confidence: 0.95, seed: 1 };
        let value = all.draws(of, &mut Rng::with_seed(1)).unwrap()[0].unwrap();
        (value, Bootstrap { blocks, ..all }.interval(of, value))
    }

    fn difference(of: Statistic, [a, b]: &[Vec<(Block, f64)>; 2], seed: u64) -> Difference {
        Pairs { a, b, confidence: 0.95, seed }.difference(of, value(of, a), value(of, b))
    }

    #[test]
    fn the_interval_holds_the_true_change_as_often_as_it_says() {
        for (of, pairs) in [(MEAN, 10), (P95, 10), (MEAN, 6)] {
            let held = (0..400).filter(|seed| {
                let [low, high] = difference(of, &sides(pairs, 1.1, &mut Rng::with_seed(*seed)), *seed)
                    .share_interval
                    .unwrap();
                (low..=high).contains(&0.1)
            });
            let coverage = held.count() as f64 / 400.0;
            assert!((0.91..=0.995).contains(&coverage), "{of} {pairs}: {coverage}");
        }
    }

    #[test]
    fn what_changes_both_sides_cancels() {
        let mut rng = Rng::with_seed(4);
        let sides = sides(10, 1.1, &mut rng);
        let found = difference(MEAN, &sides, 4);
        let [a, b] = sides.each_ref().map(|side| value(MEAN, side).1.unwrap());
        let alone = (a.high - a.low).hypot(b.high - b.low);
        let paired = found.interval.unwrap();
        assert!(paired.high - paired.low < 0.6 * alone, "{paired:?} {alone}");
        assert_eq!((paired.unit, paired.units), (Unit::Pairs, 10));
        assert!(paired.low > 0.0, "a tenth slower is found: {paired:?}");
    }

    #[test]
    fn few_pairs_and_statistics_that_cannot_be_drawn_have_none() {
        let few = sides(LEAST_PAIRS - 1, 2.0, &mut Rng::with_seed(1));
        let found = difference(MEAN, &few, 1);
        assert_eq!((found.interval, found.share_interval), (None, None));
        assert!((found.share.unwrap() - 1.0).abs() < 0.2, "{found:?}");
        let many = sides(10, 1.0, &mut Rng::with_seed(1));
        let most = Statistic { metric: Metric::Ttft, stat: Some(Stat::Max) };
        let pairs = Pairs { a: &many[0], b: &many[1], confidence: 0.95, seed: 1 };
        assert_eq!(pairs.difference(most, (1.0, None), (1.0, None)).interval, None);
    }

    #[test]
    fn two_sides_without_a_failure_are_not_the_same_for_certain() {
        let found = difference(SUCCESS, &sides(10, 1.0, &mut Rng::with_seed(1)), 1);
        let interval = found.interval.unwrap();
        assert!(
            (found.a - found.b).abs() < 1e-9 && interval.low < -0.005 && interval.high > 0.005,
            "{found:?}"
        );
    }
}
