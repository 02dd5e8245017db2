//! Whether a run and a baseline can be compared: as a whole, and stage by stage.

use super::baseline::{Baseline, Differences};
use crate::result::StageResult;
use crate::{Metric, Workload};

/// The yardstick of goodput.
pub const OBJECTIVES: &str = "objectives";
/// The yardstick of smoothness.
pub const READING_SPEED: &str = "reading_speed";

/// What a run is compared by with a baseline.
#[derive(Debug, Clone, Copy)]
pub struct Comparable<'a> {
    /// Protocol.
    pub api: &'a str,
    /// Model.
    pub model: Option<&'a str>,
    /// Label of the machine.
    pub testbed: &'a str,
    /// What is sent and how; `None` of a run of an older version, which is then not compared by it.
    pub workload: Option<&'a Workload>,
}

impl Baseline {
    /// The baseline as this run is judged by it: a stage that has another load now is none of its own any more.
    ///
    /// # Errors
    /// A sentence that says what of the two differs, where they cannot be compared at all.
    pub fn for_run(self, run: Comparable<'_>) -> Result<Self, String> {
        if let Some(reason) = self.mismatch(run) {
            return Err(reason);
        }
        let Some((now, then)) = run.workload.zip(self.workload.as_ref()) else { return Ok(self) };
        let differs = |stage: &String| Some((stage.clone(), now.stage_difference(then, stage)?));
        let loads = then.stages.keys().filter_map(differs).collect();
        let differences = Differences { loads, yardsticks: now.other_yardsticks(then) };
        Ok(Self { differences, ..self })
    }

    /// Why no check against it can be judged on a stage of this run, as the end of a sentence; `None` where it can.
    pub fn gap(&self, stage: &StageResult) -> Option<String> {
        if !self.stages.contains_key(&stage.name) {
            return Some("the baseline has no row for it".to_owned());
        }
        match self.differences.loads.get(&stage.name) {
            Some(difference) => Some(format!("its load is another one ({difference})")),
            None => self.other_load(stage).then(|| "its load is another one".to_owned()),
        }
    }

    /// How what a metric is counted by differs from this run's; `None` where it does not, or nothing is chosen for it.
    pub fn other_yardstick(&self, of: Metric) -> Option<&str> {
        let name = match of {
            Metric::Goodput | Metric::GoodputRatio => OBJECTIVES,
            Metric::Smoothness => READING_SPEED,
            _ => return None,
        };
        self.differences.yardsticks.get(name).map(String::as_str)
    }

    /// Whether the stage of that name was another load, so that the two cannot be compared.
    pub(super) fn other_load(&self, stage: &StageResult) -> bool {
        let Some(row) = self.stages.get(&stage.name) else { return false };
        let same = row.concurrency == stage.concurrency
            && row.rate == stage.rate
            && row.ramp_from == stage.ramp_from
            && row.arrival == stage.arrival;
        !same || self.differences.loads.contains_key(&stage.name)
    }

    /// Why this baseline and a run cannot be compared, if they cannot.
    fn mismatch(&self, run: Comparable<'_>) -> Option<String> {
        let differ = |what: &str, here: &str, there: &str| {
            format!("the baseline was measured with {what} {there:?}, this run has {here:?}")
        };
        if self.api != run.api {
            return Some(differ("api", run.api, &self.api));
        }
        if self.model.as_deref() != run.model {
            return Some(differ("model", run.model.unwrap_or("-"), self.model.as_deref().unwrap_or("-")));
        }
        if self.testbed != run.testbed {
            return Some(differ("testbed", run.testbed, &self.testbed));
        }
        let difference = run.workload?.difference(self.workload.as_ref()?)?;
        Some(format!("the baseline was measured with {difference}"))
    }
}
