//! An open loop: requests start when they are due, whatever became of the earlier ones.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use tokio::task::{JoinError, JoinSet};

use super::arrivals::Arrivals;
use super::gate::{Due, Gate};
use super::order::{Crew, Order};
use super::request::{Bench, Wanted};
use super::user::stopped_before;
use crate::transport::Link;

/// One worker's share of the arrivals: every `workers`-th, from the `index`-th on.
pub(super) struct Share<'a> {
    pub(super) bench: Rc<Bench>,
    pub(super) order: Arc<Order>,
    pub(super) arrivals: &'a Arrivals,
    pub(super) gate: &'a Gate,
    pub(super) index: usize,
    pub(super) workers: usize,
}

/// Connections that nobody uses just now. The last one back is the first one out: as few as needed stay in use.
type Idle = Rc<RefCell<Vec<Link>>>;

impl Share<'_> {
    /// Starts each request when it is due, and waits for the last to end.
    pub(super) async fn serve(self) -> Result<(), JoinError> {
        let idle = Idle::default();
        let mut open = JoinSet::new();
        let mine = self.arrivals.clone().enumerate().skip(self.index).step_by(self.workers);
        for (number, after) in mine {
            let at = self.order.starts_at + after;
            let stopped = stopped_before(&self.order, self.bench.deadline(at)).await;
            if stopped || self.order.schedule.is_spent() {
                break;
            }
            let due = Due { number: number as u64, at, free: at };
            if let Some(due) = self.gate.arrive(due) {
                open.spawn_local(slot(
                    Rc::clone(&self.bench),
                    Arc::clone(&self.order),
                    due,
                    Rc::clone(&idle),
                ));
            }
            while let Some(ended) = open.try_join_next() {
                ended?;
            }
        }
        while let Some(ended) = open.join_next().await {
            ended?;
        }
        Ok(())
    }
}

/// One slot, from a request that is due until nobody waits for it any more.
async fn slot(bench: Rc<Bench>, order: Arc<Order>, first: Due, idle: Idle) {
    let Crew::Arrivals(_, gate) = &order.crew else { return };
    let clock = bench.caller.clock;
    let mut kept = idle.borrow_mut().pop();
    let mut next = Some(first);
    while let Some(due) = next {
        if let Some(ticket) = order.schedule.for_due(clock.now()) {
            let row = order.row(due.number, bench.bodies.rows());
            let wanted = Wanted { ticket, user: due.number as u32, row, due: due.at, free: due.free };
            let mut rng = fastrand::Rng::with_seed(order.seed.wrapping_add(due.number));
            let sample = bench.request(&order, &mut kept, wanted, &mut rng).await;
            bench.reports.finished(sample);
        } else {
            gate.refuse();
        }
        let now = clock.now();
        next = gate.leave(now, order.goes_on(now));
    }
    idle.borrow_mut().extend(kept);
}
