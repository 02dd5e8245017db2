//! Gives orders to the workers, takes in what they report, and keeps time for stop and drain.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use measure::gate::{Breach, Rolling};
use measure::result::{StageResult, StageStatus};
use measure::sample::Phase;
use measure::stage::{ClientLook, StageRecorder};
use measure::{ErrorGroup, Offset, Outcome, Sample};
use scenario::plan::{Cancel, Endpoint, Plan, Retry, Stage, StageEnd, ThinkTime, WarmUp};
use tokio::time::{sleep, sleep_until};

use crate::EngineError;
use crate::caller::Caller;
use crate::clock::Clock;
use crate::course::Course;
use crate::frame::{frame, merge};
use crate::intake::Intake;
use crate::load::{Budget, Order, Report, Rule, Schedule, Workers};
use crate::observe::{BeforeLoad, Observer};
use crate::run::{Aborted, During, Settings, refused};
use crate::stop::{Stop, Stopper, Urgency, stop};

/// So many refusals by configuration in a row: a key died.
const DEAD_KEY: u32 = 20;
/// From giving an order to its first user: time for every worker to take it up.
const LEAD: Duration = Duration::from_millis(5);

pub(crate) struct Coordinator<'a> {
    plan: &'a Plan,
    clock: Clock,
    workers: Workers,
    budget: Arc<Budget>,
    observer: &'a mut dyn Observer,
    stop: Stop,
    refusals: u32,
    dead_key: Option<Aborted>,
    breach: Option<Breached>,
    keys: usize,
}

/// A check of the stop rule that did not hold, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Breached {
    /// Index of the stage.
    pub stage: usize,
    /// Which check, and by how much.
    pub breach: Breach,
    /// When it was seen.
    pub at: Offset,
}

/// What an order is for.
struct Job {
    stage: Option<usize>,
    users: u32,
    ramp_up: Duration,
    think_time: ThinkTime,
    cancel: Option<Cancel>,
    retry: Retry,
    starts_at: Offset,
    rule: Rule,
    /// When what still runs is cut.
    cut_at: Option<Offset>,
    /// What ends it early.
    watch: Option<Rolling>,
}

/// What an order brought beside its samples.
struct Carried {
    look: ClientLook,
    stopped_at: Option<Offset>,
}

impl<'a> Coordinator<'a> {
    pub(crate) fn start(
        plan: &'a Plan,
        endpoint: &Endpoint,
        settings: Settings,
        observer: &'a mut dyn Observer,
        stop: Stop,
    ) -> Result<Self, EngineError> {
        let caller = Arc::new(Caller::new(&plan.target, endpoint, settings.clock)?);
        Ok(Self {
            plan,
            clock: settings.clock,
            keys: caller.keys(),
            workers: Workers::start(settings.workers.max(1), &caller, &plan.bodies)?,
            budget: Arc::new(Budget::new(plan.load.max_requests)),
            observer,
            stop,
            refusals: 0,
            dead_key: None,
            breach: None,
        })
    }

    pub(crate) fn workers(&self) -> usize {
        self.workers.count()
    }

