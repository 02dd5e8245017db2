//! What all connections of one server share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::clock::Clock;
use crate::config::Config;
use crate::ledger::Ledger;

/// Script, clock, slots and ledger of one server.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    /// One permit per answer at a time; waiters are served in the order they came.
    slots: Option<Semaphore>,
    ledger: Mutex<Ledger>,
    requests: AtomicU64,
}

impl State {
    pub(crate) fn new(config: Config) -> Self {
        let slots = config.capacity.map(|capacity| Semaphore::new(capacity.min(Semaphore::MAX_PERMITS)));
        let (ledger, requests) = (Mutex::default(), AtomicU64::new(0));
        Self { config, clock: Clock::start(), slots, ledger, requests }
    }

    /// The ledger. Every change to it is complete in itself, so one behind a poisoned lock is as good.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The running number of the next chat request.
    pub(crate) fn next_ordinal(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a request as open until the guard is dropped, unless the limit is reached.
    pub(crate) fn try_open(&self) -> Option<Open<'_>> {
        let opened = self.ledger().try_open(self.config.limit);
        // Lazily: a guard made in vain would count itself out when dropped.
        opened.then(|| Open(self))
    }

    /// The slot of a request if it need not wait, else how to wait for it.
    pub(crate) fn slot(&self) -> Slot<'_> {
        let Some(slots) = &self.slots else { return Slot::Free(None) };
        match slots.try_acquire() {
            Ok(permit) => Slot::Free(Some(permit)),
            Err(_) => Slot::Busy(slots),
        }
    }
}

/// An open request.
#[derive(Debug)]
pub(crate) struct Open<'a>(&'a State);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.ledger().close();
    }
}

/// Whether a request is answered at once.
#[derive(Debug)]
pub(crate) enum Slot<'a> {
    /// At once; the permit, if slots are counted, is to be held until the end.
    Free(Option<SemaphorePermit<'a>>),
    /// All slots are taken.
    Busy(&'a Semaphore),
}
