//! Stages that run on without a drain between them: a step and the ramps that follow it. Most often a single step.

use std::sync::atomic::AtomicU64;

use measure::result::StageStatus;
use measure::sample::Phase;
use measure::stage::{ClientLook, Closing, StageFrame, StageRecorder};
use measure::{Offset, Sample};
use scenario::plan::{Stage, StageEnd, ThinkTime, WarmUp, Work};

use crate::intake::Intake;
use crate::load::{Arrivals, Crew, Draw, Ends, Gate, Leg, Shifts, Timetable};

/// The legs of stages that begin at a moment, one after another.
pub(crate) fn timetable(stages: &[Stage], first: usize, starts_at: Offset) -> Timetable {
    let mut from = starts_at;
    let mut legs = stages.iter().enumerate().map(|(at, stage)| {
        let leg = leg(stage, first + at, from);
        from = leg.until.unwrap_or(from);
        leg
    });
    let first = legs.next().unwrap_or(Leg {
        stage: None,
        from: starts_at,
        measured_from: starts_at,
        until: Some(starts_at),
        only: None,
        think_time: ThinkTime::default(),
    });
    let mut timetable = Timetable::of(first);
    legs.for_each(|leg| timetable.then(leg));
    timetable
}

fn leg(stage: &Stage, index: usize, from: Offset) -> Leg {
    let think_time = match stage.work {
        Work::Users { think_time, .. } => think_time,
        Work::Arrivals { .. } => ThinkTime::default(),
    };
    let leg = Leg { stage: Some(index), from, measured_from: from, until: None, only: None, think_time };
    match stage.end {
        StageEnd::After(duration) => {
            let measured_from = from + stage.ramp_up();
            Leg { measured_from, until: Some(measured_from + duration), ..leg }
        }
        // A stage that counts its requests measures every one of them, also those of the ramp.
        StageEnd::Requests(_) | StageEnd::OnePerUser => leg,
    }
}

/// What ends the tickets of a stretch beside its time.
pub(crate) fn ends(stages: &[Stage]) -> Ends {
    match stages.first().map(|stage| stage.end) {
        Some(StageEnd::Requests(n)) => Ends::Count(AtomicU64::new(n)),
        Some(StageEnd::OnePerUser) => Ends::OnceEach,
        Some(StageEnd::After(_)) | None => Ends::ByTime,
    }
}

/// Who sends in a stretch.
pub(crate) fn crew(stages: &[Stage], draw: Draw) -> Crew {
    let most = stages.iter().map(Stage::most_open).max().unwrap_or(0);
    match Arrivals::of(stages, draw) {
        Some(arrivals) => Crew::Arrivals(arrivals, Gate::new(most)),
        None => Crew::Users(Shifts::of(stages)),
    }
}

/// The warm-up: the load of the first stage, which has this index, at its most, for another time or number of requests.
pub(crate) fn warm_up(warm_up: WarmUp, first: &Stage, index: usize, starts_at: Offset) -> (Stage, Leg) {
    let stage = first.held(match warm_up {
        WarmUp::For(time) => StageEnd::After(time),
        WarmUp::Requests(n) => StageEnd::Requests(n),
    });
    let leg =
        Leg { only: Some(Phase::WarmUp), think_time: ThinkTime::default(), ..leg(&stage, index, starts_at) };
    (stage, leg)
}

/// The recorders of a stretch.
pub(crate) struct Recorders {
    first: usize,
    stages: Vec<StageRecorder>,
}

impl Recorders {
    pub(crate) fn new(first: usize, frames: &[StageFrame]) -> Self {
        Self { first, stages: frames.iter().cloned().map(StageRecorder::new).collect() }
    }

    /// What was sent before the first stage is counted with it, as its own phase.
    pub(crate) fn warmed_up(&mut self, samples: &[Sample]) {
        for recorder in self.stages.iter_mut().take(1) {
            samples.iter().for_each(|sample| recorder.record(sample));
        }
    }

    /// Requests that were due and never found a slot, in the stage that was running when nothing more could start.
    pub(crate) fn dropped(&mut self, stage: usize, requests: u64) {
        if let Some(recorder) = stage.checked_sub(self.first).and_then(|at| self.stages.get_mut(at)) {
            recorder.dropped(requests);
        }
    }

    /// How the stages ended, in order; `status` and `look` by the stage's place in the stretch.
    pub(crate) fn closings(
        &self,
        status: impl Fn(usize) -> StageStatus,
        looks: &[ClientLook],
    ) -> Vec<Closing> {
        let closing = |(at, recorder): (usize, &StageRecorder)| {
            recorder.closing(status(at), looks.get(at).cloned().unwrap_or_default())
        };
        self.stages.iter().enumerate().map(closing).collect()
    }

    /// One by one.
    pub(crate) fn into_stages(self) -> impl Iterator<Item = StageRecorder> {
        self.stages.into_iter()
    }
}

impl Intake for Recorders {
    fn take(&mut self, sample: Sample) {
        for (at, recorder) in self.stages.iter_mut().enumerate() {
            match sample.stage == Some(self.first + at) {
                true => recorder.record(&sample),
                // A request that ran on into another stage was open there, and brought tokens there.
                false => recorder.witness(&sample),
            }
        }
    }

    fn cut(&mut self, at: Offset) {
        self.stages.iter_mut().for_each(|recorder| recorder.cut(at));
    }
}

/// How far a stretch came.
pub(crate) struct Ended {
    /// Index of its first stage.
    pub(crate) first: usize,
    /// The stage in which a check of the stop rule broke.
    pub(crate) breached: Option<usize>,
    /// When nothing more could start, if that was before its end.
    pub(crate) cut_at: Option<Offset>,
}

impl Ended {
    /// How far the stage at this place in the stretch came.
    pub(crate) fn status(&self, timetable: &Timetable, at: usize) -> StageStatus {
        let leg = timetable.leg(at);
        match self.cut_at {
            _ if self.breached == Some(self.first + at) => StageStatus::Stopped,
            Some(cut_at) if at > 0 && cut_at <= leg.from => StageStatus::Skipped,
            // A stop that came while it drained did not cut it short.
            Some(cut_at) if leg.until.is_none_or(|until| cut_at < until) => StageStatus::Incomplete,
            Some(_) | None => StageStatus::Complete,
        }
    }

    /// The stage that ran when nothing more could start.
    pub(crate) fn running(&self, timetable: &Timetable, now: Offset) -> usize {
        self.first + timetable.leg_at(self.cut_at.unwrap_or(now))
    }
}
