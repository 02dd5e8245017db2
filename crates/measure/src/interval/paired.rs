//! How far the two sides of an A/B run are apart: a bootstrap over pairs of blocks. The two blocks of a pair ran right after
//! one another, so that what changes over minutes changes both and cancels in their difference.

use fastrand::Rng;

use super::block::{Block, Tally};
use super::bootstrap::{Bootstrap, scatter};
use super::events::Events;
use crate::distribution::round;
use crate::gate::{Stat, Statistic};
use crate::result::{Difference, Interval, Measured, Unit};

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

impl Pairs<'_> {
    /// By how much a statistic of A differs from that of B.
    pub(crate) fn difference(&self, of: Statistic, a: Measured, b: Measured) -> Difference {
        let alone = Difference::of(a, b);
        let [x, y] = [self.a, self.b].map(|blocks| Events::of(of.metric, &total(blocks)));
        let paired = self.draws(of).map(|draws| self.intervals(&draws, &alone));
        match (paired, x.zip(y)) {
            (None, _) => Difference { interval: None, share_interval: None, ..alone },
            // A side that has none of something (or nothing else) does not scatter, and is not known for certain.
            (Some(paired), Some((x, y))) if x.is_extreme() || y.is_extreme() => Difference {
                interval: alone
                    .interval
                    .map(|interval| Interval { unit: Unit::Pairs, ..interval })
                    .or(paired.interval),
                ..alone
            },
            (Some(paired), Some((x, y))) => paired.at_least(x.ratio(&y, self.confidence)),
            (Some(paired), None) => paired,
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

    /// The difference, and the difference as a share of B, as far as the pairs scatter.
    fn intervals(&self, draws: &[[f64; 2]], of: &Difference) -> Difference {
        let interval = |drawn: Vec<f64>, value: f64| {
            scatter(drawn, value, self.confidence, Unit::Pairs, self.a.len() as u64)
        };
        let absolute = interval(draws.iter().map(|[a, b]| a - b).collect(), of.absolute);
        let shares = draws.iter().filter(|[_, b]| *b > 0.0).map(|[a, b]| a / b - 1.0).collect();
        let share = of.share.map(|share| interval(shares, share));
        let share_interval = share.map(|share| [share.low, share.high]);
        Difference { interval: Some(absolute), share_interval, ..*of }
    }
}

fn total(blocks: &[(Block, f64)]) -> Tally {
    let mut total = Tally::default();
    blocks.iter().for_each(|(block, _)| total.add(&block.tally));
    total
}

impl Difference {
    /// With an interval that reaches at least as far as this one of the share.
    fn at_least(self, [low, high]: [f64; 2]) -> Self {
        let Some(interval) = self.interval.filter(|_| self.b > 0.0) else { return self };
        let wider = |ends: [f64; 2]| [ends[0].min(low), ends[1].max(high)];
        let share = self.share_interval.map_or([low, high], wider).map(round);
        let absolute = share.map(|end| round(end * self.b));
        Self {
            interval: Some(Interval {
                low: interval.low.min(absolute[0]),
                high: interval.high.max(absolute[1]),
                ..interval
            }),
            share_interval: Some(share),
            ..self
        }
    }
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

    /// Ten blocks of twenty requests, of which this share fails.
    fn failing(share: f64, rng: &mut Rng) -> Vec<(Block, f64)> {
        let block = |_| {
            let mut block = Block::default();
            block.tally.failed = (0..20).filter(|_| rng.f64() < share).count() as f64;
            block.tally.ok = 20.0 - block.tally.failed;
            (block, 6.0)
        };
        (0..10).map(block).collect()
    }

    #[test]
    fn a_few_failures_more_by_chance_are_hardly_ever_over_a_limit() {
        const ERRORS: Statistic = Statistic { metric: Metric::ErrorRate, stat: None };
        for share in [0.005, 0.01, 0.02, 0.05] {
            let over = (0..1_000).filter(|seed| {
                let mut rng = Rng::with_seed(*seed);
                let sides = [failing(share, &mut rng), failing(share, &mut rng)];
                let found = difference(ERRORS, &sides, *seed);
                match found.share_interval {
                    Some([low, _]) => low > 0.2,
                    None => found.interval.unwrap().low > 0.0,
                }
            });
            let red = over.count();
            assert!(red < 10, "{share}: {red} of 1000");
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
