//! Gives orders to the workers, takes in what they report, and keeps time for stop and drain.

mod orders;
mod sides;

use std::sync::Arc;
use std::time::Duration;

use measure::gate::{Breach, Rolling};
use measure::result::{StageDifference, StageResult};
use measure::sample::Phase;
use measure::stage::{ClientLook, Passages, Side, StageFrame};
use measure::{ErrorGroup, Offset, Outcome, Sample};
use scenario::plan::{Cancel, Plan, Retry, Stage};
use tokio::time::{sleep, sleep_until};

use crate::EngineError;
use crate::accounts::{Accounts, Spent};
use crate::before_load::refused;
use crate::clock::Clock;
use crate::course::Course;
use crate::frame::merge;
use crate::intake::Intake;
use crate::load::{Budget, Crew, Draw, Ends, GateCounts, Order, Pairs, Report, Schedule, Timetable, Turns};
use crate::observe::{BeforeLoad, Observer};
use crate::run::{Aborted, During, Endpoints, Settings};
use crate::stop::{Stop, Stopper, Urgency, stop};

pub(crate) use self::orders::Passage;
use self::sides::Sides;

/// So many refusals by configuration in a row: a key died.
const DEAD_KEY: u32 = 20;
/// From giving an order to its first user: time for every worker to take it up.
const LEAD: Duration = Duration::from_millis(5);

pub(crate) struct Coordinator<'a> {
    plan: &'a Plan,
    clock: Clock,
    sides: Sides,
    budget: Arc<Budget>,
    observer: &'a mut dyn Observer,
    stop: Stop,
    dead_key: Option<Aborted>,
    breach: Option<Breached>,
    accounts: Accounts,
    /// The stages, from all passages over them.
    passages: Passages,
    /// Every passage by itself, in order.
    passed: Vec<StageResult>,
    /// Whose turn it is among rows and keys, of an A/B run.
    pairs: Pairs,
    /// Index of the next passage that the plan does not list.
    further: usize,
}

/// A check of the stop rule that did not hold, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Breached {
    /// Index of the stage in the plan.
    pub stage: usize,
    /// Whose requests broke it.
    pub side: Side,
    /// Which check, and by how much.
    pub breach: Breach,
    /// When it was seen.
    pub at: Offset,
}

/// What an order is for.
struct Job {
    side: Side,
    draw: Draw,
    turns: Turns,
    timetable: Timetable,
    crew: Crew,
    ends: Ends,
    cancel: Option<Cancel>,
    retry: Retry,
    /// When what still runs is cut.
    cut_at: Option<Offset>,
    /// What ends it early.
    watch: Option<Rolling>,
}

/// A stage of an order, and what its requests are counted in.
type Part<'a> = (&'a Stage, StageFrame);

/// What an order brought beside its samples.
struct Carried {
    /// By leg.
    looks: Vec<ClientLook>,
    stopped_at: Option<Offset>,
    /// What became of the arrivals of an open loop.
    arrivals: GateCounts,
    /// The first turn that nobody had, where the order has turns of its own.
    turn: Option<u64>,
    /// What watched it, unless it saw a breach.
    watch: Option<Rolling>,
}

