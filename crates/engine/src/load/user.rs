//! One user of a closed loop: a request, a pause, the next request.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use measure::{Offset, Outcome, Sample};
use scenario::plan::ThinkTime;

use super::order::Order;
use super::request::{Bench, Wanted};
use super::shifts::Shift;
use crate::stop::Urgency;
use crate::transport::Link;

/// One user of an order, from its first shift to its last request.
pub(super) async fn user(bench: Rc<Bench>, order: Arc<Order>, index: u32, shifts: Vec<Shift>) {
    let mut user = User {
        rng: fastrand::Rng::with_seed(order.seed.wrapping_add(u64::from(index))),
        had: 0,
        bench,
        order,
        index,
    };
    for shift in shifts {
        let from = user.order.starts_at + shift.from;
        let until = shift.until.map(|until| user.order.starts_at + until);
        if stopped_before(&user.order, user.bench.deadline(from)).await {
            return;
        }
        user.bench.live.users.fetch_add(1, Ordering::Relaxed);
        user.work(from, until).await;
        user.bench.live.users.fetch_sub(1, Ordering::Relaxed);
    }
}

struct User {
    bench: Rc<Bench>,
    order: Arc<Order>,
    index: u32,
    rng: fastrand::Rng,
    /// Tickets so far.
    had: u64,
}

impl User {
    /// Sends requests, one after another, on a connection that is given up with the shift.
    async fn work(&mut self, from: Offset, until: Option<Offset>) {
        let clock = self.bench.caller.clock;
        let mut kept: Option<Link> = None;
        let mut due = from;
        // A user asks for its ticket with the true time: a window that is over stays over however late we are.
        loop {
            let now = clock.now();
            if until.is_some_and(|until| now >= until) {
                return;
            }
            let Some(ticket) = self.order.next_ticket(now, self.had) else { return };
            self.had += 1;
            let wanted = Wanted { ticket, user: self.index, row: None, due, free: due };
            let sample = self.bench.request(&self.order, &mut kept, wanted, &mut self.rng).await;
            let pause = self.pause(&sample);
            self.bench.reports.finished(sample);
            due = clock.now() + pause;
            if !pause.is_zero() && self.stopped_in_pause(due, until).await {
                return;
            }
        }
    }

    /// The time until the next request.
    fn pause(&mut self, sample: &Sample) -> Duration {
        let timetable = self.order.schedule.timetable();
        let leg = timetable.leg(timetable.leg_at(self.bench.caller.clock.now()));
        let pause = think(leg.think_time, &mut self.rng);
        match sample.outcome() {
            Outcome::Failed(_) => pause.max(PAUSE_AFTER_FAILURE),
            Outcome::Ok | Outcome::Cancelled => pause,
        }
    }

    /// Waits for the end of the pause, of the shift or of the order, whichever comes first.
    async fn stopped_in_pause(&self, due: Offset, until: Option<Offset>) -> bool {
        let ends = [until, self.order.schedule.timetable().end()];
        let wake = ends.into_iter().flatten().fold(due, Offset::min);
        stopped_before(&self.order, self.bench.deadline(wake)).await
    }
}

/// Sleeps until `deadline`; true when the run is to end before it.
pub(super) async fn stopped_before(order: &Order, deadline: tokio::time::Instant) -> bool {
    let mut stop = order.stop.clone();
    tokio::select! {
        biased;
        () = stop.reached(Urgency::Drain) => true,
        () = tokio::time::sleep_until(deadline) => false,
    }
}

/// A user whose request failed waits so long before the next: a server that refuses at once would otherwise be asked ten
/// thousand times a second, and that would show nothing more than the first answers did.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);

fn think(think: ThinkTime, rng: &mut fastrand::Rng) -> Duration {
    if think.max.is_zero() {
        return Duration::ZERO;
    }
    think.min + (think.max.saturating_sub(think.min)).mul_f64(rng.f64())
}
