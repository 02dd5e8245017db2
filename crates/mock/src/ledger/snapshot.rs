//! The ledger's numbers at one instant.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::faults::Fault;

use super::{Counts, Distribution, Ledger, Row};

/// What the server did since its start or the last reset.
///
/// Counters are of all requests. Distributions are exact, over the complete answers (2xx, not aborted, no fault)
/// among the rows that are still kept; they are written in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerSnapshot {
    /// Chat requests that ended, refused ones included.
    pub requests: u64,
    /// Of these, how many the client left before the end.
    pub aborted: u64,
    /// Tokens handed to the socket.
    pub tokens: u64,
    /// Requests by the status they were answered with; one that left while waiting has none.
    pub statuses: BTreeMap<u16, u64>,
    /// Requests by the fault they met.
    pub faults: BTreeMap<Fault, u64>,
    /// Connections accepted.
    pub connections: u64,
    /// Requests open now, waiting ones included.
    pub open: usize,
    /// The most that were open at once.
    pub open_max: usize,
    /// Rows the distributions are made of.
    pub complete_rows: usize,
    /// From the request's last byte to the writing of the first token.
    #[serde(rename = "ttft_ms")]
    pub ttft: Option<Distribution>,
    /// Between consecutive token writes, pooled over the answers.
    #[serde(rename = "gap_ms")]
    pub gap: Option<Distribution>,
    /// From the request's last byte to the writing of the answer's last one.
    #[serde(rename = "e2e_ms")]
    pub e2e: Option<Distribution>,
}

/// What a snapshot is made of. Taken under the ledger's lock, which it should not hold for long;
/// the sorting is done outside.
pub(crate) struct Excerpt {
    counts: Counts,
    rows: Vec<Arc<Row>>,
}

impl Ledger {
    pub(crate) fn excerpt(&self) -> Excerpt {
        Excerpt { counts: self.counts.clone(), rows: self.rows.iter().cloned().collect() }
    }
}

impl Excerpt {
    pub(crate) fn snapshot(self) -> LedgerSnapshot {
        let Counts { requests, aborted, tokens, statuses, faults, connections, open, open_max } = self.counts;
        let complete = || self.rows.iter().filter(|row| row.is_complete());
        LedgerSnapshot {
            requests,
            aborted,
            tokens,
            statuses,
            faults,
            connections,
            open,
            open_max,
            complete_rows: complete().count(),
            ttft: Distribution::of(complete().filter_map(|row| row.ttft())),
            gap: Distribution::of(complete().flat_map(|row| row.gaps())),
            e2e: Distribution::of(complete().map(|row| row.e2e())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ledger::row::tests::row;

    #[test]
    fn only_complete_answers_enter_distributions_but_all_are_counted() {
        let mut ledger = Ledger::default();
        ledger.record(row(&[50, 60]));
        ledger.record(Row { aborted: true, ..row(&[500, 900]) });
        ledger.record(Row { status: Some(429), tokens: Vec::new(), ..row(&[]) });
        ledger.record(Row { fault: Some(Fault::Truncated), ..row(&[5]) });
        let snapshot = ledger.excerpt().snapshot();
        assert_eq!((snapshot.requests, snapshot.aborted, snapshot.tokens), (4, 1, 5));
        assert_eq!(snapshot.statuses, BTreeMap::from([(200, 3), (429, 1)]));
        assert_eq!(snapshot.faults, BTreeMap::from([(Fault::Truncated, 1)]));
        assert_eq!(snapshot.complete_rows, 1);
        assert_eq!(snapshot.ttft.unwrap().max, Duration::from_millis(50));
        assert_eq!(snapshot.gap.unwrap().n, 1);
        assert_eq!(snapshot.e2e.unwrap().p50, Duration::from_millis(61));
    }
}
