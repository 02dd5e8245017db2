//! The course of a run: preflight, warm-up, the rungs in order.

use jiff::Timestamp;
use measure::result::{CheckResult, RunStatus, StageDifference, StageResult, StageStatus};
use measure::stage::{ClientLook, Purpose, Round, Side, StageFrame, StageRecorder};
use measure::{ErrorClass, Sample};
use scenario::plan::{Endpoint, Plan, Search};

use crate::accounts::Spent;
use crate::before_load::before_load;
use crate::blocks;
use crate::coordinator::{Breached, Coordinator, Passage};
use crate::observe::Observer;
use crate::search::{Bisection, Proved, Shown};
use crate::stop::Stop;
use crate::{Clock, EngineError, frame};

/// What a run brought.
#[derive(Debug)]
pub struct Recording {
    /// How far it came.
    pub status: RunStatus,
    /// The last preflight request, if one was asked for.
    pub preflight: Option<Sample>,
    /// One per stage of the plan, also of those that never began.
    pub stages: Vec<StageResult>,
    /// What B brought, of an A/B run.
    pub against: Option<OtherSide>,
    /// Why the target cannot be used, if that ended the run.
    pub aborted: Option<Aborted>,
    /// The check of the stop rule that ended the climb, if one did.
    pub breached: Option<Breached>,
    /// What the search proved, if there was one. Its stages follow those of the ladder.
    pub proved: Option<Proved>,
    /// Tokens of every attempt of both sides, preflight and warm-up included, as far as they were told.
    pub spent: Spent,
    /// The cap on requests, if it ended the run.
    pub spent_cap: Option<u64>,
    /// What does not add up: a fault of this program, and a reason not to trust the numbers.
    pub unaccounted: Option<String>,
    /// UTC.
    pub started_at: Timestamp,
    /// UTC.
    pub finished_at: Timestamp,
    /// Worker threads used.
    pub workers: usize,
}

/// The other side of an A/B run.
#[derive(Debug, Default)]
pub struct OtherSide {
    /// The last preflight request, if one was asked for.
    pub preflight: Option<Sample>,
    /// One per stage of the plan, also of those that never began.
    pub stages: Vec<StageResult>,
    /// By how much A differs from it, stage by stage.
    pub differences: Vec<StageDifference>,
}

/// The addresses of a run.
#[derive(Debug, Clone, Copy)]
pub struct Endpoints<'a> {
    /// Of the target.
    pub a: &'a Endpoint,
    /// Of the other side of an A/B run.
    pub b: Option<&'a Endpoint>,
}

impl<'a> From<&'a Endpoint> for Endpoints<'a> {
    fn from(a: &'a Endpoint) -> Self {
        Self { a, b: None }
    }
}

impl Recording {
    fn begin(settings: Settings) -> Self {
        let started_at = settings.clock.wall(settings.clock.now());
        Self {
            status: RunStatus::Completed,
            preflight: None,
            stages: Vec::new(),
            against: None,
            aborted: None,
            breached: None,
            proved: None,
            spent: Spent::default(),
            spent_cap: None,
            unaccounted: None,
            started_at,
            finished_at: started_at,
            workers: settings.workers.max(1),
        }
    }

    /// Where the preflight of a side goes.
    pub(crate) fn preflight_of(&mut self, side: Side) -> &mut Option<Sample> {
        match (side, &mut self.against) {
            (Side::B, Some(against)) => &mut against.preflight,
            _ => &mut self.preflight,
        }
    }

    /// What there is of a run that ends before its first request.
    pub fn unstarted(plan: &Plan, settings: Settings) -> Self {
        let skip = |frame| StageRecorder::new(frame).finish(StageStatus::Skipped, &ClientLook::default());
        let mut stages: Vec<_> = unstarted(plan).into_iter().map(skip).collect();
        let of_b = stages.split_off(plan.load.stages.len());
        let against = plan.against.as_ref().map(|_| OtherSide { stages: of_b, ..OtherSide::default() });
        Self { status: RunStatus::Interrupted, stages, against, ..Self::begin(settings) }
    }
}

