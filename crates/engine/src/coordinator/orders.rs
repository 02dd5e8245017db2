//! What is ordered: the one request before load, the warm-up, and stages that follow one another without a drain.

use std::sync::atomic::AtomicU64;

use measure::Sample;
use measure::gate::Rolling;
use measure::result::{StageResult, StageStatus};
use measure::sample::Phase;
use measure::stage::{Round, StageFrame};
use scenario::plan::{Retry, Stage, ThinkTime, WarmUp};

use super::{Coordinator, Job};
use crate::EngineError;
use crate::frame::{frame, unstarted};
use crate::load::{Crew, Ends, Leg, Shifts, Timetable};
use crate::observe::BeforeLoad;
use crate::stretch::{self, Ended, Recorders};

impl Coordinator<'_> {
    pub(crate) async fn preflight(&mut self) -> Result<Option<Sample>, EngineError> {
        let starts_at = self.soon();
        let leg = Leg {
            stage: None,
            from: starts_at,
            measured_from: starts_at,
            until: None,
            only: Some(Phase::Preflight),
            think_time: ThinkTime::default(),
        };
        Ok(self
            .before_load(leg, Crew::Users(Shifts::at_once(1)), Ends::Count(AtomicU64::new(1)))
            .await?
            .pop())
    }

    /// What the first stage holds at its most, outside every statistic.
    pub(crate) async fn warm_up(&mut self, warm_up: WarmUp) -> Result<(), EngineError> {
        self.announce(BeforeLoad::WarmUp);
        let Some(first) = self.plan.load.stages.first() else { return Ok(()) };
        let (stage, leg) = stretch::warm_up(warm_up, first, self.soon());
        let stages = std::slice::from_ref(&stage);
        self.warmed_up =
            self.before_load(leg, stretch::crew(stages, self.plan.seed), stretch::ends(stages)).await?;
        Ok(())
    }

    /// What the warm-up brought.
    pub(crate) fn warmed_up(&self) -> &[Sample] {
        &self.warmed_up
    }

    async fn before_load(&mut self, leg: Leg, crew: Crew, ends: Ends) -> Result<Vec<Sample>, EngineError> {
        let mut samples = Vec::new();
        let job = Job {
            timetable: Timetable::of(leg),
            crew,
            ends,
            // What comes before load is to show the target as it is.
            cancel: None,
            retry: Retry { max: 0, ..self.plan.load.retry.clone() },
            cut_at: None,
            watch: None,
        };
        self.carry_out(job, &[], &mut samples).await?;
        Ok(samples)
    }

    /// Runs stages that follow one another without a drain; `round` is that of the first, where they are not run for the
    /// first time. Gives the numbers of this passage alone.
    pub(crate) async fn stretch(
        &mut self,
        stages: &[Stage],
        round: Option<Round>,
    ) -> Result<Vec<StageResult>, EngineError> {
        let first = self.passed.len();
        let timetable = stretch::timetable(stages, first, self.soon());
        let frames: Vec<StageFrame> = stages
            .iter()
            .zip(timetable.legs())
            .enumerate()
            .map(|(at, (stage, leg))| StageFrame {
                round: round.map(|round| Round { of: round.of + at, ..round }),
                ..frame(stage, [leg.from, leg.measured_from], self.keys, Some(self.plan))
            })
            .collect();
        let rules = &self.plan.load.stop;
        let rolling = frames
            .first()
            .filter(|_| !rules.is_empty())
            .map(|first| Rolling::new(rules.clone(), first.clone()));
        let mut recorders = Recorders::new(first, &frames);
        if first == 0 {
            recorders.warmed_up(&std::mem::take(&mut self.warmed_up));
        }
        let job = Job {
            crew: stretch::crew(stages, self.plan.seed),
            ends: stretch::ends(stages),
            cancel: self.plan.load.cancel,
            retry: self.plan.load.retry.clone(),
            cut_at: timetable.end().map(|end| end + self.plan.load.drain_timeout),
            watch: rolling,
            timetable: timetable.clone(),
        };
        let legs: Vec<_> = stages.iter().zip(frames).collect();
        let carried = self.carry_out(job, &legs, &mut recorders).await?;
        let ended = Ended {
            first,
            breached: self.breach.as_ref().map(|breach| breach.stage),
            cut_at: carried.stopped_at.or_else(|| self.budget.spent_at()),
        };
        recorders.dropped(ended.running(&timetable, self.clock.now()), carried.arrivals.waiting);
        self.accounts.dropped(carried.arrivals.waiting);
        let closings = recorders.closings(|at| ended.status(&timetable, at), &carried.looks);
        if let (Some(round), Some(breach)) = (round, &mut self.breach) {
            breach.stage = breach.stage + round.of - first;
        }
        for (at, (recorder, closing)) in recorders.into_stages().zip(closings).enumerate() {
            // A stage that was to be measured again and was not is as it was.
            if round.is_some() && closing.status == StageStatus::Skipped {
                break;
            }
            self.observer.stage_ended(first + at, &closing);
            let result = self.passages.take(recorder, closing);
            self.accounts.complete(stages[at].requests(), &result);
            self.passed.push(result);
        }
        Ok(self.passed[first..].to_vec())
    }

    /// Stages that do not run. What was sent before the first is counted with it all the same.
    pub(crate) fn skip(&mut self, stages: &[Stage]) {
        let first = self.passed.len();
        let frames: Vec<StageFrame> = stages.iter().map(unstarted).collect();
        let mut recorders = Recorders::new(first, &frames);
        if first == 0 {
            recorders.warmed_up(&std::mem::take(&mut self.warmed_up));
        }
        let closings = recorders.closings(|_| StageStatus::Skipped, &[]);
        for (recorder, closing) in recorders.into_stages().zip(closings) {
            self.passed.push(self.passages.take(recorder, closing));
        }
    }
}
