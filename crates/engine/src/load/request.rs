//! A ticket becomes a request, a request becomes a sample: the same for every kind of load.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use measure::sample::{Attempt, ErrorDetail};
use measure::{ErrorClass, Offset, Outcome, Sample};
use scenario::plan::Bodies;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::order::Order;
use super::retry;
use super::schedule::Ticket;
use super::user::stopped_before;
use super::watch::Live;
use super::worker::Reports;
use crate::attempt::{Ended, Log};
use crate::caller::{Caller, Message};
use crate::isolated::isolated;
use crate::stop::Urgency;
use crate::transport::{Lines, Link};

/// What every request of a worker is made with.
pub(super) struct Bench {
    pub(super) caller: Arc<Caller>,
    pub(super) bodies: Arc<Bodies>,
    pub(super) live: Arc<Live>,
    pub(super) reports: Reports,
    pub(super) tally: Rc<Cell<u64>>,
    pub(super) lines: Lines,
}

/// One request that is to be sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) ticket: Ticket,
    pub(super) user: u32,
    /// The row of the data, where its turn does not decide.
    pub(super) row: Option<usize>,
    pub(super) due: Offset,
    pub(super) free: Offset,
}

impl Bench {
    /// The timer's form of a moment.
    pub(super) fn deadline(&self, at: Offset) -> Instant {
        self.caller.clock.deadline(at)
    }

    /// Sends one request, again where the retry policy says so, and waits for its end or for the end of the run.
    pub(super) async fn request(
        &self,
        order: &Order,
        kept: &mut Option<Link>,
        wanted: Wanted,
        rng: &mut fastrand::Rng,
    ) -> Sample {
        let in_flight = self.live.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        let Wanted { ticket, user, row, due, free } = wanted;
        let turn = order.turns.next(ticket.seq);
        let row = row.unwrap_or_else(|| self.bodies.row(turn));
        let key = self.key(turn);
        let clock = self.caller.clock;
        let leaves = leaving(order, turn).map(|after| clock.deadline(clock.now() + after));
        let mut attempts = Vec::with_capacity(1);
        loop {
            let (attempt, demand) = self.attempt(order, kept, row, key, leaves).await;
            let wait = retry::wait(&order.retry, attempts.len() as u32 + 1, &attempt, demand, rng);
            attempts.push(attempt);
            let Some(wait) = wait else { break };
            let again = clock.deadline(clock.now() + wait);
            self.live.in_flight.fetch_sub(1, Ordering::Relaxed);
            let given_up = stopped_before(order, leaves.map_or(again, |leaves| leaves.min(again))).await;
            self.live.in_flight.fetch_add(1, Ordering::Relaxed);
            // Who leaves while waiting to try again does not try again.
            if given_up || leaves.is_some_and(|leaves| leaves < again) {
                break;
            }
        }
        self.live.in_flight.fetch_sub(1, Ordering::Relaxed);
        let Ticket { seq, stage, phase } = ticket;
        Sample { stage, phase, seq, user, row, key, due, free, in_flight, attempts }
    }

    /// One attempt, and the wait that the server asked for.
    async fn attempt(
        &self,
        order: &Order,
        kept: &mut Option<Link>,
        row: usize,
        key: Option<usize>,
        leaves: Option<Instant>,
    ) -> (Attempt, Option<Duration>) {
        let request_id = Uuid::new_v4().to_string();
        let mut log = Log { tally: Rc::clone(&self.tally), ..Log::default() };
        let ended = match self.bodies.body(row, &request_id) {
            Ok(body) => {
                let message = Message { body, key, request_id: request_id.clone() };
                let mut stop = order.stop.clone();
                // The stop is asked first: a stream that never pauses must not outlive it.
                tokio::select! {
                    biased;
                    () = stop.reached(Urgency::Now) => Ended::cancelled(),
                    // Who leaves closes the connection, as a browser would.
                    () = sleep_until_some(leaves) => Ended::cancelled(),
                    ended = isolated(self.caller.attempt(&self.lines, kept, &message, &mut log)) => ended,
                }
            }
            Err(error) => unsendable(&mut log, self.caller.clock.now(), error.to_string()),
        };
        let ended = log.settle(ended);
        let demand = ended.demand;
        (log.into_attempt(request_id, ended, self.caller.clock.now(), &self.caller.mask), demand)
    }

    /// Keys take turns per request.
    fn key(&self, turn: u64) -> Option<usize> {
        let keys = self.caller.keys() as u64;
        (keys > 0).then(|| (turn % keys) as usize)
    }
}

/// After which time this request is left, if it is: a function of the seed and the request, whoever sends it.
fn leaving(order: &Order, turn: u64) -> Option<Duration> {
    let cancel = order.cancel?;
    let mut rng = fastrand::Rng::with_seed(order.seed ^ turn.wrapping_mul(0x9E37_79B9_7F4A_7C15));
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
