//! The samples file: NDJSON, a line per attempt as it finishes, between a line for the run and lines for its stages.

use std::collections::BTreeMap;

use measure::Sample;
use measure::request::gaps;
use measure::sample::{Attempt, TokenEvent};
use serde_json::{Value, json};

/// First line: the run.
pub fn run_line(test_name: &str, url: &str, api: &str, started_at: &str, seed: u64) -> String {
    line(&json!({
        "type": "run", "schema_version": measure::result::SCHEMA_VERSION, "test_name": test_name, "url": url,
        "api": api, "started_at": started_at, "seed": seed,
    }))
}

/// A stage begins or ends.
pub fn stage_line(edge: Edge, index: usize, name: &str, concurrency: u32) -> String {
    let edge = match edge {
        Edge::Start => "stage_start",
        Edge::End => "stage_end",
    };
    line(&json!({ "type": edge, "stage": index, "name": name, "concurrency": concurrency }))
}

/// Which end of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It begins.
    Start,
    /// It ended.
    End,
}

/// One line per attempt of a finished request. Instants are nanoseconds since the run began.
pub fn attempt_lines(sample: &Sample) -> String {
    sample
        .attempts
        .iter()
        .enumerate()
        .map(|(index, attempt)| line(&attempt_value(sample, index, attempt)))
        .collect()
}

fn attempt_value(sample: &Sample, index: usize, attempt: &Attempt) -> Value {
    json!({
        "type": "attempt", "stage": sample.stage, "phase": sample.phase, "seq": sample.seq, "user": sample.user,
        "row": sample.row, "key": sample.key, "due": sample.due, "free": sample.free, "in_flight": sample.in_flight,
        "attempt": index + 1, "request_id": attempt.request_id, "outcome": attempt.outcome,
        "status": attempt.status, "flags": attempt.flags, "at": attempt.at, "tokens": attempt.tokens,
        "chunks": attempt.events.len(), "gaps_us": gap_histogram(&attempt.events),
        "arrivals": arrivals(&attempt.events), "finish_reason": attempt.finish_reason, "error": attempt.error,
        "reused": attempt.reused,
    })
}

/// Gaps in microseconds to four figures, each with its count: `[[10020, 31], [10500, 1]]`.
fn gap_histogram(events: &[TokenEvent]) -> Vec<(u64, u64)> {
    let mut counts = BTreeMap::new();
    for (_, gap) in gaps(events) {
        let micros = u64::try_from(gap.as_micros()).unwrap_or(u64::MAX);
        let step = 10_u64.pow(micros.checked_ilog10().unwrap_or(0).saturating_sub(3));
        *counts.entry(micros / step * step).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// Token events per second of the run: `[[12, 40], [13, 24]]`.
fn arrivals(events: &[TokenEvent]) -> Vec<(u64, u64)> {
    let mut counts = BTreeMap::new();
    for event in events {
        *counts.entry(event.at.nanos() / 1_000_000_000).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

fn line(value: &Value) -> String {
    value.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::Offset;

    #[test]
    fn gaps_are_kept_to_four_figures_with_their_counts() {
        let at = |micros: u64| TokenEvent { at: Offset::from_nanos(micros * 1000), choice: 0 };
        let events: Vec<_> = [0, 9, 18, 12_363, 24_708].map(at).to_vec();
        assert_eq!(gap_histogram(&events), [(9, 2), (12_340, 2)]);
    }
}