impl<'a> Coordinator<'a> {
    pub(crate) fn start(
        plan: &'a Plan,
        endpoints: Endpoints<'_>,
        settings: Settings,
        observer: &'a mut dyn Observer,
        stop: Stop,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            plan,
            clock: settings.clock,
            sides: Sides::start(plan, endpoints, settings)?,
            budget: Arc::new(Budget::new(plan.load.max_requests)),
            observer,
            stop,
            dead_key: None,
            breach: None,
            accounts: Accounts::default(),
            passages: Passages::default(),
            passed: Vec::new(),
            pairs: Pairs::default(),
            further: crate::run::unstarted(plan).len(),
        })
    }

    pub(crate) fn announce(&mut self, phase: BeforeLoad, side: Side) {
        self.observer.before_load(phase, side);
    }

    /// The indices of so many passages that the plan does not list; gives the first.
    pub(crate) fn further(&mut self, passages: usize) -> usize {
        let first = self.further;
        self.further += passages;
        first
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.urgency() > Urgency::None
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// Why load was given up, if it was.
    pub(crate) fn dead_key(&self) -> Option<Aborted> {
        self.dead_key.clone()
    }

    /// What ended the climb, if anything did.
    pub(crate) fn breach(&self) -> Option<&Breached> {
        self.breach.as_ref()
    }

    /// What does not add up; nothing, or there is a fault in this program.
    pub(crate) fn unaccounted(&self) -> Option<String> {
        self.accounts.fault(self.budget.issued(), &self.passed)
    }

    /// Tokens of everything that was sent.
    pub(crate) fn spent(&self) -> Spent {
        self.accounts.spent()
    }

    /// The stages as far as the run came.
    pub(crate) fn results(&self) -> Vec<StageResult> {
        self.passages.results()
    }

    /// B of an A/B run: its stages as far as the run came, and what differs.
    pub(crate) fn against(&self) -> (Vec<StageResult>, Vec<StageDifference>) {
        (self.passages.others(), self.passages.differences())
    }

    /// Which of the stages whoever watches doubts.
    pub(crate) fn doubtful(&mut self) -> Vec<usize> {
        self.observer.doubtful(&self.passages.results())
    }

    /// Forgets it: a stage of a search that breaks ends nothing but itself.
    pub(crate) fn forget_breach(&mut self) {
        self.breach = None;
    }

    /// The cap on requests, if it ended the run.
    pub(crate) fn spent_cap(&self) -> Option<u64> {
        self.plan.load.max_requests.filter(|_| self.is_spent())
    }

    /// Waits, unless the run is to end.
    pub(crate) async fn pause(&mut self, pause: Duration) {
        tokio::select! {
            () = sleep(pause) => {}
            () = self.stop.reached(Urgency::Drain) => {}
        }
    }

    /// The pause between two stages.
    pub(crate) async fn rest(&mut self) {
        self.pause(self.plan.load.cool_down).await;
    }

    fn soon(&self) -> Offset {
        self.clock.now() + LEAD
    }

    /// Gives an order and takes in reports until every worker is done.
    async fn carry_out(
        &mut self,
        job: Job,
        parts: &[Part<'_>],
        intake: &mut dyn Intake,
    ) -> Result<Carried, EngineError> {
        let (stopper, order_stop) = stop();
        let mut watch = job.watch;
        let schedule = Schedule::new(job.timetable, job.ends, Arc::clone(&self.budget));
        let order = Arc::new(Order {
            starts_at: schedule.timetable().leg(0).from,
            crew: job.crew,
            schedule,
            cancel: job.cancel,
            retry: job.retry,
            stop: order_stop,
            seed: job.draw.seed,
            turns: job.turns,
        });
        let mut course = Course::new(Arc::clone(&order), job.cut_at);
        let seen_before = self.accounts.seen();
        self.announce_stage(parts, &course);
        self.sides.of(job.side).workers.give(&order)?;
        let mut looks = Vec::new();
        while looks.len() < self.sides.of(job.side).workers.count() {
            let event = self.next(job.side, &course).await?;
            // From here on nothing new starts: what still comes is drained, and no part of the window.
            if let Some(at) = course.ended_early(self.budget.spent_at()) {
                intake.cut(at);
            }
            match event {
                Event::Report(Report::Finished(sample)) => {
                    watch.iter_mut().for_each(|rolling| rolling.take(&sample));
                    self.take_in(*sample, job.side, intake, &stopper, &mut course);
                }
                Event::Report(Report::Done(look)) => looks.push(look),
                Event::Report(Report::Died) => return Err(EngineError::WorkerDied),
                Event::Tick => {
                    course.tick(self.observer, self.clock.now(), &self.sides.of(job.side).workers);
                    self.watch_for_breach(job.side, &mut watch, &stopper, &mut course);
                }
                Event::Leg => self.next_leg(parts, &mut course, &mut watch),
                Event::Cut => course.cut(&stopper),
                Event::Stop(urgency) => course.stop(urgency, self.clock.now(), &stopper),
            }
        }
        // A block may be over before the first look at it.
        if order.turns.reached().is_some() {
            self.watch_for_breach(job.side, &mut watch, &stopper, &mut course);
        }
        course.tick_last(self.observer, self.clock.now(), &self.sides.of(job.side).workers);
        let arrivals = order.arrivals();
        if arrivals.arrived > 0 {
            let started = self.accounts.seen() - seen_before;
            self.accounts.open_loop(arrivals.arrived, started, arrivals.waiting + arrivals.refused);
        }
        let turn = order.turns.reached();
        Ok(Carried { looks: merge(&looks), stopped_at: course.stopped_at, arrivals, turn, watch })
    }

    /// A stage follows on, unless nothing starts any more.
    fn next_leg(&mut self, parts: &[Part<'_>], course: &mut Course, watch: &mut Option<Rolling>) {
        course.next_leg();
        if course.stopped_at.is_some() {
            return;
        }
        if let (Some(rolling), Some((_, frame))) = (watch, parts.get(course.leg)) {
            rolling.enter(frame.clone());
        }
        self.announce_stage(parts, course);
    }

    fn announce_stage(&mut self, parts: &[Part<'_>], course: &Course) {
        if let (Some(index), Some((stage, frame))) = (course.stage(), parts.get(course.leg)) {
            self.observer.stage_started(index, stage, frame);
        }
    }

    async fn next(&mut self, side: Side, course: &Course) -> Result<Event, EngineError> {
        let further = match course.urgency {
            Urgency::None => Urgency::Drain,
            Urgency::Drain | Urgency::Now => Urgency::Now,
        };
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            report = self.sides.of_mut(side).workers.report() => Ok(Event::Report(report?)),
            () = stop.reached(further), if course.urgency < Urgency::Now => Ok(Event::Stop(stop.urgency())),
            () = wait_until(self.clock, course.cut_at) => Ok(Event::Cut),
            () = wait_until(self.clock, course.next_leg_at()) => Ok(Event::Leg),
            () = sleep_until(self.clock.deadline(course.next_tick)) => Ok(Event::Tick),
        }
    }

    fn take_in(
        &mut self,
        sample: Sample,
        side: Side,
        intake: &mut dyn Intake,
        stopper: &Stopper,
        course: &mut Course,
    ) {
        self.accounts.take(&sample);
        self.observer.sample(&sample);
        self.watch_for_dead_key(&sample, side);
        if self.dead_key.is_some() {
            course.stop(Urgency::Drain, self.clock.now(), stopper);
        }
        intake.take(sample);
    }

    /// Ends the order when the last seconds break a check.
    fn watch_for_breach(
        &mut self,
        side: Side,
        watch: &mut Option<Rolling>,
        stopper: &Stopper,
        course: &mut Course,
    ) {
        let now = self.clock.now();
        let breach = watch.as_mut().and_then(|rolling| rolling.breach(now));
        let (Some(breach), Some(stage)) = (breach, course.stage()) else { return };
        let breached = Breached { stage, side, breach, at: now };
        self.observer.breached(&breached);
        self.breach = Some(breached);
        *watch = None;
        course.end(now, self.plan.load.drain_timeout, stopper);
    }

    fn watch_for_dead_key(&mut self, sample: &Sample, side: Side) {
        let refusal = match sample.outcome() {
            Outcome::Failed(class) => class.group() == ErrorGroup::Config,
            Outcome::Cancelled => return,
            Outcome::Ok => false,
        };
        let senders = self.sides.of_mut(side);
        senders.refusals = if refusal { senders.refusals + 1 } else { 0 };
        let in_load = matches!(sample.phase, Phase::Ramp | Phase::Measure);
        if senders.refusals >= DEAD_KEY && in_load && self.dead_key.is_none() {
            self.dead_key = refused(sample, side, During::Load);
        }
    }
}

enum Event {
    Report(Report),
    Tick,
    /// The next stage of the order begins.
    Leg,
    Cut,
    Stop(Urgency),
}

async fn wait_until(clock: Clock, at: Option<Offset>) {
    match at {
        Some(at) => sleep_until(clock.deadline(at)).await,
        None => std::future::pending().await,
    }
}
