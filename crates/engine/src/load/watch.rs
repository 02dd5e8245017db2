//! The generator watches itself: how late its timers fire, and how busy its threads are.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use measure::{Distribution, Offset};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use super::order::Order;
use crate::clock::Clock;

/// What the live view shows between two finished requests. Shared by all workers; touched per request, not per chunk.
#[derive(Debug, Default)]
pub(crate) struct Live {
    /// Users that have started and not ended.
    pub(crate) users: AtomicU32,
    /// Requests open now.
    pub(crate) in_flight: AtomicU32,
    /// Token events so far.
    pub(crate) chunks: AtomicU64,
}

/// How often the loop is asked how late it is.
const TICK: Duration = Duration::from_millis(10);

/// One worker's look at itself during one order, leg by leg.
#[derive(Debug)]
pub(crate) struct Watch {
    clock: Clock,
    order: Arc<Order>,
    looks: RefCell<Vec<Look>>,
    /// When the current leg's share was counted last, and the thread's CPU time then.
    counted: Cell<(Offset, Duration)>,
    /// What the worker's users counted, and how much of it the live view knows.
    tally: Rc<Cell<u64>>,
    published: Cell<u64>,
}

/// What a worker saw of itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Look {
    pub(crate) lag: Distribution,
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
}

impl Watch {
    pub(crate) fn begin(clock: Clock, tally: Rc<Cell<u64>>, order: Arc<Order>) -> Self {
        let legs = order.schedule.timetable().legs().count();
        Self {
            clock,
            order,
            looks: RefCell::new(vec![Look::default(); legs]),
            counted: Cell::new((clock.now(), thread_cpu())),
            published: Cell::new(tally.get()),
            tally,
        }
    }

    /// Ticks for ever: measures the lag, and publishes what the worker counted.
    pub(crate) async fn run(&self, live: &Live) {
        let mut due = self.clock.now() + TICK;
        loop {
            tokio::time::sleep_until(self.clock.deadline(due)).await;
            let now = self.clock.now();
            self.count(now, lateness(now.since(due)));
            self.publish(live);
            // The next tick counts from now: a late one must not be followed by a burst.
            due = now + TICK;
        }
    }

    /// Gives the time since the last count to the leg that runs now.
    fn count(&self, now: Offset, lag: impl Iterator<Item = Duration>) {
        let leg = self.order.schedule.timetable().leg_at(now);
        let cpu = thread_cpu();
        let (since, cpu_before) = self.counted.replace((now, cpu));
        if let Some(look) = self.looks.borrow_mut().get_mut(leg) {
            look.cpu += cpu.saturating_sub(cpu_before);
            look.wall += now.since(since);
            lag.for_each(|lag| look.lag.record(lag));
        }
    }

    fn publish(&self, live: &Live) {
        let counted = self.tally.get();
        live.chunks.fetch_add(counted - self.published.replace(counted), Ordering::Relaxed);
    }

    /// What it saw, by leg; the last counts are published.
    pub(crate) fn looks(&self, live: &Live) -> Vec<Look> {
        self.publish(live);
        self.count(self.clock.now(), std::iter::empty());
        self.looks.take()
    }
}

/// How late the ticks are when one fires so late: it, and each that was due meanwhile. Without those a loop that stood still
/// would have seen one late tick where an idle one sees many that are in time.
fn lateness(late: Duration) -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(late), |late| late.checked_sub(TICK))
}

/// CPU time of this thread so far, user and system.
fn thread_cpu() -> Duration {
    getrusage(UsageWho::RUSAGE_THREAD)
        .map(|usage| (usage.user_time() + usage.system_time()).num_microseconds())
        .map(|micros| Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_tick_counts_for_all_that_were_due_meanwhile() {
        let ms = Duration::from_millis;
        assert_eq!(lateness(ms(0)).collect::<Vec<_>>(), [ms(0)]);
        assert_eq!(lateness(ms(9)).collect::<Vec<_>>(), [ms(9)]);
        assert_eq!(lateness(ms(34)).collect::<Vec<_>>(), [ms(34), ms(24), ms(14), ms(4)]);
        assert_eq!(
            lateness(ms(2000)).count(),
            201,
            "a loop that stands still for two seconds is known to be late"
        );
    }
}
