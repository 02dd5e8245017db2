//! What a run must add up to. Asked of every run in every build: a number that nobody adds up is wrong one day.

use measure::Sample;
use measure::result::{StageResult, StageStatus};
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
    /// Of a stage's arrivals those that never found a slot.
    dropped: u64,
    /// Tokens of every attempt, whatever became of it, as far as they were told.
    tokens: Spent,
    /// The first stage that ran to its end with another number of requests than it was to have.
    not_whole: Option<NotWhole>,
}

/// Tokens that were paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// Of prompts.
    pub input: u64,
    /// Of answers, also of those that failed on the way.
    pub output: u64,
}

/// A stage that was to have `wanted` requests and held `held`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NotWhole {
    wanted: u64,
    held: u64,
}

impl Accounts {
    /// A request ended.
    pub(crate) fn take(&mut self, sample: &Sample) {
        for attempt in &sample.attempts {
            let of = |tokens: Option<u64>| tokens.unwrap_or(0);
            self.tokens.input = self.tokens.input.saturating_add(of(attempt.tokens.input));
            self.tokens.output = self.tokens.output.saturating_add(of(attempt.tokens.output));
        }
        match sample.phase {
            Phase::Preflight => self.preflight += 1,
            Phase::WarmUp => self.warm_up += 1,
            Phase::Ramp => self.ramp += 1,
            Phase::Measure | Phase::Drain => self.measure += 1,
        }
    }

    /// The tokens of all attempts so far.
    pub(crate) fn spent(&self) -> Spent {
        self.tokens
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

    /// A stretch of stages is over: so many of its arrivals never found a slot.
    pub(crate) fn dropped(&mut self, requests: u64) {
        self.dropped += requests;
    }

    /// A stage ran to its end: as many requests as it counts were to be there.
    pub(crate) fn complete(&mut self, wanted: Option<u64>, stage: &StageResult) {
        let held = stage.counts.planned;
        let wrong = wanted.filter(|wanted| stage.status == StageStatus::Complete && *wanted != held);
        self.not_whole = self.not_whole.or(wrong.map(|wanted| NotWhole { wanted, held }));
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
            ("dropped requests and those of the stages", self.dropped, sum(|stage| stage.counts.dropped)),
        ];
        let wrong = sums.into_iter().find(|(_, one, other)| one != other);
        let wrong = wrong.map(|(what, one, other)| format!("{what}: {one} and {other}"));
        let unbalanced = || stages.iter().find(|stage| !stage.counts.balance());
        let not_whole = self
            .not_whole
            .map(|NotWhole { wanted, held }| format!("a stage of {wanted} requests held {held}"));
        wrong
            .or(not_whole)
            .or_else(|| unbalanced().map(|stage| format!("stage {}: {:?}", stage.name, stage.counts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sum_that_is_wrong_is_found() {
        let sound = Accounts { preflight: 1, arrived: 5, started: 3, unstarted: 2, ..Accounts::default() };
        assert_eq!(sound.fault(1, &[]), None);
        let wrong = [
            Accounts { preflight: 2, ..sound },
            Accounts { preflight: 0, warm_up: 1, ..sound },
            Accounts { preflight: 0, ramp: 1, ..sound },
            Accounts { preflight: 0, measure: 1, ..sound },
            Accounts { arrived: 6, ..sound },
            Accounts { dropped: 2, ..sound },
            Accounts { not_whole: Some(NotWhole { wanted: 3, held: 2 }), ..sound },
        ];
        let found: Vec<String> = wrong.iter().filter_map(|accounts| accounts.fault(1, &[])).collect();
        assert_eq!(found.len(), wrong.len(), "{found:?}");
        assert_eq!(found[6], "a stage of 3 requests held 2");
    }
}
