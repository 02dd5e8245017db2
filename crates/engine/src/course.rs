//! When the live view of an order is due, when what still runs is cut, whether the run was stopped.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use measure::Offset;

use crate::load::{Order, Workers};
use crate::observe::{Observer, Snapshot};
use crate::stop::{Stopper, Urgency};

/// After the first signal, running requests may finish for so long.
const INTERRUPT_DRAIN: Duration = Duration::from_secs(5);

/// The course of one order: when to tick, when to cut, whether it was stopped.
pub(crate) struct Course {
    order: Arc<Order>,
    /// Number of the leg that runs.
    pub(crate) leg: usize,
    pub(crate) next_tick: Offset,
    pub(crate) cut_at: Option<Offset>,
    pub(crate) urgency: Urgency,
    pub(crate) stopped_at: Option<Offset>,
}

impl Course {
    pub(crate) fn new(order: Arc<Order>, cut_at: Option<Offset>) -> Self {
        Self {
            next_tick: order.starts_at + Duration::from_secs(1),
            order,
            leg: 0,
            cut_at,
            urgency: Urgency::None,
            stopped_at: None,
        }
    }

    /// Index of the stage that runs; absent before the first.
    pub(crate) fn stage(&self) -> Option<usize> {
        self.order.schedule.timetable().leg(self.leg).stage
    }

    /// When the next stage of the order begins, if one does.
    pub(crate) fn next_leg_at(&self) -> Option<Offset> {
        self.order.schedule.timetable().legs().nth(self.leg + 1).map(|leg| leg.from)
    }

    pub(crate) fn next_leg(&mut self) {
        self.leg += 1;
    }

    pub(crate) fn tick(&mut self, observer: &mut dyn Observer, now: Offset, workers: &Workers) {
        self.tick_last(observer, now, workers);
        self.next_tick = self.next_tick + Duration::from_secs(1);
    }

    pub(crate) fn tick_last(&self, observer: &mut dyn Observer, at: Offset, workers: &Workers) {
        let (users_target, rate) = self.order.target(at);
        observer.tick(&Snapshot {
            at,
            stage: self.stage(),
            stage_began: self.order.schedule.timetable().leg(self.leg).from,
            users: workers.live.users.load(Ordering::Relaxed),
            users_target,
            rate,
            waiting: self.order.arrivals().waiting,
            in_flight: workers.live.in_flight.load(Ordering::Relaxed),
            chunks: workers.live.chunks.load(Ordering::Relaxed),
        });
    }

    /// When the order was ended early: by a stop, or (for one that ends by time) because no more requests are allowed.
    pub(crate) fn ended_early(&self, spent_at: Option<Offset>) -> Option<Offset> {
        let is_timed = self.order.schedule.timetable().end().is_some();
        let spent_at = spent_at.filter(|_| is_timed).map(|at| at.max(self.order.starts_at));
        self.stopped_at.into_iter().chain(spent_at).min()
    }

    /// The drain is over.
    pub(crate) fn cut(&mut self, stopper: &Stopper) {
        stopper.request(Urgency::Now);
        self.cut_at = None;
    }

    /// Nothing new starts from here on; what runs is drained as after the stage's own end.
    pub(crate) fn end(&mut self, now: Offset, drain: Duration, stopper: &Stopper) {
        self.stopped_at.get_or_insert(now);
        self.cut_at = Some(self.cut_at.map_or(now + drain, |cut_at| cut_at.min(now + drain)));
        stopper.request(Urgency::Drain);
    }

    pub(crate) fn stop(&mut self, urgency: Urgency, now: Offset, stopper: &Stopper) {
        if urgency <= self.urgency {
            return;
        }
        self.urgency = urgency;
        self.stopped_at.get_or_insert(now);
        let drained = now + INTERRUPT_DRAIN;
        self.cut_at = Some(self.cut_at.map_or(drained, |cut_at| cut_at.min(drained)));
        stopper.request(urgency);
    }
}
