//! The committed baseline: the numbers of an accepted run, small enough to be reviewed as a diff.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::judge::measured;
use super::reason::Reason;
use super::{Stat, Statistic};
use crate::distribution::{DistributionSummary, RESOLUTION, round};
use crate::interval::deviation;
use crate::metric::{Kind, TABLE};
use crate::normal::{quantile, students_quantile};
use crate::result::{RunResult, SCHEMA_VERSION, StageResult, StageStatus};
use crate::{Amount, Workload};

/// Numbers of an accepted run, by stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Version of this file's meaning.
    pub schema_version: u32,
    /// Scenario it was measured with.
    pub test_name: String,
    /// Protocol.
    pub api: String,
    /// Model.
    pub model: Option<String>,
    /// Label of the machine.
    pub testbed: String,
    /// What was sent and how; null in baselines of older versions.
    #[serde(default)]
    pub workload: Option<Workload>,
    /// The stages that came to their end.
    pub stages: BTreeMap<String, BaselineStage>,
    /// In what the run to be judged differs: see [`Baseline::for_run`].
    #[serde(skip)]
    pub differences: Differences,
}

/// What of a run is not judged by a baseline while the rest is, each with how it differs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Differences {
    /// Stages with another load.
    pub loads: BTreeMap<String, String>,
    /// Yardsticks of some of the numbers.
    pub yardsticks: BTreeMap<String, String>,
}

/// One stage of a baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaselineStage {
    /// Users; null for an open loop.
    pub concurrency: Option<u32>,
    /// Requests per second of an open loop; null for a closed one.
    #[serde(default)]
    pub rate: Option<Amount>,
    /// Where its ramp began; null for a step.
    #[serde(default)]
    pub ramp_from: Option<Amount>,
    /// How the requests of an open loop followed one another.
    #[serde(default)]
    pub arrival: Option<String>,
    /// Standard errors of the statistics that checks were written on, by their names (`ttft.p95`).
    #[serde(default)]
    pub standard_errors: BTreeMap<String, f64>,
    /// How many runs it is of.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub runs: u64,
    /// How far the numbers scattered between those runs, by their names; empty for a single run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub noise: BTreeMap<String, Noise>,
    /// Single numbers; one that is null in the file is not there.
    #[serde(deserialize_with = "known")]
    pub scalars: BTreeMap<String, f64>,
    /// Distributions with their histograms.
    pub distributions: BTreeMap<String, DistributionSummary>,
}

/// How far a number scatters between runs of an unchanged server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Standard deviation between the runs, in the metric's unit; of a percentile at least what the histogram's steps of
    /// 0.1 % can hide.
    pub deviation: f64,
    /// The noise floor: a single further run differs by no more than this share of the number, with a confidence of 95 %;
    /// `None` where the number is 0.
    pub floor: Option<f64>,
}

/// Of noise floors.
const CONFIDENCE: f64 = 0.95;

