//! A distribution of one metric: an HdrHistogram of one fixed layout, with exact count, sum, min and max beside it.

use std::time::Duration;

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gate::Stat;

/// Raw units per shown unit: nanoseconds per millisecond, and millionths for rates.
const SCALE: f64 = 1e6;
/// Smallest value told apart from zero: 1 us.
const LOWEST: u64 = 1_000;
/// Top of the layout: 1 h. Larger values count in the top bucket; the exact max is kept.
const HIGHEST: u64 = 3_600_000_000_000;
/// Significant figures: 0.1 %.
const FIGURES: u8 = 3;
/// The same as a share: two values that are closer may be one.
pub(crate) const RESOLUTION: f64 = 1e-3;

/// Values of one metric. Percentiles are by nearest rank, to 0.1 %, clamped to the exact extremes.
#[derive(Debug, Clone)]
pub struct Distribution {
    histogram: Histogram<u32>,
    count: u64,
    sum: u128,
    squares: f64,
    min: u64,
    max: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        let histogram =
            Histogram::new_with_bounds(LOWEST, HIGHEST, FIGURES).expect("the fixed layout is a valid one");
        Self { histogram, count: 0, sum: 0, squares: 0.0, min: u64::MAX, max: 0 }
    }
}

impl Distribution {
    /// Records a duration.
    pub fn record(&mut self, duration: Duration) {
        self.record_raw(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Records a rate in shown units (tokens per second).
    pub fn record_rate(&mut self, rate: f64) {
        self.record_raw((rate * SCALE) as u64);
    }

    fn record_raw(&mut self, value: u64) {
        self.histogram.saturating_record(value.min(HIGHEST));
        self.count += 1;
        self.sum += u128::from(value);
        self.squares += (value as f64 / SCALE).powi(2);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Takes in the values of another distribution.
    pub fn merge(&mut self, other: &Self) {
        // Same layout on both sides, so that adding cannot fail.
        let _ = self.histogram.add(&other.histogram);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Arithmetic mean in shown units.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64 / SCALE)
    }

    /// Value of the given rank (1 = smallest) in shown units; `None` beyond the values.
    pub fn at_rank(&self, rank: u64) -> Option<f64> {
        if rank == 0 || rank > self.count {
            return None;
        }
        let mut seen = 0;
        let bucket = self.histogram.iter_recorded().find(|bucket| {
            seen += bucket.count_since_last_iteration();
            seen >= rank
        })?;
        let value = self.histogram.median_equivalent(bucket.value_iterated_to());
        Some(value.clamp(self.min, self.max) as f64 / SCALE)
    }

    /// Percentile `p` (0..100) by nearest rank, in shown units.
    pub fn percentile(&self, p: f64) -> Option<f64> {
        self.at_rank(nearest_rank(p, self.count))
    }

    /// Percentile with `failures` more values above every other; `None` when it falls among them.
    pub fn adjusted_percentile(&self, p: f64, failures: u64) -> Option<f64> {
        self.at_rank(nearest_rank(p, self.count + failures))
    }

    /// The numbers that results show.
    pub fn summary(&self) -> DistributionSummary {
        if self.count == 0 {
            return DistributionSummary::default();
        }
        let percentile = |p| self.percentile(p).map(round);
        DistributionSummary {
            n: self.count,
            mean: self.mean().map(round),
            stddev: self.stddev().map(round),
            min: Some(round(self.min as f64 / SCALE)),
            p50: percentile(50.0),
            p90: percentile(90.0),
            p95: percentile(95.0),
            p99: percentile(99.0),
            p999: percentile(99.9),
            max: Some(round(self.max as f64 / SCALE)),
            weak: weak(self.count),
            hdr: self.encode(),
        }
    }

    /// Sample standard deviation in shown units.
    fn stddev(&self) -> Option<f64> {
        let mean = self.mean().filter(|_| self.count >= 2)?;
        let n = self.count as f64;
        Some(((self.squares - n * mean * mean).max(0.0) / (n - 1.0)).sqrt())
    }

    fn encode(&self) -> Option<String> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&self.histogram, &mut bytes).ok()?;
        Some(base64::engine::general_purpose::STANDARD.encode(bytes))
    }
}

/// Rank of percentile `p` among `n` values. The small subtraction keeps 95 % of 20 at 19 in binary arithmetic.
fn nearest_rank(p: f64, n: u64) -> u64 {
    ((p / 100.0 * n as f64 - 1e-9).ceil() as u64).clamp(u64::from(n > 0), n.max(1))
}

/// Names of the percentiles that too few values stand behind.
fn weak(n: u64) -> Vec<String> {
    [50.0, 90.0, 95.0, 99.0, 99.9]
        .into_iter()
        .map(Stat::Percentile)
        .filter(|stat| stat.needs() > n)
        .map(|stat| stat.to_string())
        .collect()
}

