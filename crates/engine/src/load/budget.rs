//! Numbers the requests of a run, and refuses one too many.

use std::sync::atomic::{AtomicU64, Ordering};

/// Shared by all workers.
#[derive(Debug)]
pub(crate) struct Budget {
    next: AtomicU64,
    cap: u64,
}

impl Budget {
    /// At most `cap` requests.
    pub(crate) fn new(cap: Option<u64>) -> Self {
        Self { next: AtomicU64::new(0), cap: cap.unwrap_or(u64::MAX) }
    }

    /// The number of the next request, from 0.
    pub(crate) fn take(&self) -> Option<u64> {
        let seq = self.next.fetch_add(1, Ordering::Relaxed);
        (seq < self.cap).then_some(seq)
    }

    /// Whether the cap was reached.
    pub(crate) fn is_spent(&self) -> bool {
        self.next.load(Ordering::Relaxed) > self.cap
    }
}
