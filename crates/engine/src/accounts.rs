//! What a run must add up to. Asked of every run in every build: a number that nobody adds up is wrong one day.

use measure::Sample;
use measure::result::StageResult;
use measure::sample::Phase;

/// Requests as they came in, phase by phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Accounts {
    preflight: u64,
    warm_up: u64,
    ramp: u64,
    measure: u64,
    /// Arrivals of open loops that had no request: still waiting when nothing more could start, or refused by the cap.
    unstarted: u64,
    /// Arrivals of open loops.
    arrived: u64,
    /// Requests of open loops.
    started: u64,
}

impl Accounts {
    /// A request ended.
    pub(crate) fn take(&mut self, sample: &Sample) {
        match sample.phase {
            Phase::Preflight => self.preflight += 1,
            Phase::WarmUp => self.warm_up += 1,
            Phase::Ramp => self.ramp += 1,
            Phase::Measure | Phase::Drain => self.measure += 1,
        }
    }

    /// All requests that ended.
    pub(crate) fn seen(&self) -> u64 {
        self.preflight + self.warm_up + self.ramp + self.measure
    }

    /// An open loop is over: so many were due, so many of them started.
    pub(crate) fn open_loop(&mut self, arrived: u64, started: u64, unstarted: u64) {
        self.arrived += arrived;
        self.started += started;
        self.unstarted += unstarted;
    }

    /// The first sum that is wrong. `issued` requests were allowed to start.
    pub(crate) fn fault(&self, issued: u64, stages: &[StageResult]) -> Option<String> {
        let sum = |of: fn(&StageResult) -> u64| stages.iter().map(of).sum::<u64>();
        let sums = [
            ("requests that started and requests that ended", issued, self.seen()),
            (
                "warm-up requests and those of the stages",
                self.warm_up,
                sum(|stage| stage.phase_counts.warm_up),
            ),
            ("ramp requests and those of the stages", self.ramp, sum(|stage| stage.phase_counts.ramp)),
            ("measured requests and those of the stages", self.measure, sum(|stage| stage.counts.started)),
            ("arrivals, and requests with dropped ones", self.arrived, self.started + self.unstarted),
        ];
        let wrong = sums.into_iter().find(|(_, one, other)| one != other);
        let wrong = wrong.map(|(what, one, other)| format!("{what}: {one} and {other}"));
        let unbalanced = || stages.iter().find(|stage| !stage.counts.balance());
        wrong.or_else(|| unbalanced().map(|stage| format!("stage {}: {:?}", stage.name, stage.counts)))
    }
}