/// The stages of a plan before they begin, by index; of an A/B run the first blocks of A, then those of B.
pub fn unstarted(plan: &Plan) -> Vec<StageFrame> {
    match plan.against {
        Some(_) => blocks::unstarted(&plan.load.stages),
        None => plan.load.stages.iter().map(frame::unstarted).collect(),
    }
}

/// Why the target cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aborted {
    /// Whose target it is.
    pub side: Side,
    /// In which phase it showed.
    pub during: During,
    /// The class of the failure.
    pub class: ErrorClass,
    /// Status of the answer, if one came.
    pub status: Option<u16>,
    /// What the server said, or what happened; masked.
    pub message: String,
}

/// Where a run was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum During {
    /// The one request before load.
    Preflight,
    /// The warm-up.
    WarmUp,
    /// Load: twenty requests in a row were refused for a reason that load does not explain.
    Load,
}

/// How a run is carried out, beside what the plan says.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Worker threads, at least 1.
    pub workers: usize,
    /// The run's time.
    pub clock: Clock,
}

/// Runs a plan against an address, or an A/B plan against two.
///
/// # Errors
/// Only when this program or machine cannot do its job; whatever the server does is in the recording.
pub async fn run(
    plan: &Plan,
    endpoints: impl Into<Endpoints<'_>>,
    settings: Settings,
    observer: &mut dyn Observer,
    stop: Stop,
) -> Result<Recording, EngineError> {
    crate::limits::raise(plan)?;
    let mut coordinator = Coordinator::start(plan, endpoints.into(), settings, observer, stop)?;
    let mut recording = Recording::begin(settings);
    climb(plan, &mut coordinator, &mut recording).await?;
    recording.spent = coordinator.spent();
    recording.spent_cap = coordinator.spent_cap();
    recording.unaccounted = coordinator.unaccounted();
    recording.finished_at = settings.clock.wall(settings.clock.now());
    Ok(recording)
}

/// Tries everything that a run needs from this machine and can be known without sending: headers, certificates, names.
///
/// # Errors
/// The error that [`run`] would end with at once.
pub fn rehearse(plan: &Plan, endpoint: &Endpoint) -> Result<(), EngineError> {
    crate::caller::Caller::new(&plan.target, endpoint, Clock::start()).map(|_| ())
}

async fn climb(
    plan: &Plan,
    coordinator: &mut Coordinator<'_>,
    recording: &mut Recording,
) -> Result<(), EngineError> {
    recording.against = plan.against.as_ref().map(|_| OtherSide::default());
    before_load(plan, coordinator, recording).await?;
    if plan.against.is_some() {
        blocks::alternate(plan, coordinator, recording).await?;
    } else {
        for number in 1..=plan.gate.repeats {
            round(plan, number, coordinator, recording).await?;
        }
        confirm(plan, coordinator, recording).await?;
    }
    recording.breached = coordinator.breach().cloned();
    if let Some(plan) = &plan.load.search {
        search(plan, coordinator, recording).await?;
    }
    recording.stages = coordinator.results();
    if let Some(against) = &mut recording.against {
        (against.stages, against.differences) = coordinator.against();
    }
    recording.status = match (&recording.aborted, coordinator.is_stopped()) {
        (Some(_), _) => RunStatus::Aborted,
        (None, true) => RunStatus::Interrupted,
        (None, false) => RunStatus::Completed,
    };
    Ok(())
}