    pub(crate) fn announce(&mut self, phase: BeforeLoad) {
        self.observer.before_load(phase);
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

    pub(crate) async fn preflight(&mut self) -> Result<Option<Sample>, EngineError> {
        let rule = Rule::Count { left: AtomicU64::new(1), phase: Phase::Preflight };
        Ok(self.before_load(1, rule, None).await?.pop())
    }

    pub(crate) async fn warm_up(&mut self, warm_up: WarmUp) -> Result<Vec<Sample>, EngineError> {
        self.announce(BeforeLoad::WarmUp);
        let first = self.plan.load.stages.first().map_or(1, |stage| stage.concurrency);
        let (users, rule) = match warm_up {
            WarmUp::Requests(n) => {
                let users = u32::try_from(n).unwrap_or(u32::MAX).min(first);
                (users, Rule::Count { left: AtomicU64::new(n), phase: Phase::WarmUp })
            }
            WarmUp::For(time) => (first, Rule::Span { end: self.soon() + time, phase: Phase::WarmUp }),
        };
        self.before_load(users, rule, Some(0)).await
    }

    async fn before_load(
        &mut self,
        users: u32,
        rule: Rule,
        stage: Option<usize>,
    ) -> Result<Vec<Sample>, EngineError> {
        let mut samples = Vec::new();
        let job = Job {
            stage,
            users,
            ramp_up: Duration::ZERO,
            think_time: ThinkTime::default(),
            // What comes before load is to show the target as it is.
            cancel: None,
            retry: Retry { max: 0, ..self.plan.load.retry.clone() },
            starts_at: self.soon(),
            rule,
            cut_at: None,
            watch: None,
        };
        self.carry_out(job, &mut samples).await?;
        Ok(samples)
    }

    /// Runs one rung.
    pub(crate) async fn stage(&mut self, index: usize, stage: &Stage) -> Result<StageResult, EngineError> {
        self.observer.stage_started(index, stage);
        let starts_at = self.soon();
        let (window_start, rule, cut_at) = match stage.end {
            StageEnd::After(duration) => {
                let window_start = starts_at + stage.ramp_up;
                let window_end = window_start + duration;
                let rule = Rule::Until { window_start, window_end };
                (window_start, rule, Some(window_end + self.plan.load.drain_timeout))
            }
            // A stage that counts its requests measures every one of them, also those of the ramp.
            StageEnd::Requests(n) => {
                (starts_at, Rule::Count { left: AtomicU64::new(n), phase: Phase::Measure }, None)
            }
            StageEnd::OnePerUser => (starts_at, Rule::Once { phase: Phase::Measure }, None),
        };
        let frame = frame(stage, window_start, self.keys, Some(self.plan));
        let rules = &self.plan.load.stop;
        let watch = (!rules.is_empty()).then(|| Rolling::new(rules.clone(), frame.clone()));
        let mut recorder = StageRecorder::new(frame);
        let (ramp_up, think_time) = (stage.ramp_up, stage.think_time);
        let job = Job {
            stage: Some(index),
            users: stage.concurrency,
            ramp_up,
            think_time,
            cancel: self.plan.load.cancel,
            retry: self.plan.load.retry.clone(),
            starts_at,
            rule,
            cut_at,
            watch,
        };
        let carried = self.carry_out(job, &mut recorder).await?;
        let stopped = carried.stopped_at.is_some_and(|at| cut_short(stage, window_start, at));
        let breached = self.breach.as_ref().is_some_and(|breach| breach.stage == index);
        let status = match (breached, stopped || self.is_spent()) {
            (true, _) => StageStatus::Stopped,
            (false, true) => StageStatus::Incomplete,
            (false, false) => StageStatus::Complete,
        };
        let result = recorder.finish(status, &carried.look);
        self.observer.stage_ended(index, &result);
        Ok(result)
    }

    fn soon(&self) -> Offset {
        self.clock.now() + LEAD
    }

    /// Gives an order and takes in reports until every worker is done.
    async fn carry_out(&mut self, job: Job, intake: &mut dyn Intake) -> Result<Carried, EngineError> {
        let (stopper, order_stop) = stop();
        let mut course = Course::new(job.stage, job.users, job.starts_at, job.cut_at);
        let mut watch = job.watch;
        let order = Arc::new(Order {
            stage: job.stage,
            users: job.users,
            starts_at: job.starts_at,
            ramp_up: job.ramp_up,
            think_time: job.think_time,
            cancel: job.cancel,
            retry: job.retry,
            schedule: Schedule::new(job.rule, Arc::clone(&self.budget)),
            stop: order_stop,
            seed: self.plan.seed,
        });
        self.workers.give(&order)?;
        let mut looks = Vec::new();
        while looks.len() < self.workers.count() {
            match self.next(&course).await? {
                Event::Report(Report::Finished(sample)) => {
                    watch.iter_mut().for_each(|watch| watch.take(&sample));
                    self.take_in(*sample, intake, &stopper, &mut course);
                }
                Event::Report(Report::Done(look)) => looks.push(look),
                Event::Report(Report::Died) => return Err(EngineError::WorkerDied),
                Event::Tick => {
                    course.tick(self.observer, self.clock.now(), &self.workers);
                    self.watch_for_breach(&mut watch, &stopper, &mut course);
                }
                Event::Cut => course.cut(&stopper),
                Event::Stop(urgency) => course.stop(urgency, self.clock.now(), &stopper),
            }
            // From here on nothing new starts: what still comes is drained, and no part of the window.
            if let Some(at) = course.ended_early(self.budget.spent_at()) {
                intake.cut(at);
            }
        }
        course.tick_last(self.observer, self.clock.now(), &self.workers);
        Ok(Carried { look: merge(looks), stopped_at: course.stopped_at })
    }

    async fn next(&mut self, course: &Course) -> Result<Event, EngineError> {
        let further = match course.urgency {
            Urgency::None => Urgency::Drain,
            Urgency::Drain | Urgency::Now => Urgency::Now,
        };
        let mut stop = self.stop.clone();
        tokio::select! {
            biased;
            report = self.workers.report() => Ok(Event::Report(report?)),
            () = stop.reached(further), if course.urgency < Urgency::Now => Ok(Event::Stop(stop.urgency())),
            () = wait_until(self.clock, course.cut_at) => Ok(Event::Cut),
            () = sleep_until(self.clock.deadline(course.next_tick)) => Ok(Event::Tick),
        }
    }

    fn take_in(&mut self, sample: Sample, intake: &mut dyn Intake, stopper: &Stopper, course: &mut Course) {
        self.observer.sample(&sample);
        self.watch_for_dead_key(&sample);
        if self.dead_key.is_some() {
            course.stop(Urgency::Drain, self.clock.now(), stopper);
        }
        intake.take(sample);
    }

    /// Ends the order when the last seconds break a check.
    fn watch_for_breach(&mut self, watch: &mut Option<Rolling>, stopper: &Stopper, course: &mut Course) {
        let now = self.clock.now();
        let breach = watch.as_mut().and_then(|watch| watch.breach(now));
        let (Some(breach), Some(stage)) = (breach, course.stage) else { return };
        let breached = Breached { stage, breach, at: now };
        self.observer.breached(&breached);
        self.breach = Some(breached);
        *watch = None;
        course.end(now, self.plan.load.drain_timeout, stopper);
    }

    fn watch_for_dead_key(&mut self, sample: &Sample) {
        let refusal = match sample.outcome() {
            Outcome::Failed(class) => class.group() == ErrorGroup::Config,
            Outcome::Cancelled => return,
            Outcome::Ok => false,
        };
        self.refusals = if refusal { self.refusals + 1 } else { 0 };
        let in_load = matches!(sample.phase, Phase::Ramp | Phase::Measure);
        if self.refusals >= DEAD_KEY && in_load && self.dead_key.is_none() {
            self.dead_key = refused(sample, During::Load);
        }
    }
}

enum Event {
    Report(Report),
    Tick,
    Cut,
    Stop(Urgency),
}

async fn wait_until(clock: Clock, at: Option<Offset>) {
    match at {
        Some(at) => sleep_until(clock.deadline(at)).await,
        None => std::future::pending().await,
    }
}

/// Whether a stop at `at` cut the stage short: one that came while it drained did not.
fn cut_short(stage: &Stage, window_start: Offset, at: Offset) -> bool {
    match stage.end {
        StageEnd::After(duration) => at < window_start + duration,
        StageEnd::Requests(_) | StageEnd::OnePerUser => true,
    }
}
