//! The one work loop: a ticket becomes a request, a request becomes a sample.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use measure::sample::{Attempt, ErrorDetail};
use measure::{ErrorClass, Offset, Outcome, Sample};
use scenario::plan::{Bodies, ThinkTime};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::retry;
use super::schedule::Ticket;
use super::watch::Live;
use super::worker::{Order, Reports};
use crate::attempt::{Ended, Log};
use crate::caller::{Caller, Message};
use crate::stop::Urgency;
use crate::transport::{Lines, Link};

/// What every user of a worker works with.
#[derive(Clone)]
pub(super) struct Bench {
    pub(super) caller: Arc<Caller>,
    pub(super) bodies: Arc<Bodies>,
    pub(super) live: Arc<Live>,
    pub(super) reports: Reports,
    pub(super) tally: Rc<Cell<u64>>,
    pub(super) lines: Rc<Lines>,
}

/// One user of one stage, from its start to its last request.
pub(super) async fn user(bench: Bench, order: Arc<Order>, index: u32, starts_at: Offset) {
    let clock = bench.caller.clock;
    if stopped_before(&order, clock.deadline(starts_at)).await {
        return;
    }
    bench.live.users.fetch_add(1, Ordering::Relaxed);
    let mut rng = fastrand::Rng::with_seed(order.seed.wrapping_add(u64::from(index)));
    let mut kept = None;
    let mut due = starts_at;
    // A user asks for its ticket with the true time: a window that is over stays over however late we are.
    let mut had = 0;
    while let Some(ticket) = order.next_ticket(clock.now(), had) {
        had += 1;
        let sample = bench.request(&order, &mut kept, ticket, index, due, &mut rng).await;
        let after_failure = has_failed(&sample).then_some(PAUSE_AFTER_FAILURE);
        bench.reports.finished(sample);
        due = clock.now();
        if let Some(pause) = think(order.think_time, &mut rng).max(after_failure) {
            due = due + pause;
            let wake = order.schedule.end().map_or(due, |end| end.min(due));
            if stopped_before(&order, clock.deadline(wake)).await {
                break;
            }
        }
    }
    bench.live.users.fetch_sub(1, Ordering::Relaxed);
}

/// Sleeps until `deadline`; true when the run is to end before it.
async fn stopped_before(order: &Order, deadline: tokio::time::Instant) -> bool {
    let mut stop = order.stop.clone();
    tokio::select! {
        biased;
        () = stop.reached(Urgency::Drain) => true,
        () = sleep_until(deadline) => false,
    }
}

/// A user whose request failed waits so long before the next: a server that refuses at once would otherwise be asked ten
/// thousand times a second, and that would show nothing more than the first answers did.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);

fn has_failed(sample: &Sample) -> bool {
    matches!(sample.outcome(), Outcome::Failed(_))
}

fn think(think: ThinkTime, rng: &mut fastrand::Rng) -> Option<Duration> {
    if think.max.is_zero() {
        return None;
    }
    Some(think.min + (think.max.saturating_sub(think.min)).mul_f64(rng.f64()))
}

impl Bench {
    /// Sends one request, again where the retry policy says so, and waits for its end or for the end of the run.
    async fn request(
        &self,
        order: &Order,
        kept: &mut Option<Link>,
        ticket: Ticket,
        user: u32,
        due: Offset,
        rng: &mut fastrand::Rng,
    ) -> Sample {
        let in_flight = self.live.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        let key = self.key(ticket.seq);
        let clock = self.caller.clock;
        let leaves = leaving(order, ticket.seq).map(|after| clock.deadline(clock.now() + after));
        let mut attempts = Vec::with_capacity(1);
        loop {
            let (attempt, demand) = self.attempt(order, kept, ticket, key, leaves).await;
            let wait = retry::wait(&order.retry, attempts.len() as u32 + 1, &attempt, demand, rng);
            attempts.push(attempt);
            let Some(wait) = wait else { break };
            let again = clock.deadline(clock.now() + wait);
            if stopped_before(order, leaves.map_or(again, |leaves| leaves.min(again))).await {
                break;
            }
        }
        self.live.in_flight.fetch_sub(1, Ordering::Relaxed);
        Sample {
            stage: order.stage,
            phase: ticket.phase,
            seq: ticket.seq,
            user,
            row: self.bodies.row(ticket.seq),
            key,
            due,
            free: due,
            in_flight,
            attempts,
        }
    }

    /// One attempt, and the wait that the server asked for.
    async fn attempt(
        &self,
        order: &Order,
        kept: &mut Option<Link>,
        ticket: Ticket,
        key: Option<usize>,
        leaves: Option<Instant>,
    ) -> (Attempt, Option<Duration>) {
        let request_id = Uuid::new_v4().to_string();
        let mut log = Log { tally: Rc::clone(&self.tally), ..Log::default() };
        let ended = match self.bodies.body(ticket.seq, &request_id) {
            Ok(body) => {
                let message = Message { body, key, request_id: request_id.clone() };
                let mut stop = order.stop.clone();
                // The stop is asked first: a stream that never pauses must not outlive it.
                tokio::select! {
                    biased;
                    () = stop.reached(Urgency::Now) => Ended::cancelled(),
                    // Who leaves closes the connection, as a browser would.
                    () = sleep_until_some(leaves) => Ended::cancelled(),
                    ended = self.caller.attempt(&self.lines, kept, &message, &mut log) => ended,
                }
            }
            Err(error) => unsendable(&mut log, self.caller.clock.now(), error.to_string()),
        };
        let ended = log.settle(ended);
        let demand = ended.demand;
        (log.into_attempt(request_id, ended, self.caller.clock.now(), &self.caller.mask), demand)
    }

    /// Keys take turns per request.
    fn key(&self, seq: u64) -> Option<usize> {
        let keys = self.caller.keys() as u64;
        (keys > 0).then(|| (seq % keys) as usize)
    }
}

/// After which time this request is left, if it is: a function of the seed and the request, whoever sends it.
fn leaving(order: &Order, seq: u64) -> Option<Duration> {
    let cancel = order.cancel?;
    let mut rng = fastrand::Rng::with_seed(order.seed ^ seq.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    (rng.f64() < cancel.ratio).then_some(cancel.after)
}

async fn sleep_until_some(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// A body that cannot be rendered is a request that is wrong: it is told as one, and nothing is sent.
fn unsendable(log: &mut Log, now: Offset, message: String) -> Ended {
    log.answer.at.start = now;
    let detail = Some(ErrorDetail { message, ..ErrorDetail::default() });
    Ended { outcome: Outcome::Failed(ErrorClass::BadRequest), detail, demand: None }
}
