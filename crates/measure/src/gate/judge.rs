//! Judges rules against the stages of a result.

use super::Statistic;
use super::baseline::Baseline;
use super::change::{Amounts, Change};
use super::check::{Check, Comparison, Level, Limit, Rule};
use super::confirm::confirmed;
use super::paired::paired;
use super::reason::Reason;
use crate::distribution::{DistributionSummary, round};
use crate::metric::{Kind, Metric};
use crate::normal::quantile;
use crate::result::{
    Against, CheckLine, CheckResult, Difference, GateResult, Interval, StageResult, StageStatus, Unit,
    Verdict,
};

/// Of intervals that are made afterwards.
const CONFIDENCE: f64 = 0.95;

/// What checks against the baseline are judged by.
#[derive(Debug, Clone, Copy)]
pub enum Reference<'a> {
    /// The numbers of an accepted run.
    Baseline(&'a Baseline),
    /// The other side of the same A/B run.
    Against(&'a Against),
}

/// Judges every rule on every stage it covers. There are no implicit checks.
pub fn judge(rules: &[Rule], stages: &[StageResult], reference: Option<Reference<'_>>) -> GateResult {
    let checks: Vec<CheckLine> = rules.iter().flat_map(|rule| judge_rule(rule, stages, reference)).collect();
    GateResult { verdict: verdict(&checks), checks }
}

fn judge_rule(rule: &Rule, stages: &[StageResult], reference: Option<Reference<'_>>) -> Vec<CheckLine> {
    let lines: Vec<CheckLine> = stages
        .iter()
        .filter(|stage| rule.check.scope.covers(&stage.name, stage.most_users()))
        .map(|stage| {
            let again = stage.confirmations.iter().map(|again| judge_stage(rule, again, reference));
            confirmed(judge_stage(rule, stage, reference), again.collect())
        })
        .collect();
    match lines.is_empty() {
        true => {
            vec![CheckLine::open(rule, "-").without_data(Reason::NotCovered)]
        }
        false => lines,
    }
}

fn judge_stage(rule: &Rule, stage: &StageResult, reference: Option<Reference<'_>>) -> CheckLine {
    let (value, n) = measured(rule.check.statistic(), stage);
    let interval = value.and_then(|value| interval(rule.check.statistic(), value, stage));
    let interval = interval.map(|interval| [interval.low, interval.high]);
    let line = CheckLine { value, n, interval, ..CheckLine::open(rule, &stage.name) };
    if let Some(reason) = cannot_judge(&rule.check, stage, value, n) {
        return line.without_data(reason);
    }
    let Some(value) = value else { return line };
    match rule.check.limit {
        Limit::Absolute(limit) => {
            let result = pass_or_fail(rule.check.comparison.holds(value, limit));
            CheckLine { limit: Some(limit), result, ..line }
        }
        Limit::Baseline { change } => match reference {
            None => line.without_data(Reason::NoBaseline),
            Some(Reference::Baseline(baseline)) => against_baseline(rule, stage, baseline, change, line),
            Some(Reference::Against(other)) => against_other(rule, stage, other, change, line),
        },
    }
}

/// The value against the baseline's own, changed by as much as the check allows.
fn against_baseline(
    rule: &Rule,
    stage: &StageResult,
    baseline: &Baseline,
    allowed: f64,
    line: CheckLine,
) -> CheckLine {
    if baseline.other_load(stage) {
        return line.without_data(Reason::OtherLoad);
    }
    let of = rule.check.statistic();
    if baseline.other_yardstick(of.metric).is_some() {
        return line.without_data(Reason::OtherYardstick);
    }
    let (Some(value), Some(row)) = (line.value, baseline.value(of, &stage.name)) else {
        return line.without_data(baseline.absent(&stage.name));
    };
    let line = CheckLine { limit: Some(row * (1.0 + allowed)), baseline: Some(row), ..line };
    if is_best(of.metric, value, rule.check.comparison) {
        return CheckLine { result: CheckResult::Pass, ..line };
    }
    let interval = interval(of, value, stage);
    let (Some(interval), Some(baseline_error)) = (interval, baseline.error(of, &stage.name)) else {
        return CheckLine { result: CheckResult::Inconclusive, ..line.without_data(Reason::NoInterval) };
    };
    let (deviation, quantile) = baseline.scatter(of, &stage.name, interval.confidence);
    let change = Change {
        value,
        interval: widened(interval, value, deviation.map(|deviation| quantile * deviation)),
        baseline: row,
        baseline_half: quantile * baseline_error,
        allowed,
        least: rule.min_change,
        comparison: rule.check.comparison,
    };
    let line = CheckLine { change: change.shares().map(|ends| ends.map(round)), ..line };
    let by_runs = interval.unit == Unit::Runs || change.interval != [interval.low, interval.high];
    let have = match (by_runs, interval.unit) {
        (false, _) => line.n,
        (true, Unit::Runs) => interval.units,
        (true, Unit::Blocks | Unit::Requests | Unit::Pairs) => 1,
    };
    decided(CheckLine { would_decide_in: by_runs.then_some(Unit::Runs), ..line }, change.amounts(), have)
}

/// The value against that of the other side, changed by as much as the check allows.
fn against_other(
    rule: &Rule,
    stage: &StageResult,
    other: &Against,
    allowed: f64,
    line: CheckLine,
) -> CheckLine {
    let of = rule.check.statistic();
    let Some(b) = other.stages.iter().find(|other| other.name == stage.name) else {
        return line.without_data(Reason::NotOnOtherSide);
    };
    if let Some(reason) = cannot_refer(&rule.check, b) {
        return line.without_data(reason);
    }
    let Some(difference) = difference(of, stage, b, other) else {
        return line.without_data(Reason::NotOnOtherSide);
    };
    let line =
        CheckLine { limit: Some(difference.b * (1.0 + allowed)), baseline: Some(difference.b), ..line };
    if is_best(of.metric, difference.a, rule.check.comparison) {
        return CheckLine { result: CheckResult::Pass, ..line };
    }
    let line = CheckLine { change: difference.share_interval, ..line };
    let Some(amounts) = paired(&difference, allowed, rule) else {
        return CheckLine { result: CheckResult::Inconclusive, ..line.without_data(Reason::TooFewPairs) };
    };
    let have = line.n;
    decided(line, amounts, have)
}

/// Why the other side is nothing to compare with: what is judged must be fit for it on both.
fn cannot_refer(check: &Check, b: &StageResult) -> Option<Reason> {
    let (value, n) = measured(check.statistic(), b);
    match cannot_judge(check, b, value, n) {
        // Where nothing was answered every rate is 0, and anything is better.
        None if b.counts.ok == 0 => Some(Reason::NotOnOtherSide),
        None => None,
        Some(Reason::CutShort | Reason::Skipped) => Some(Reason::OtherCutShort),
        Some(Reason::Saturated) => Some(Reason::OtherSaturated),
        Some(_) => Some(Reason::NotOnOtherSide),
    }
}

/// The stored difference; that of a statistic which was not asked for when it was measured is made of both values, each with
/// its own interval.
fn difference(of: Statistic, a: &StageResult, b: &StageResult, other: &Against) -> Option<Difference> {
    let stored = other.differences.iter().find(|difference| difference.stage == a.name)?;
    stored.of.get(&of.to_string()).copied().or_else(|| {
        let side = |stage: &StageResult| {
            let value = measured(of, stage).0?;
            Some((value, interval(of, value, stage)))
        };
        Some(Difference::of(side(a)?, side(b)?))
    })
}

/// The line of a change that amounts to this; `have` of what it scatters by were measured.
fn decided(line: CheckLine, amounts: Amounts, have: u64) -> CheckLine {
    let decided = |result| CheckLine { result, would_decide_in: None, ..line.clone() };
    match amounts {
        Amounts::Within => decided(CheckResult::Pass),
        Amounts::Over => decided(CheckResult::Fail),
        Amounts::Undecided(times) => {
            let would_decide = times.map(|times| (have as f64 * times).ceil() as u64);
            CheckLine { result: CheckResult::Inconclusive, would_decide, ..line }
                .without_data(Reason::Undecided)
        }
    }
}

/// What one run shows of itself says nothing of how runs differ: where that is known, its interval reaches as far at least.
fn widened(interval: Interval, value: f64, between_runs: Option<f64>) -> [f64; 2] {
    let reach = between_runs.filter(|_| interval.unit != Unit::Runs).unwrap_or(0.0);
    [interval.low.min((value - reach).max(0.0)), interval.high.max(value + reach)]
}

/// The interval of a statistic; of one that was not asked for when it was measured, as if its values were independent.
fn interval(of: Statistic, value: f64, stage: &StageResult) -> Option<Interval> {
    let stored = stage.intervals.get(&of.to_string()).copied();
    stored.or_else(|| {
        let distribution = distribution(of.metric, stage).filter(|_| stage.is_step())?;
        let standard_error = distribution.standard_error(of.stat?)?;
        let half = quantile(CONFIDENCE) * standard_error;
        let [low, high] = [value - half, value + half].map(|end| round(end.max(0.0)));
        let (unit, units) = (Unit::Requests, distribution.n);
        Some(Interval { low, high, confidence: CONFIDENCE, standard_error, unit, units })
    })
}

/// Whether no value could be better: a run without a single failure is no evidence that it got worse.
fn is_best(metric: Metric, value: f64, comparison: Comparison) -> bool {
    match metric {
        Metric::Http429
        | Metric::Http5xx
        | Metric::Http429Ratio
        | Metric::Http5xxRatio
        | Metric::ErrorRate => comparison.is_upper_bound() && value <= 0.0,
        Metric::SuccessRate | Metric::GoodputRatio => !comparison.is_upper_bound() && value >= 1.0,
        _ => false,
    }
}

fn cannot_judge(check: &Check, stage: &StageResult, value: Option<f64>, n: u64) -> Option<Reason> {
    let needs = check.stat.map_or(1, super::Stat::needs);
    match stage.status {
        StageStatus::Skipped => Some(Reason::Skipped),
        StageStatus::Incomplete => Some(Reason::CutShort),
        StageStatus::Complete | StageStatus::Stopped if stage.client.saturated => Some(Reason::Saturated),
        StageStatus::Complete | StageStatus::Stopped if n < needs => Some(Reason::TooFewValues),
        StageStatus::Complete | StageStatus::Stopped => value.is_none().then_some(Reason::NotMeasured),
    }
}

fn pass_or_fail(holds: bool) -> CheckResult {
    if holds { CheckResult::Pass } else { CheckResult::Fail }
}

/// The value of a statistic of a stage, and how many values stand behind it.
pub fn measured(of: Statistic, stage: &StageResult) -> (Option<f64>, u64) {
    match (of.metric.entry().kind, of.stat) {
        (Kind::Distribution, Some(stat)) => match distribution(of.metric, stage) {
            Some(distribution) => (distribution.value(stat), distribution.n),
            None => (None, 0),
        },
        _ => (scalar(of.metric, stage), scalar_n(of.metric, stage)),
    }
}

pub(super) fn distribution(metric: Metric, stage: &StageResult) -> Option<&DistributionSummary> {
    Some(match metric {
        Metric::Queue => &stage.queue_ms,
        Metric::Connect => &stage.connect_ms,
        Metric::Ttfb => &stage.ttfb_ms,
        Metric::Ttfe => &stage.ttfe_ms,
        Metric::Ttft => &stage.ttft_ms,
        Metric::Ttfo => &stage.ttfo_ms,
        Metric::E2e => &stage.e2e_ms,
        Metric::Tpot => &stage.tpot_ms,
        Metric::Ntpot => &stage.ntpot_ms,
        Metric::Gap => &stage.gap_ms,
        Metric::DecodeTps => &stage.decode_tps,
        Metric::OutputTps => &stage.output_tps,
        Metric::TimeToError => &stage.time_to_error_ms,
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
        | Metric::InFlightMax => return None,
    })
}

pub(super) fn scalar(metric: Metric, stage: &StageResult) -> Option<f64> {
    match metric {
        Metric::Smoothness => stage.smoothness,
        Metric::Qps => stage.qps,
        Metric::OutputTokensPerS => stage.output_tokens_per_s,
        Metric::SuccessRate => stage.success_rate,
        Metric::ErrorRate => stage.error_rate,
        Metric::Http429 => Some(per_run(stage.http_429, stage)),
        Metric::Http5xx => Some(per_run(stage.http_5xx, stage)),
        Metric::Http429Ratio => stage.http_429_ratio,
        Metric::Http5xxRatio => stage.http_5xx_ratio,
        Metric::Goodput => stage.goodput,
        Metric::GoodputRatio => stage.goodput_ratio,
        Metric::ConcurrencyEffective => stage.concurrency_effective,
        Metric::InFlightMax => Some(stage.in_flight_max as f64),
        Metric::Queue
        | Metric::Connect
        | Metric::Ttfb
        | Metric::Ttfe
        | Metric::Ttft
        | Metric::Ttfo
        | Metric::E2e
        | Metric::Tpot
        | Metric::Ntpot
        | Metric::Gap
        | Metric::DecodeTps
        | Metric::OutputTps
        | Metric::TimeToError => None,
    }
}

/// A number of answers grows with the number of rounds: of several it is the mean.
fn per_run(count: u64, stage: &StageResult) -> f64 {
    count as f64 / stage.rounds.len().max(1) as f64
}

fn scalar_n(metric: Metric, stage: &StageResult) -> u64 {
    match metric {
        Metric::Http429 | Metric::Http5xx | Metric::Http429Ratio | Metric::Http5xxRatio => {
            stage.counts.attempts
        }
        _ => stage.counts.ok + stage.counts.failed,
    }
}

fn verdict(checks: &[CheckLine]) -> Verdict {
    let strict = || checks.iter().filter(|line| line.level == Level::Strict.name());
    if checks.is_empty() {
        Verdict::None
    } else if strict().any(|line| line.result == CheckResult::Fail) {
        Verdict::Fail
    } else if strict().any(|line| matches!(line.result, CheckResult::Inconclusive | CheckResult::NoData)) {
        Verdict::NotJudged
    } else {
        Verdict::Pass
    }
}

impl CheckLine {
    /// Before it is judged.
    fn open(rule: &Rule, stage: &str) -> Self {
        Self {
            check: rule.check.text.clone(),
            scope: rule.check.scope.text(),
            stage: stage.to_owned(),
            level: rule.level.name().to_owned(),
            value: None,
            limit: None,
            baseline: None,
            interval: None,
            n: 0,
            result: CheckResult::NoData,
            reason: None,
            reason_code: None,
            would_decide: None,
            would_decide_in: None,
            change: None,
            confirmations: Vec::new(),
        }
    }

    /// The line of a check that was not judged, and why.
    pub fn without_data(self, reason: Reason) -> Self {
        Self { reason: Some(reason.text(&self)), reason_code: Some(reason), ..self }
    }
}
