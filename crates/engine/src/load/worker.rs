//! Worker threads: each is a single-threaded runtime that owns its users and their connections.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use measure::Sample;
use scenario::plan::Bodies;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinError, JoinSet, LocalSet};

use super::open::Share;
use super::order::{Crew, Order};
use super::request::Bench;
use super::shifts::Shifts;
use super::user::user;
use super::watch::{Live, Look, Watch};
use crate::EngineError;
use crate::caller::Caller;
use crate::transport::Lines;

/// What a worker tells.
#[derive(Debug)]
pub(crate) enum Report {
    /// A request ended.
    Finished(Box<Sample>),
    /// All requests of an order ended: what the worker saw of itself, by leg.
    Done(Vec<Look>),
    /// A worker cannot work, or one of its users panicked: a bug.
    Died,
}

/// A worker's line to the coordinator. Unbounded: it carries one message per request, which the coordinator takes
/// faster than requests can end, and a full bounded one would stall the streams being measured.
#[derive(Debug, Clone)]
pub(super) struct Reports(UnboundedSender<Report>);

impl Reports {
    pub(super) fn finished(&self, sample: Sample) {
        // A coordinator that is gone has given up the run.
        let _ = self.0.send(Report::Finished(Box::new(sample)));
    }
}

/// How the names of worker threads begin.
pub const WORKER: &str = "rungs-worker-";

/// The worker threads of a run.
#[derive(Debug)]
pub(crate) struct Workers {
    orders: Vec<UnboundedSender<Arc<Order>>>,
    reports: UnboundedReceiver<Report>,
    threads: Vec<JoinHandle<()>>,
    pub(crate) live: Arc<Live>,
}

impl Workers {
    /// Starts so many; what goes on at the moment is added up in `live`.
    pub(crate) fn start(
        count: usize,
        caller: &Arc<Caller>,
        bodies: &Bodies,
        live: &Arc<Live>,
    ) -> Result<Self, EngineError> {
        let (sender, reports) = unbounded_channel();
        let bodies = Arc::new(bodies.clone());
        let mut workers = Self { orders: Vec::new(), reports, threads: Vec::new(), live: Arc::clone(live) };
        for index in 0..count {
            let (orders, inbox) = unbounded_channel();
            let hand = Hand {
                index,
                count,
                inbox,
                caller: Arc::clone(caller),
                bodies: Arc::clone(&bodies),
                live: Arc::clone(live),
                reports: sender.clone(),
            };
            let thread = thread::Builder::new().name(format!("{WORKER}{index}"));
            workers.threads.push(thread.spawn(move || hand.work()).map_err(EngineError::Worker)?);
            workers.orders.push(orders);
        }
        Ok(workers)
    }

    pub(crate) fn count(&self) -> usize {
        self.orders.len()
    }

    /// Gives every worker its part of an order. Each answers with `Done`.
    pub(crate) fn give(&self, order: &Arc<Order>) -> Result<(), EngineError> {
        for orders in &self.orders {
            orders.send(Arc::clone(order)).map_err(|_| EngineError::WorkerDied)?;
        }
        Ok(())
    }

    /// The next thing a worker tells.
    pub(crate) async fn report(&mut self) -> Result<Report, EngineError> {
        self.reports.recv().await.ok_or(EngineError::WorkerDied)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.orders.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// One worker thread's own things.
struct Hand {
    index: usize,
    count: usize,
    inbox: UnboundedReceiver<Arc<Order>>,
    caller: Arc<Caller>,
    bodies: Arc<Bodies>,
    live: Arc<Live>,
    reports: UnboundedSender<Report>,
}

impl Hand {
    fn work(mut self) {
        ask_for_priority();
        let Ok(runtime) = Builder::new_current_thread().enable_all().build() else {
            let _ = self.reports.send(Report::Died);
            return;
        };
        LocalSet::new().block_on(&runtime, async {
            while let Some(order) = self.inbox.recv().await {
                let report = self.carry_out(order).await;
                if self.reports.send(report).is_err() {
                    return;
                }
            }
        });
    }

    async fn carry_out(&self, order: Arc<Order>) -> Report {
        let bench = Rc::new(Bench {
            caller: Arc::clone(&self.caller),
            bodies: Arc::clone(&self.bodies),
            live: Arc::clone(&self.live),
            reports: Reports(self.reports.clone()),
            tally: Rc::new(Cell::new(0)),
            lines: Lines::default(),
        });
        let watch = Watch::begin(self.caller.clock, Rc::clone(&bench.tally), Arc::clone(&order));
        let worked = async {
            match &order.crew {
                Crew::Users(shifts) => self.lead(&bench, &order, shifts).await,
                Crew::Arrivals(arrivals, gate) => {
                    let (bench, order) = (Rc::clone(&bench), Arc::clone(&order));
                    Share { bench, order, arrivals, gate, index: self.index, workers: self.count }
                        .serve()
                        .await
                }
            }
        };
        tokio::select! {
            () = watch.run(&self.live) => Report::Died,
            worked = worked => match worked {
                Ok(()) => Report::Done(watch.looks(&self.live)),
                Err(_) => Report::Died,
            },
        }
    }

    /// Starts this worker's users, and waits until all have ended.
    async fn lead(&self, bench: &Rc<Bench>, order: &Arc<Order>, shifts: &Shifts) -> Result<(), JoinError> {
        let mut users = JoinSet::new();
        for index in (0..shifts.users()).filter(|index| *index as usize % self.count == self.index) {
            users.spawn_local(user(Rc::clone(bench), Arc::clone(order), index, shifts.of_user(index)));
        }
        while let Some(ended) = users.join_next().await {
            ended?;
        }
        Ok(())
    }
}

/// A late generator measures itself: its threads ask to run before others. Where the system refuses (it takes a right to
/// ask), they go without, and the lag says what came of it.
fn ask_for_priority() {
    let _ = rustix::process::setpriority_process(None, PRIORITY);
}

/// Nice value of the worker threads.
const PRIORITY: i32 = -10;