/// Climbs the ladder once. What a first round does not reach is skipped; of a further one it is not there.
async fn round(
    plan: &Plan,
    number: u32,
    coordinator: &mut Coordinator<'_>,
    recording: &mut Recording,
) -> Result<(), EngineError> {
    let planned = unstarted(plan);
    for range in plan.load.stretches() {
        let stages = &plan.load.stages[range.clone()];
        let again = (number > 1).then_some(Round { of: range.start, number, purpose: Purpose::Measure });
        let goes_on = goes_on(coordinator, recording);
        if goes_on && (range.start > 0 || number > 1) {
            coordinator.rest().await;
        }
        match (goes_on && !coordinator.is_stopped(), again) {
            (true, round) => {
                let index = round.map_or(range.start, |_| coordinator.further(stages.len()));
                coordinator.stretch(Passage { stages, index, round }).await?;
            }
            (false, None) => coordinator.skip(range.start, &planned[range]),
            (false, Some(_)) => return Ok(()),
        }
        recording.aborted = recording.aborted.take().or_else(|| coordinator.dead_key());
    }
    Ok(())
}

/// Nothing has ended the climb.
pub(crate) fn goes_on(coordinator: &Coordinator<'_>, recording: &Recording) -> bool {
    recording.aborted.is_none() && !coordinator.is_spent() && coordinator.breach().is_none()
}

/// Measures stages again on which a check fails, until none does or it did so as often as was asked for.
async fn confirm(
    plan: &Plan,
    coordinator: &mut Coordinator<'_>,
    recording: &mut Recording,
) -> Result<(), EngineError> {
    for time in 0..plan.gate.confirm {
        let doubtful = coordinator.doubtful();
        for range in plan.load.stretches() {
            let doubted = doubtful.iter().any(|stage| range.contains(stage));
            if !doubted || !goes_on(coordinator, recording) || coordinator.is_stopped() {
                continue;
            }
            coordinator.rest().await;
            let number = plan.gate.repeats + time + 1;
            let round = Some(Round { of: range.start, number, purpose: Purpose::Confirm });
            let (index, stages) = (coordinator.further(range.len()), &plan.load.stages[range]);
            coordinator.stretch(Passage { stages, index, round }).await?;
            recording.aborted = coordinator.dead_key();
        }
    }
    Ok(())
}

/// Bisects between what holds and what breaks; what the ladder showed counts.
async fn search(
    plan: &Search,
    coordinator: &mut Coordinator<'_>,
    recording: &mut Recording,
) -> Result<(), EngineError> {
    let mut bisection = Bisection::new(plan);
    for stage in &coordinator.results() {
        let shown = shown(stage, plan);
        if shown != Shown::Nothing
            && let Some(amount) = comparable(stage, plan)
        {
            bisection.learn(amount, shown);
        }
    }
    while let Some(users) = bisection.next() {
        let goes_on = recording.aborted.is_none() && !coordinator.is_spent() && !coordinator.is_stopped();
        if !goes_on {
            break;
        }
        coordinator.rest().await;
        coordinator.forget_breach();
        let (index, stage) = (coordinator.further(1), plan.stage(users));
        let passage = Passage { stages: std::slice::from_ref(&stage), index, round: None };
        let stages = coordinator.stretch(passage).await?;
        stages.iter().for_each(|stage| bisection.learn(users, shown(stage, plan)));
        recording.aborted = coordinator.dead_key();
    }
    recording.proved = Some(bisection.proved());
    Ok(())
}

/// The level of a stage that shows the same as a stage of the search: a step in its unit, and a whole number.
fn comparable(stage: &StageResult, plan: &Search) -> Option<u32> {
    let amount = stage.level().amount().get();
    let same = stage.is_step() && stage.level().unit() == plan.stage.level().unit() && amount.fract() == 0.0;
    same.then_some(amount as u32)
}

fn shown(stage: &StageResult, plan: &Search) -> Shown {
    let lines = measure::gate::judge(&plan.checks, std::slice::from_ref(stage), None).checks;
    let any = |result| lines.iter().any(|line| line.result == result);
    // A rate that was not offered has not held, whatever the requests that did start show.
    if stage.status == StageStatus::Stopped || any(CheckResult::Fail) || !measure::reach::reached(stage) {
        Shown::Breaks
    } else if any(CheckResult::NoData) || any(CheckResult::Inconclusive) {
        Shown::Nothing
    } else {
        Shown::Holds
    }
}
