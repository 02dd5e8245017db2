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
}

impl Subject {
    /// A run before its first request.
    pub(crate) fn planned(plan: &Plan) -> Self {
        Self {
            api: plan.target.api.name().to_owned(),
            model: plan.target.model.clone(),
            scenario: fingerprint(plan),
            stages: unstarted(plan).collect(),
        }
    }

    /// A run that is over: what it was counts, not what its scenario is now.
    pub(crate) fn saved(run: &RunResult) -> Self {
        Self {
            api: run.api.clone(),
            model: run.model.clone(),
            scenario: run.scenario.clone(),
            stages: run.climbed().cloned().collect(),
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

/// The stages of a plan that did not run.
pub(crate) fn unstarted(plan: &Plan) -> impl Iterator<Item = StageResult> {
    let skipped = |frame| StageRecorder::new(frame).finish(StageStatus::Skipped, &ClientLook::default());
    engine::unstarted(plan).into_iter().map(skipped)
}
