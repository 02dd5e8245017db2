//! Numbers the requests of a run, and refuses one too many.

use std::sync::atomic::{AtomicU64, Ordering};

use measure::Offset;

/// Shared by all workers.
#[derive(Debug)]
pub(crate) struct Budget {
    next: AtomicU64,
    cap: u64,
    /// When the first request was refused; 0 as long as none was.
    spent_at: AtomicU64,
}

impl Budget {
    /// At most `cap` requests.
    pub(crate) fn new(cap: Option<u64>) -> Self {
        Self { next: AtomicU64::new(0), cap: cap.unwrap_or(u64::MAX), spent_at: AtomicU64::new(0) }
    }

    /// The number of the next request, from 0.
    pub(crate) fn take(&self, now: Offset) -> Option<u64> {
        let seq = self.next.fetch_add(1, Ordering::Relaxed);
        if seq >= self.cap {
            let _ = self.spent_at.compare_exchange(0, now.nanos(), Ordering::Relaxed, Ordering::Relaxed);
            return None;
        }
        Some(seq)
    }

    /// When the cap refused the first request.
    pub(crate) fn spent_at(&self) -> Option<Offset> {
        let nanos = self.spent_at.load(Ordering::Relaxed);
        (nanos > 0).then(|| Offset::from_nanos(nanos))
    }

    /// How many requests were let through.
    pub(crate) fn issued(&self) -> u64 {
        self.next.load(Ordering::Relaxed).min(self.cap)
    }

    /// Whether the cap was reached.
    pub(crate) fn is_spent(&self) -> bool {
        self.next.load(Ordering::Relaxed) > self.cap
    }
}
