//! What is ordered: the one request before load, the warm-up, and stages that follow one another without a drain.

use std::sync::atomic::AtomicU64;

use measure::Sample;
use measure::gate::Rolling;
use measure::result::{StageResult, StageStatus};
use measure::sample::Phase;
use measure::stage::{Round, Side, StageFrame};
use scenario::plan::{Retry, Stage, ThinkTime, WarmUp};

use super::{Coordinator, Job};
use crate::EngineError;
use crate::frame::frame;
use crate::load::{Crew, Draw, Ends, Leg, Shifts, Timetable, Turns};
use crate::observe::BeforeLoad;
use crate::stretch::{self, Ended, Recorders};

/// Stages that follow one another without a drain, on one side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passage<'a> {
    pub(crate) stages: &'a [Stage],
    /// Index of the first.
    pub(crate) index: usize,
    /// That of the first; `None` where the stages are run as planned.
    pub(crate) round: Option<Round>,
}

impl Passage<'_> {
    fn side(&self) -> Side {
        self.round.map_or(Side::A, |round| round.side())
    }

    /// Whether it must be there in the end, however far it came.
    fn is_planned(&self) -> bool {
        self.round.is_none_or(|round| round.blocks().is_some() && round.number == 1)
    }
}

impl Coordinator<'_> {
    /// One request on a side. That of B belongs to its first stage, as that of A does to none.
    pub(crate) async fn preflight(&mut self, side: Side) -> Result<Option<Sample>, EngineError> {
        let starts_at = self.soon();
        let leg = Leg {
            stage: (side == Side::B).then(|| self.first_of(side)),
            from: starts_at,
            measured_from: starts_at,
            until: None,
            only: Some(Phase::Preflight),
            think_time: ThinkTime::default(),
        };
        let ends = Ends::Count(AtomicU64::new(1));
        Ok(self.before_load(side, leg, Crew::Users(Shifts::at_once(1)), ends).await?.pop())
    }

    /// What the first stage holds at its most, outside every statistic.
    pub(crate) async fn warm_up(&mut self, side: Side, warm_up: WarmUp) -> Result<(), EngineError> {
        self.announce(BeforeLoad::WarmUp, side);
        let Some(first) = self.plan.load.stages.first() else { return Ok(()) };
        let (stage, leg) = stretch::warm_up(warm_up, first, self.first_of(side), self.soon());
        let stages = std::slice::from_ref(&stage);
        let crew = stretch::crew(stages, Draw::of_run(self.plan.seed));
        self.sides.of_mut(side).warmed_up = self.before_load(side, leg, crew, stretch::ends(stages)).await?;
        Ok(())
    }

    /// Index of the first stage of a side.
    fn first_of(&self, side: Side) -> usize {
        match side {
            Side::A => 0,
            Side::B => self.plan.load.stages.len(),
        }
    }

    /// What the warm-up brought.
    pub(crate) fn warmed_up(&self, side: Side) -> &[Sample] {
        &self.sides.of(side).warmed_up
    }

    async fn before_load(
        &mut self,
        side: Side,
        leg: Leg,
        crew: Crew,
        ends: Ends,
    ) -> Result<Vec<Sample>, EngineError> {
        let mut samples = Vec::new();
        let job = Job {
            side,
            draw: Draw::of_run(self.plan.seed),
            turns: Turns::of_run(),
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

    /// Runs a passage; gives the numbers of it alone.
    pub(crate) async fn stretch(&mut self, passage: Passage<'_>) -> Result<Vec<StageResult>, EngineError> {
        let Passage { stages, index: first, round } = passage;
        let side = passage.side();
        let timetable = stretch::timetable(stages, first, self.soon());
        let keys = self.sides.of(side).keys;
        let frames: Vec<StageFrame> = stages
            .iter()
            .zip(timetable.legs())
            .enumerate()
            .map(|(at, (stage, leg))| StageFrame {
                round: round.map(|round| Round { of: round.of + at, ..round }),
                ..frame(stage, [leg.from, leg.measured_from], keys, Some(self.plan))
            })
            .collect();
        let (draw, turns) = match round.filter(|round| round.blocks().is_some()) {
            Some(Round { of, number, .. }) => {
                (Draw::of_pair(self.plan.seed, of, number), self.pairs.turns(of, number))
            }
            None => (Draw::of_run(self.plan.seed), Turns::of_run()),
        };
        let mut recorders = Recorders::new(first, &frames);
        recorders.warmed_up(&std::mem::take(&mut self.sides.of_mut(side).warmed_up));
        let job = Job {
            side,
            draw,
            turns,
            crew: stretch::crew(stages, draw),
            ends: stretch::ends(stages),
            cancel: self.plan.load.cancel,
            retry: self.plan.load.retry.clone(),
            cut_at: timetable.end().map(|end| end + self.plan.load.drain_timeout),
            watch: self.rolling(side, round, frames.first()),
            timetable: timetable.clone(),
        };
        let legs: Vec<_> = stages.iter().zip(frames).collect();
        let carried = self.carry_out(job, &legs, &mut recorders).await?;
        self.pairs.reached(carried.turn);
        self.sides.of_mut(side).watch = round.map(|round| round.of).zip(carried.watch);
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
        let mut passed = Vec::new();
        for (at, (recorder, closing)) in recorders.into_stages().zip(closings).enumerate() {
            // A stage that was to be measured again and was not is as it was.
            if !passage.is_planned() && closing.status == StageStatus::Skipped {
                break;
            }
            self.observer.stage_ended(first + at, &closing);
            let result = self.passages.take(recorder, closing);
            self.accounts.complete(stages[at].requests(), &result);
            passed.push(result);
        }
        self.passed.extend_from_slice(&passed);
        Ok(passed)
    }

    /// What watches a passage for the stop rule. The blocks of a stage are one to it.
    fn rolling(&mut self, side: Side, round: Option<Round>, first: Option<&StageFrame>) -> Option<Rolling> {
        let rules = &self.plan.load.stop;
        let first = first.filter(|_| !rules.is_empty())?;
        let block = round.filter(|round| round.blocks().is_some());
        let before =
            self.sides.of_mut(side).watch.take().filter(|(of, _)| block.is_some_and(|block| block.of == *of));
        Some(match before {
            Some((_, mut rolling)) => {
                rolling.enter(first.clone());
                rolling
            }
            None => Rolling::new(rules.clone(), first.clone()),
        })
    }

    /// Planned stages that do not run, the first of them with this index. What was sent before the first of all is counted
    /// with it all the same.
    pub(crate) fn skip(&mut self, first: usize, frames: &[StageFrame]) {
        let side = frames.first().and_then(|frame| frame.round).map_or(Side::A, |round| round.side());
        let mut recorders = Recorders::new(first, frames);
        recorders.warmed_up(&std::mem::take(&mut self.sides.of_mut(side).warmed_up));
        let closings = recorders.closings(|_| StageStatus::Skipped, &[]);
        for (recorder, closing) in recorders.into_stages().zip(closings) {
            self.passed.push(self.passages.take(recorder, closing));
        }
    }
}