/// Four decimals: a tenth of a microsecond, far below what can be measured.
pub fn round(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// A distribution as results hold it; an empty one has `n` 0 and the rest null.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DistributionSummary {
    /// Number of values.
    pub n: u64,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Sample standard deviation; null under two values.
    pub stddev: Option<f64>,
    /// Exact minimum.
    pub min: Option<f64>,
    /// Median.
    pub p50: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p999: Option<f64>,
    /// Exact maximum.
    pub max: Option<f64>,
    /// Percentiles that too few values stand behind: they are given, marked, and not judged.
    pub weak: Vec<String>,
    /// The histogram: HdrHistogram V2 deflate, base64.
    pub hdr: Option<String>,
}

impl DistributionSummary {
    /// A statistic, of any percentile.
    pub fn value(&self, stat: Stat) -> Option<f64> {
        match stat {
            Stat::Mean => self.mean,
            Stat::Min => self.min,
            Stat::Max => self.max,
            Stat::Percentile(50.0) => self.p50,
            Stat::Percentile(90.0) => self.p90,
            Stat::Percentile(95.0) => self.p95,
            Stat::Percentile(99.0) => self.p99,
            Stat::Percentile(99.9) => self.p999,
            Stat::Percentile(p) => self.decoded_percentile(p),
        }
    }

    /// Standard error of a mean or percentile, as if the values were independent; `None` of a minimum or maximum, and where
    /// there are too few. A percentile's follows from the values a standard deviation of its rank away.
    pub fn standard_error(&self, stat: Stat) -> Option<f64> {
        let n = self.n as f64;
        match stat {
            Stat::Mean => Some(self.stddev? / n.sqrt()),
            Stat::Percentile(p) if self.n >= stat.needs() => {
                let ranks = 100.0 * (p / 100.0 * (1.0 - p / 100.0) / n).sqrt();
                let at = |p: f64| self.decoded_percentile(p.clamp(0.0, 100.0));
                Some((at(p + ranks)? - at(p - ranks)?) / 2.0)
            }
            Stat::Percentile(_) | Stat::Min | Stat::Max => None,
        }
    }

    /// How many values lie in each step from the smallest to the largest, with so many steps a decade: lower edges and
    /// counts, without a hole. Nothing where nothing is kept.
    pub fn steps(&self, per_decade: u32) -> Vec<(f64, u64)> {
        let Some(histogram) = self.decoded() else { return Vec::new() };
        let per_decade = f64::from(per_decade.max(1));
        let step = |value: u64| ((value.max(1) as f64 / SCALE).log10() * per_decade).floor() as i64;
        let mut counts = std::collections::BTreeMap::new();
        for bucket in histogram.iter_recorded() {
            let value = histogram.median_equivalent(bucket.value_iterated_to());
            *counts.entry(step(value)).or_insert(0) += bucket.count_since_last_iteration();
        }
        let ends =
            counts.first_key_value().zip(counts.last_key_value()).map(|(first, last)| (*first.0, *last.0));
        let Some((first, last)) = ends else { return Vec::new() };
        (first..=last)
            .map(|step| (10_f64.powf(step as f64 / per_decade), counts.get(&step).copied().unwrap_or(0)))
            .collect()
    }

    /// Both together; one of which nothing is kept adds nothing.
    pub fn with(&self, other: &Self) -> Self {
        match (self.distribution(), other.distribution()) {
            (Some(mut all), Some(other)) => {
                all.merge(&other);
                all.summary()
            }
            (None, _) => other.clone(),
            (Some(_), None) => self.clone(),
        }
    }

    fn distribution(&self) -> Option<Distribution> {
        let mut histogram = Distribution::default().histogram;
        histogram.add(self.decoded_as::<u32>()?).ok()?;
        let (n, mean) = (self.n as f64, self.mean?);
        let sum = mean * n * SCALE;
        // What was damaged in a file is no distribution.
        (histogram.len() == self.n && sum < 1e30).then_some(Distribution {
            histogram,
            count: self.n,
            sum: sum as u128,
            squares: self.stddev.unwrap_or(0.0).powi(2) * (n - 1.0).max(0.0) + n * mean * mean,
            min: (self.min? * SCALE) as u64,
            max: (self.max? * SCALE) as u64,
        })
    }

    /// How many values its histogram holds; `None` where there is none that can be read.
    pub(crate) fn kept(&self) -> Option<u64> {
        self.decoded().map(|histogram| histogram.len())
    }

    fn decoded(&self) -> Option<Histogram<u64>> {
        self.decoded_as()
    }

    fn decoded_as<C: hdrhistogram::Counter>(&self) -> Option<Histogram<C>> {
        let bytes = base64::engine::general_purpose::STANDARD.decode(self.hdr.as_ref()?).ok()?;
        Deserializer::new().deserialize(&mut bytes.as_slice()).ok()
    }

