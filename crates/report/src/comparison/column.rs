//! The numbers that are compared, in the order of every table.

use measure::Metric;
use measure::distribution::DistributionSummary;
use measure::metric::Unit;
use measure::result::{Difference, Interval, StageResult};

use super::Group;
use super::change::{self, Change, Sure};
use crate::Lang;
use crate::number::{ms, percent, rate};

/// One number of a stage.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// What it is.
    pub metric: Metric,
    /// Of which percentile; empty for a single number.
    pub percentile: &'static str,
    /// English and Chinese head, without the percentile.
    name: [&'static str; 2],
    /// Whether it is in the short tables, too.
    pub brief: bool,
    value: fn(&StageResult) -> Option<f64>,
}

/// All of them.
pub const COLUMNS: [Column; 14] = [
    single(Metric::Qps, ["req/s", "请求/s"], true, |stage| stage.qps),
    single(Metric::OutputTokensPerS, ["tok/s", "tok/s"], true, |stage| stage.output_tokens_per_s),
    of(Metric::Ttft, "p50", "TTFT", false, |stage| stage.ttft_ms.p50),
    of(Metric::Ttft, "p95", "TTFT", true, |stage| stage.ttft_ms.p95),
    of(Metric::Ttft, "p99", "TTFT", false, |stage| stage.ttft_ms.p99),
    of(Metric::Tpot, "p50", "TPOT", false, |stage| stage.tpot_ms.p50),
    of(Metric::Tpot, "p95", "TPOT", true, |stage| stage.tpot_ms.p95),
    of(Metric::Tpot, "p99", "TPOT", false, |stage| stage.tpot_ms.p99),
    of(Metric::E2e, "p95", "E2E", true, |stage| stage.e2e_ms.p95),
    of(Metric::E2e, "p99", "E2E", false, |stage| stage.e2e_ms.p99),
    single(Metric::SuccessRate, ["success", "成功率"], true, |stage| stage.success_rate),
    single(Metric::Http429Ratio, ["429", "429"], true, |stage| stage.http_429_ratio),
    single(Metric::Http5xxRatio, ["5xx", "5xx"], false, |stage| stage.http_5xx_ratio),
    single(Metric::Goodput, ["goodput", "有效吞吐"], false, |stage| stage.goodput),
];

type Value = fn(&StageResult) -> Option<f64>;

const fn single(metric: Metric, name: [&'static str; 2], brief: bool, value: Value) -> Column {
    Column { metric, percentile: "", name, brief, value }
}

const fn of(
    metric: Metric,
    percentile: &'static str,
    name: &'static str,
    brief: bool,
    value: Value,
) -> Column {
    Column { metric, percentile, name: [name; 2], brief, value }
}

impl Column {
    /// Head: `TTFT`, `tok/s`.
    pub fn name(&self, lang: Lang) -> &'static str {
        let [en, zh] = self.name;
        lang.pick(en, zh)
    }

    /// What it counts.
    pub fn unit(&self) -> Unit {
        self.metric.entry().unit
    }

    /// Its value in a stage; `None` where nothing was measured.
    pub fn value(&self, stage: &StageResult) -> Option<f64> {
        Some(stage)
            .filter(|stage| super::has_started(stage))
            .and_then(self.value)
            .filter(|value| value.is_finite())
    }

    /// How many requests stand behind the value where they are too few.
    pub fn weak_n(&self, stage: &StageResult) -> Option<u64> {
        let of = self.distribution(stage)?;
        let weak = self.value(stage).is_some() && of.weak.iter().any(|weak| weak == self.percentile);
        weak.then_some(of.n)
    }

    /// The change from the first run to another; `None` where either is unknown, and for the first itself.
    pub fn change(&self, group: &Group<'_>, run: usize) -> Option<Change> {
        let (from, to) =
            (group.stages.first().copied().flatten()?, group.stages.get(run).copied().flatten()?);
        if run == 0 {
            return None;
        }
        let sure = match self.weak_n(from).is_none()
            && self.weak_n(to).is_none()
            && self.is_apart(group, from, to)
        {
            true => Sure::Yes,
            false => Sure::No,
        };
        Some(Change::between(self.value(from)?, self.value(to)?, self.unit(), self.metric.better(), sure))
    }

    /// The difference between the sides of an A/B run.
    fn paired<'a>(&self, group: &Group<'a>) -> Option<&'a Difference> {
        group.difference()?.of.get(&self.statistic())
    }

    /// The interval of the change between the sides of an A/B run, as text like the change itself.
    pub(crate) fn range(&self, group: &Group<'_>) -> Option<[String; 2]> {
        change::ends(self.paired(group)?, self.unit())
    }

    /// Whether that interval leaves no room for chance.
    pub(crate) fn is_beyond_chance(&self, group: &Group<'_>) -> bool {
        let interval = self.paired(group).and_then(|difference| difference.interval);
        interval.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
    }

    /// Whether the values differ by more than chance. Results of older versions do not say.
    fn is_apart(&self, group: &Group<'_>, from: &StageResult, to: &StageResult) -> bool {
        if group.difference().is_some() {
            return self.is_beyond_chance(group);
        }
        if from.intervals.is_empty() && to.intervals.is_empty() {
            return true;
        }
        let name = self.statistic();
        let of = |stage: &StageResult| Some((self.value(stage)?, *stage.intervals.get(&name)?));
        of(from)
            .zip(of(to))
            .is_some_and(|((from, of_from), (to, of_to))| Interval::apart((from, &of_from), (to, &of_to)))
    }

    /// Its name among the intervals: `ttft.p95`, `qps`.
    pub(crate) fn statistic(&self) -> String {
        match self.percentile {
            "" => self.metric.name().to_owned(),
            percentile => format!("{}.{percentile}", self.metric),
        }
    }

    /// The value as text, without a unit where the head has it.
    pub fn show(&self, value: Option<f64>) -> String {
        match self.unit() {
            Unit::Ratio => percent(value),
            Unit::Milliseconds => ms(value),
            Unit::PerSecond | Unit::Count => rate(value),
        }
    }

    fn distribution<'a>(&self, stage: &'a StageResult) -> Option<&'a DistributionSummary> {
        match self.metric {
            Metric::Ttft => Some(&stage.ttft_ms),
            Metric::Tpot => Some(&stage.tpot_ms),
            Metric::E2e => Some(&stage.e2e_ms),
            _ => None,
        }
    }
}