fn known<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let all = BTreeMap::<String, Option<f64>>::deserialize(from)?;
    Ok(all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

fn one() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_one(runs: &u64) -> bool {
    *runs == 1
}

impl Noise {
    /// Of the values of several runs, which together gave this one.
    fn of(of: Statistic, value: f64, values: &[f64]) -> Self {
        let n = values.len() as f64;
        let reach = students_quantile(CONFIDENCE, n - 1.0) * spread(1.0, n);
        let least = finest(of) * value / reach;
        let deviation = deviation(values).max(least);
        Self { deviation: round(deviation), floor: (value > 0.0).then(|| round(reach * deviation / value)) }
    }
}

/// Standard deviations by which the means of so many further runs and of the baseline's own differ.
fn spread(further: f64, runs: f64) -> f64 {
    (1.0 / further + 1.0 / runs).sqrt()
}

/// The smallest share of itself that a number can change by: runs whose percentiles lie in one step of the histogram seem
/// to differ by nothing.
fn finest(of: Statistic) -> f64 {
    match of.stat {
        Some(Stat::Percentile(_)) => RESOLUTION,
        Some(Stat::Mean | Stat::Min | Stat::Max) | None => 0.0,
    }
}

impl Baseline {
    /// The noise floor of a statistic of a stage, where runs were compared with one another: of the mean of so many further
    /// climbs, which differs by less than a single one.
    pub fn noise_floor(&self, of: Statistic, stage: &str, climbs: usize) -> Option<f64> {
        let stage = self.stages.get(stage)?;
        let single = stage.noise.get(&of.to_string())?.floor?;
        let (climbs, runs) = (climbs.max(1) as f64, stage.runs as f64);
        Some((single * spread(climbs, runs) / spread(1.0, runs)).max(finest(of)))
    }

    /// The baseline that a run would make: of the stages of its ladder that came to their end.
    pub fn of(run: &RunResult, testbed: &str) -> Self {
        let whole = run.climbed().filter(|stage| stage.status == StageStatus::Complete);
        Self {
            schema_version: SCHEMA_VERSION,
            test_name: run.test_name.clone(),
            api: run.api.clone(),
            model: run.model.clone(),
            testbed: testbed.to_owned(),
            workload: run.scenario.workload.clone(),
            stages: whole.map(|stage| (stage.name.clone(), BaselineStage::of(stage))).collect(),
            differences: Differences::default(),
        }
    }

    /// The baseline's number for a statistic of a stage.
    pub(super) fn value(&self, of: Statistic, stage: &str) -> Option<f64> {
        let stage = self.stages.get(stage)?;
        match of.stat {
            Some(stat) => stage.distributions.get(of.metric.name())?.value(stat),
            None => stage.scalars.get(of.metric.name()).copied(),
        }
    }

    /// Why that number is not there.
    pub(super) fn absent(&self, stage: &str) -> Reason {
        match self.stages.contains_key(stage) {
            true => Reason::NumberNotInBaseline,
            false => Reason::NotInBaseline,
        }
    }

    /// The standard error of that number. Where the baseline was not gated by it, as if its requests were independent;
    /// `None` where nothing is known.
    pub(super) fn error(&self, of: Statistic, stage: &str) -> Option<f64> {
        let stage = self.stages.get(stage)?;
        let stored = stage.standard_errors.get(&of.to_string()).copied();
        stored.or_else(|| stage.distributions.get(of.metric.name())?.standard_error(of.stat?))
    }

    /// Standard deviation of that number between runs, and standard errors from the middle of an interval to its end, both
    /// as far as runs were compared.
    pub(super) fn scatter(&self, of: Statistic, stage: &str, confidence: f64) -> (Option<f64>, f64) {
        let stage = self.stages.get(stage).filter(|stage| stage.runs > 1);
        let deviation = stage.and_then(|stage| stage.noise.get(&of.to_string())).map(|noise| noise.deviation);
        match stage.filter(|_| deviation.is_some()) {
            Some(stage) => (deviation, students_quantile(confidence, stage.runs as f64 - 1.0)),
            None => (None, quantile(confidence)),
        }
    }
}

impl BaselineStage {
    /// The numbers of a stage, to be compared with.
    pub fn of(stage: &StageResult) -> Self {
        let scalars = TABLE
            .iter()
            .filter(|entry| entry.kind == Kind::Scalar)
            .filter_map(|entry| Some((entry.name.to_owned(), super::judge::scalar(entry.metric, stage)?)))
            .collect();
        let distributions = TABLE
            .iter()
            .filter_map(|entry| {
                let distribution = super::judge::distribution(entry.metric, stage)?;
                (distribution.n > 0).then(|| (entry.name.to_owned(), distribution.clone()))
            })
            .collect();
        Self {
            concurrency: stage.concurrency,
            rate: stage.rate,
            ramp_from: stage.ramp_from,
            arrival: stage.arrival.clone(),
            standard_errors: stage
                .intervals
                .iter()
                .map(|(of, interval)| (of.clone(), interval.standard_error))
                .collect(),
            runs: stage.rounds.len().max(1) as u64,
            noise: noise(stage),
            scalars,
            distributions,
        }
    }
}

/// The scatter of every number that all rounds have.
fn noise(stage: &StageResult) -> BTreeMap<String, Noise> {
    let Some(first) = stage.rounds.first().filter(|_| stage.rounds.len() > 1) else { return BTreeMap::new() };
    let of = |name: &String| {
        let values: Option<Vec<f64>> =
            stage.rounds.iter().map(|round| round.values.get(name).copied()).collect();
        let of = Statistic::try_from(name.clone()).ok()?;
        Some((name.clone(), Noise::of(of, measured(of, stage).0?, &values?)))
    };
    first.values.keys().filter_map(of).collect()
}
