//! Draws blocks (or requests) with replacement and looks how a statistic scatters.

use fastrand::Rng;

use super::block::{Block, Tally, Values, middle};
use super::events::Events;
use crate::Metric;
use crate::distribution::round;
use crate::gate::{Stat, Statistic};
use crate::normal::{students_quantile, within};
use crate::result::{Interval, Unit};

/// How often is drawn.
const DRAWS: usize = 1_000;
/// Fewer blocks than this say too little about their scatter.
const LEAST_BLOCKS: usize = 10;

/// Blocks with their seconds, and how they are drawn.
pub(crate) struct Bootstrap<'a> {
    pub(crate) blocks: &'a [(Block, f64)],
    /// Share of intervals that hold the truth, 0..1.
    pub(crate) confidence: f64,
    pub(crate) seed: u64,
}

impl Bootstrap<'_> {
    /// The interval of a statistic whose value is this. `None` where there is none: of a minimum or maximum, of a
    /// number of open requests, of a rate over under ten blocks, and where nothing was measured.
    pub(crate) fn interval(&self, of: Statistic, value: f64) -> Option<Interval> {
        // Statistics of one metric see the same draws, those of others do not.
        let mut rng = Rng::with_seed(self.seed ^ (of.metric as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let by_blocks = self.blocks.len() >= LEAST_BLOCKS;
        let (drawn, unit, units) = match (of.stat, by_blocks) {
            (Some(Stat::Min | Stat::Max), _) => return None,
            // The gaps of one request resemble one another: single ones must not be drawn.
            (Some(_), false) if of.metric == Metric::Gap => return None,
            (Some(_), true) => (known(self.draws(of, &mut rng)?), Unit::Blocks, self.blocks.len() as u64),
            (Some(stat), false) => {
                let pooled = self.pooled(of.metric);
                (draw_requests(&pooled, stat, &mut rng)?, Unit::Requests, pooled.n)
            }
            (None, true) => (known(self.draws(of, &mut rng)?), Unit::Blocks, self.blocks.len() as u64),
            (None, false) => {
                let share = Events::of(of.metric, &self.total())?;
                (share.draws(DRAWS, &mut rng)?, Unit::Requests, share.whole()? as u64)
            }
        };
        let interval = scatter(drawn, value, self.confidence, unit, units);
        Some(match Events::of(of.metric, &self.total()) {
            Some(events) => events.at_least(interval),
            None => interval,
        })
    }

    /// The statistic of each draw of blocks, `None` where a draw has no such number. Which blocks a draw holds depends on their
    /// number and on `rng` alone.
    pub(super) fn draws(&self, of: Statistic, rng: &mut Rng) -> Option<Vec<Option<f64>>> {
        match of.stat {
            Some(stat) => self.draw_blocks(of.metric, stat, rng),
            None => self.draw_tallies(of.metric, rng),
        }
    }

    fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.blocks.iter().for_each(|(block, _)| total.add(&block.tally));
        total
    }

    fn pooled(&self, metric: Metric) -> Values {
        let mut all = Values::default();
        self.blocks
            .iter()
            .filter_map(|(block, _)| block.values.get(&metric))
            .for_each(|values| all.merge(values));
        all
    }

    /// How often each block is drawn.
    fn weights(&self, rng: &mut Rng) -> Vec<u32> {
        let mut weights = vec![0; self.blocks.len()];
        for _ in 0..self.blocks.len() {
            weights[rng.usize(..self.blocks.len())] += 1;
        }
        weights
    }

    fn draw_blocks(&self, metric: Metric, stat: Stat, rng: &mut Rng) -> Option<Vec<Option<f64>>> {
        let values: Vec<Option<&Values>> =
            self.blocks.iter().map(|(block, _)| block.values.get(&metric)).collect();
        values.iter().flatten().find(|values| values.n > 0)?;
        let mut steps: Vec<(u32, usize, u32)> = Vec::new();
        for (block, values) in values.iter().enumerate() {
            steps.extend(
                values.iter().flat_map(|values| values.steps()).map(|(step, count)| (step, block, count)),
            );
        }
        steps.sort_unstable();
        let draw = |_| {
            let weights = self.weights(rng);
            let weighed = |of: fn(&Values) -> f64| -> f64 {
                let each = values.iter().zip(&weights);
                each.map(|(values, weight)| values.map_or(0.0, of) * f64::from(*weight)).sum()
            };
            let n = weighed(|values| values.n as f64);
            match stat {
                Stat::Percentile(p) => {
                    let counts = steps
                        .iter()
                        .map(|(step, block, count)| (*step, u64::from(*count) * u64::from(weights[*block])));
                    at_percentile(counts, p, n as u64)
                }
                Stat::Mean | Stat::Min | Stat::Max => (n > 0.0).then(|| weighed(|values| values.sum) / n),
            }
        };
        Some((0..DRAWS).map(draw).collect())
    }

    fn draw_tallies(&self, metric: Metric, rng: &mut Rng) -> Option<Vec<Option<f64>>> {
        number(metric, &self.total(), 1.0)?;
        let draw = |_| {
            let weights = self.weights(rng);
            let (mut tally, mut time) = (Tally::default(), 0.0);
            for ((block, seconds), weight) in self.blocks.iter().zip(&weights) {
                (0..*weight).for_each(|_| tally.add(&block.tally));
                time += seconds * f64::from(*weight);
            }
            number(metric, &tally, time)
        };
        Some((0..DRAWS).map(draw).collect())
    }
}

