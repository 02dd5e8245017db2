//! What the server really did: one row per finished request, and the numbers made of them.

mod distribution;
mod row;
mod snapshot;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub use self::distribution::Distribution;
pub use self::row::Row;
pub use self::snapshot::LedgerSnapshot;
use crate::faults::Fault;

/// Counters since the last reset, and the newest rows.
///
/// Memory is bounded: the oldest rows go when there are more than [`MOST_ROWS`] or when they hold more
/// than [`MOST_STAMPS`] token stamps together (some 30 MB). The counters keep counting.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    counts: Counts,
    rows: VecDeque<Arc<Row>>,
    stamps: usize,
}

/// Running totals.
#[derive(Debug, Default, Clone)]
struct Counts {
    requests: u64,
    aborted: u64,
    tokens: u64,
    statuses: BTreeMap<u16, u64>,
    faults: BTreeMap<Fault, u64>,
    connections: u64,
    open: usize,
    open_max: usize,
}

impl Ledger {
    pub(crate) fn connected(&mut self) {
        self.counts.connections += 1;
    }

    /// Opens a request, unless `limit` are open already.
    pub(crate) fn try_open(&mut self, limit: Option<usize>) -> bool {
        if limit.is_some_and(|limit| self.counts.open >= limit) {
            return false;
        }
        self.counts.open += 1;
        self.counts.open_max = self.counts.open_max.max(self.counts.open);
        true
    }

    pub(crate) fn close(&mut self) {
        self.counts.open = self.counts.open.saturating_sub(1);
    }

    pub(crate) fn record(&mut self, row: Row) {
        self.counts.requests += 1;
        self.counts.aborted += u64::from(row.aborted);
        self.counts.tokens += row.sent_tokens();
        if let Some(status) = row.status {
            *self.counts.statuses.entry(status).or_default() += 1;
        }
        if let Some(fault) = row.fault {
            *self.counts.faults.entry(fault).or_default() += 1;
        }
        self.stamps += row.tokens.len();
        self.rows.push_back(Arc::new(row));
        while self.rows.len() > MOST_ROWS || self.stamps > MOST_STAMPS {
            let Some(oldest) = self.rows.pop_front() else { break };
            self.stamps -= oldest.tokens.len();
        }
    }

    /// The client of a request that is in the ledger already turned out to have gone.
    pub(crate) fn mark_aborted(&mut self, ordinal: u64) {
        let row = self.rows.iter_mut().rev().find(|row| row.ordinal == ordinal && !row.aborted);
        if let Some(row) = row {
            Arc::make_mut(row).aborted = true;
            self.counts.aborted += 1;
        }
    }

    /// Forgets everything but the requests that are open now: they are recorded when they end.
    pub(crate) fn reset(&mut self) {
        let open = self.counts.open;
        *self = Self::default();
        self.counts.open = open;
        self.counts.open_max = open;
    }

    /// The newest `most` rows, oldest first.
    pub(crate) fn newest(&self, most: usize) -> Vec<Arc<Row>> {
        self.rows.iter().skip(self.rows.len().saturating_sub(most)).cloned().collect()
    }
}

/// The most rows that are kept.
pub(crate) const MOST_ROWS: usize = 1 << 16;
/// The most token stamps that are kept, over all rows.
pub(crate) const MOST_STAMPS: usize = 1 << 21;

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::clock::Stamp;
    use crate::ledger::row::tests::row;

    #[test]
    fn the_oldest_rows_go_when_the_stamps_are_too_many() {
        let mut ledger = Ledger::default();
        let long = Row { tokens: vec![Stamp::at(Duration::ZERO); MOST_STAMPS / 2], ..row(&[]) };
        for ordinal in 0..3 {
            ledger.record(Row { ordinal, ..long.clone() });
        }
        assert_eq!(ledger.newest(9).iter().map(|row| row.ordinal).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(ledger.counts.requests, 3);
    }

    #[test]
    fn the_limit_counts_open_requests_and_a_reset_keeps_them() {
        let mut ledger = Ledger::default();
        assert!(ledger.try_open(Some(2)) && ledger.try_open(Some(2)));
        assert!(!ledger.try_open(Some(2)));
        ledger.reset();
        assert!(!ledger.try_open(Some(2)));
        ledger.close();
        assert!(ledger.try_open(Some(2)));
        assert_eq!(ledger.counts.open_max, 2);
    }

    #[test]
    fn a_row_is_marked_aborted_once() {
        let mut ledger = Ledger::default();
        ledger.record(Row { ordinal: 4, ..row(&[]) });
        ledger.mark_aborted(4);
        ledger.mark_aborted(4);
        ledger.mark_aborted(5);
        assert_eq!(ledger.counts.aborted, 1);
        assert!(ledger.newest(1)[0].aborted);
    }
}
