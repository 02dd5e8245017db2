//! The run that a baseline is asked for: one that is planned, or one that was saved.

use measure::gate::Comparable;
use measure::result::{Fingerprint, RunResult, StageResult, StageStatus};
use measure::stage::{ClientLook, StageRecorder};
use scenario::plan::Plan;

use crate::record::fingerprint;

/// What a run is compared by with a baseline.
#[derive(Debug)]
pub(crate) struct Subject {
    api: String,
    model: Option<String>,
    /// What was run, or is to be.
    pub(crate) scenario: Fingerprint,
    /// The stages of its ladder.
    pub(crate) stages: Vec<StageResult>,
    /// What its checks against the baseline are judged by.
    pub(crate) judged_by: JudgedBy,
}

/// What checks against the baseline are judged by: the run decides, not the scenario that holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JudgedBy {
    /// The file that the scenario names.
    Baseline,
    /// B of the same run.
    OtherSide,
}

impl Subject {
    /// A run before its first request.
    pub(crate) fn planned(plan: &Plan) -> Self {
        Self {
            api: plan.target.api.name().to_owned(),
            model: plan.target.model.clone(),
            scenario: fingerprint(plan),
            stages: unstarted(plan).collect(),
            judged_by: JudgedBy::of(plan.against.as_ref()),
        }
    }

    /// A run that is over: what it was counts, not what its scenario is now.
    pub(crate) fn saved(run: &RunResult) -> Self {
        Self {
            api: run.api.clone(),
            model: run.model.clone(),
            scenario: run.scenario.clone(),
            stages: run.climbed().cloned().collect(),
            judged_by: JudgedBy::of(run.against.as_ref()),
        }
    }

    /// The same as a baseline asks for it, on the machine of this label.
    pub(crate) fn comparable<'a>(&'a self, testbed: &'a str) -> Comparable<'a> {
        Comparable {
            api: &self.api,
            model: self.model.as_deref(),
            testbed,
            workload: self.scenario.workload.as_ref(),
        }
    }
}

impl JudgedBy {
    fn of<T>(other_side: Option<&T>) -> Self {
        if other_side.is_some() { Self::OtherSide } else { Self::Baseline }
    }
}

/// The stages of a plan that did not run, each once: those of A, where there are two sides.
pub(crate) fn unstarted(plan: &Plan) -> impl Iterator<Item = StageResult> {
    let skipped = |frame| StageRecorder::new(frame).finish(StageStatus::Skipped, &ClientLook::default());
    engine::unstarted(plan).into_iter().take(plan.load.stages.len()).map(skipped)
}