fn known(drawn: Vec<Option<f64>>) -> Vec<f64> {
    drawn.into_iter().flatten().collect()
}

fn draw_requests(pooled: &Values, stat: Stat, rng: &mut Rng) -> Option<Vec<f64>> {
    let steps: Vec<(u32, u32)> = pooled.steps().collect();
    let each: Vec<usize> =
        steps.iter().enumerate().flat_map(|(index, (_, count))| vec![index; *count as usize]).collect();
    (!each.is_empty()).then_some(())?;
    let draw = |_| {
        let mut counts = vec![0_u64; steps.len()];
        (0..each.len()).for_each(|_| counts[each[rng.usize(..each.len())]] += 1);
        let drawn = || steps.iter().zip(&counts).map(|((step, _), count)| (*step, *count));
        match stat {
            Stat::Percentile(p) => at_percentile(drawn(), p, each.len() as u64),
            Stat::Mean | Stat::Min | Stat::Max => {
                let sum: f64 = drawn().map(|(step, count)| middle(step) * count as f64).sum();
                Some(sum / each.len() as f64)
            }
        }
    };
    Some((0..DRAWS).filter_map(draw).collect())
}

/// The percentile of `n` values by nearest rank.
fn at_percentile(counts: impl Iterator<Item = (u32, u64)>, p: f64, n: u64) -> Option<f64> {
    let rank = ((p / 100.0 * n as f64 - 1e-9).ceil() as u64).max(1);
    let mut seen = 0;
    for (step, count) in counts {
        seen += count;
        if seen >= rank {
            return Some(middle(step));
        }
    }
    None
}

/// A scalar of blocks that took so many seconds together.
fn number(metric: Metric, tally: &Tally, seconds: f64) -> Option<f64> {
    let per_second = |count: f64| (seconds > 0.0).then(|| count / seconds);
    match metric {
        Metric::Qps => per_second(tally.ended_ok),
        Metric::OutputTokensPerS => per_second(tally.tokens),
        Metric::Goodput => per_second(tally.ended_good),
        Metric::Http429 => Some(tally.http_429),
        Metric::Http5xx => Some(tally.http_5xx),
        Metric::Smoothness => (tally.smoothness[1] > 0.0).then(|| tally.smoothness[0] / tally.smoothness[1]),
        _ => Events::of(metric, tally).map(|share| share.value()),
    }
}