    fn decoded_percentile(&self, p: f64) -> Option<f64> {
        let histogram = self.decoded()?;
        let value = histogram.median_equivalent(histogram.value_at_quantile(p / 100.0)) as f64 / SCALE;
        // Not `clamp`, which panics where a file was edited so that they cross.
        Some(round(value).max(self.min?).min(self.max?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_two_gives_both_together() {
        let (one, other) = ([3, 40, 41, 800], [1, 2, 42, 9_000]);
        let both = of(one.into_iter().chain(other)).summary();
        let summed = of(one).summary().with(&of(other).summary());
        assert_eq!((summed.n, summed.p50, summed.p99, summed.max), (8, both.p50, both.p99, both.max));
        let near = |one: Option<f64>, other: Option<f64>| (one.unwrap() - other.unwrap()).abs() < 0.01;
        assert!(near(summed.mean, both.mean) && near(summed.stddev, both.stddev), "{summed:?} {both:?}");
        let nothing = DistributionSummary::default();
        assert_eq!((nothing.with(&both), both.with(&nothing)), (both.clone(), both));
    }

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut distribution = Distribution::default();
        values.into_iter().for_each(|ms| distribution.record(Duration::from_millis(ms)));
        distribution
    }

    #[test]
    fn stat_03_percentiles_are_by_nearest_rank() {
        assert_eq!(of([100, 200, 300, 400, 500]).summary().p95, Some(500.0));
        let outlier = of(std::iter::repeat_n(1, 1000).chain([10_000_000]));
        assert!((outlier.percentile(99.0).unwrap() - 1.0).abs() < 0.001);
        let merged = of(std::iter::repeat_n(10, 990).chain(std::iter::repeat_n(1000, 10)));
        assert!((merged.percentile(95.0).unwrap() - 10.0).abs() < 0.01);
        assert!((merged.percentile(99.5).unwrap() - 1000.0).abs() < 1.0);
    }

    #[test]
    fn steps_hold_every_value_once_without_a_hole() {
        let steps = of([11, 12, 12, 90, 110]).summary().steps(10);
        assert_eq!(steps.iter().map(|(_, count)| count).sum::<u64>(), 5);
        assert_eq!((steps.len(), steps[0].1, steps[10].1), (11, 3, 1));
        assert!((steps[0].0 - 10.0).abs() < 1e-9 && (steps[10].0 - 100.0).abs() < 1e-9, "{steps:?}");
        assert_eq!(DistributionSummary::default().steps(10), []);
    }

    #[test]
    fn standard_errors_are_those_of_independent_values() {
        // Uniform from 1 to 10,000 ms: the mean's is 2886.75 / 100, a percentile's sqrt(p (1 - p) / n) of the range.
        let uniform = of(1..=10_000).summary();
        let error = |stat| uniform.standard_error(stat).unwrap();
        assert!((error(Stat::Mean) - 28.87).abs() < 0.01, "{}", error(Stat::Mean));
        for (p, expected) in [(50.0, 50.0), (95.0, 21.8)] {
            let error = error(Stat::Percentile(p));
            assert!((error - expected).abs() < 8.0, "p{p}: {error}");
        }
        let none = [
            (uniform.clone(), Stat::Max),
            (of([5]).summary(), Stat::Mean),
            (of(1..=19).summary(), Stat::Percentile(95.0)),
        ];
        assert!(none.iter().all(|(of, stat)| of.standard_error(*stat).is_none()));
    }

    #[test]
    fn stat_04_a_value_over_the_top_is_counted_and_the_max_stays_exact() {
        let distribution = of(std::iter::repeat_n(1000, 9).chain([5_000_000]));
        let summary = distribution.summary();
        assert_eq!((summary.n, summary.max), (10, Some(5_000_000.0)));
    }

    #[test]
    fn out_01_nothing_and_one_value_give_nulls_not_nan() {
        let empty = serde_json::to_string(&of([]).summary()).unwrap();
        assert!(empty.starts_with(r#"{"n":0,"mean":null,"stddev":null,"min":null"#), "{empty}");
        let one = of([5]).summary();
        assert_eq!((one.mean, one.stddev, one.p50), (Some(5.0), None, Some(5.0)));
        assert_eq!(one.weak, ["p50", "p90", "p95", "p99", "p999"]);
    }

    #[test]
    fn any_percentile_can_be_had_from_the_saved_histogram() {
        let distribution = of(1..=1000);
        let summary = distribution.summary();
        let p75 = summary.value(Stat::Percentile(75.0)).unwrap();
        assert!((p75 - 750.0).abs() < 1.0, "{p75}");
        assert!((distribution.percentile(75.0).unwrap() - p75).abs() < 0.5);
    }

    #[test]
    fn stat_02_failures_count_as_infinitely_slow_in_the_adjusted_percentile() {
        let distribution = of(std::iter::repeat_n(200, 8));
        assert_eq!(distribution.adjusted_percentile(95.0, 2), None);
        assert_eq!(distribution.adjusted_percentile(50.0, 2), Some(200.0));
    }

    #[test]
    fn spread_is_the_sample_standard_deviation() {
        let stddev = of([2, 4, 4, 4, 5, 5, 7, 9]).summary().stddev.unwrap();
        assert!((stddev - 2.1381).abs() < 1e-3, "{stddev}");
    }
}