/// The interval of a value whose draws scatter so, at this confidence.
pub(super) fn scatter(mut drawn: Vec<f64>, value: f64, confidence: f64, unit: Unit, units: u64) -> Interval {
    drawn.sort_by(f64::total_cmp);
    let n = drawn.len().max(1) as f64;
    let mean = drawn.iter().sum::<f64>() / n;
    let squares: f64 = drawn.iter().map(|drawn| (drawn - mean).powi(2)).sum();
    // Few units scatter less among their own draws than they should: the ends are taken further out, as Student's
    // distribution is wider than the normal one (the expanded percentile interval of Hesterberg 2015).
    let freedom = (units as f64 - 1.0).max(5.0);
    let expanded = students_quantile(confidence, freedom) * ((freedom + 1.0) / freedom).sqrt();
    let tail = (1.0 - within(expanded)) / 2.0;
    let at = |share: f64| {
        drawn.get(((share * n) as usize).min(drawn.len().saturating_sub(1))).copied().unwrap_or(value)
    };
    Interval {
        // Values are known to a thousandth, the value itself exactly.
        low: round(at(tail).min(value)),
        high: round(at(1.0 - tail).max(value)),
        confidence,
        standard_error: round((squares / (n - 1.0).max(1.0)).sqrt()),
        unit,
        units,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metric;

    const P50: Statistic = Statistic { metric: Metric::Ttft, stat: Some(Stat::Percentile(50.0)) };
    const P95: Statistic = Statistic { metric: Metric::Ttft, stat: Some(Stat::Percentile(95.0)) };
    const MEAN: Statistic = Statistic { metric: Metric::Ttft, stat: Some(Stat::Mean) };
    const QPS: Statistic = Statistic { metric: Metric::Qps, stat: None };
    const SUCCESS: Statistic = Statistic { metric: Metric::SuccessRate, stat: None };

    fn normal(rng: &mut Rng) -> f64 {
        (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
    }

    /// Blocks of a second with so many requests each, log-normal around 100; those of a block share a part of their luck.
    fn stage(blocks: usize, each: usize, shared: f64, rng: &mut Rng) -> Vec<(Block, f64)> {
        let mut block = || {
            let luck = normal(rng);
            let mut block = Block::default();
            let values = block.values.entry(Metric::Ttft).or_default();
            for _ in 0..each {
                let own = normal(rng);
                values.push(100.0 * (0.3 * (shared.sqrt() * luck + (1.0 - shared).sqrt() * own)).exp());
            }
            block.tally.ok = each as f64;
            block.tally.ended_ok = each as f64 + rng.f64();
            (block, 1.0)
        };
        (0..blocks).map(|_| block()).collect()
    }

    fn interval(blocks: &[(Block, f64)], of: Statistic, value: f64) -> Option<Interval> {
        Bootstrap { blocks, confidence: 0.95, seed: 7 }.interval(of, value)
    }

    /// The share of stages whose interval holds the truth.
    fn coverage(of: Statistic, truth: f64, blocks: usize, each: usize, shared: f64) -> f64 {
        let mut rng = Rng::with_seed(11);
        let holds = |_: &u32| {
            let stage = stage(blocks, each, shared, &mut rng);
            let interval = interval(&stage, of, truth).unwrap();
            // The value itself widens it: what was drawn says whether the truth was within.
            interval.low < truth && truth < interval.high
        };
        (0..200).filter(holds).count() as f64 / 200.0
    }

    #[test]
    fn nineteen_in_twenty_intervals_hold_the_truth() {
        let mean = 100.0 * (0.3_f64.powi(2) / 2.0).exp();
        let p95 = 100.0 * (0.3_f64 * 1.644_853_6).exp();
        // Of blocks, of requests, and of blocks whose requests resemble one another.
        let rows = [
            (MEAN, mean, 10, 20, 0.5),
            (P50, 100.0, 10, 20, 0.0),
            (P50, 100.0, 40, 10, 0.0),
            (MEAN, mean, 5, 60, 0.0),
            (P95, p95, 40, 20, 0.0),
            (P50, 100.0, 60, 10, 0.5),
        ];
        for (of, truth, blocks, each, shared) in rows {
            let coverage = coverage(of, truth, blocks, each, shared);
            assert!((0.91..=0.99).contains(&coverage), "{of} {blocks} {each} {shared}: {coverage}");
        }
    }

    #[test]
    fn requests_that_resemble_their_neighbours_say_less() {
        let mut rng = Rng::with_seed(3);
        let [alone, together] = [0.0, 0.8]
            .map(|shared| interval(&stage(60, 20, shared, &mut rng), P50, 100.0).unwrap().standard_error);
        assert!(together > 2.5 * alone, "{together} {alone}");
    }

    #[test]
    fn the_same_seed_draws_the_same_and_more_blocks_draw_closer() {
        let mut rng = Rng::with_seed(5);
        let [few, many] = [20, 320].map(|blocks| stage(blocks, 10, 0.0, &mut rng));
        assert_eq!(interval(&few, P95, 160.0), interval(&few, P95, 160.0));
        let width = |blocks: &[(Block, f64)]| interval(blocks, P50, 100.0).unwrap().standard_error;
        let ratio = width(&few) / width(&many);
        assert!((2.5..6.0).contains(&ratio), "sixteen times the blocks, a quarter of the error: {ratio}");
    }

    #[test]
    fn there_is_none_where_drawing_says_nothing() {
        let mut rng = Rng::with_seed(9);
        let (short, long) = (stage(9, 10, 0.0, &mut rng), stage(10, 10, 0.0, &mut rng));
        assert_eq!(interval(&short, P50, 100.0).map(|of| (of.unit, of.units)), Some((Unit::Requests, 90)));
        assert_eq!(interval(&long, P50, 100.0).map(|of| (of.unit, of.units)), Some((Unit::Blocks, 10)));
        assert!(interval(&short, QPS, 10.0).is_none() && interval(&long, QPS, 10.0).is_some());
        for stat in [Stat::Min, Stat::Max] {
            assert!(interval(&long, Statistic { metric: Metric::Ttft, stat: Some(stat) }, 1.0).is_none());
        }
        assert!(interval(&long, Statistic { metric: Metric::Tpot, stat: Some(Stat::Mean) }, 1.0).is_none());
        assert!(interval(&long, Statistic { metric: Metric::InFlightMax, stat: None }, 1.0).is_none());
        let empty = vec![(Block::default(), 1.0); 12];
        assert!(interval(&empty, SUCCESS, 1.0).is_none() && interval(&empty[..3], SUCCESS, 1.0).is_none());
        assert!(interval(&short, Statistic { metric: Metric::Gap, stat: Some(Stat::Mean) }, 1.0).is_none());
    }

    #[test]
    fn a_share_of_all_or_nothing_is_not_taken_for_certain() {
        let mut block = Block::default();
        block.tally.ok = 12.0;
        let of = interval(&[(block, 5.0)], SUCCESS, 1.0).unwrap();
        // Twelve of twelve: the truth may be 73.5 %, as the tables say.
        assert!((of.low - 0.7354).abs() < 1e-3 && of.high >= 1.0 && of.standard_error > 0.05, "{of:?}");
    }

    #[test]
    fn a_share_scatters_as_a_binomial_when_requests_are_drawn() {
        let mut block = Block::default();
        (block.tally.ok, block.tally.failed) = (360.0, 40.0);
        let (blocks, expected) = ([(block, 5.0)], (0.9_f64 * 0.1 / 400.0).sqrt());
        let drawn = (0..20).map(|seed| {
            Bootstrap { blocks: &blocks, confidence: 0.95, seed }.interval(SUCCESS, 0.9).unwrap()
        });
        let [error, low, high] = drawn
            .map(|of| [of.standard_error / expected, (0.9 - of.low) / expected, (of.high - 0.9) / expected])
            .fold([0.0; 3], |sum, of| [sum[0] + of[0] / 20.0, sum[1] + of[1] / 20.0, sum[2] + of[2] / 20.0]);
        assert!((error - 1.0).abs() < 0.03, "{error}");
        assert!((low - 1.96).abs() < 0.15 && (high - 1.96).abs() < 0.15, "{low} {high}");
    }
}
