//! The samples file: NDJSON, a line per attempt as it finishes, between a line for the run and lines for its stages.

use std::collections::BTreeMap;
use std::time::Duration;

use measure::request::gaps;
use measure::result::StageResult;
use measure::sample::{Attempt, TokenEvent};
use measure::{Amount, Level, Sample};
use serde_json::{Value, json};

/// What the first line says of the run.
#[derive(Debug, Clone)]
pub struct RunLine<'a> {
    /// Name of the scenario.
    pub test_name: &'a str,
    /// Path of its file.
    pub path: String,
    /// SHA-256 of its file.
    pub sha256: &'a str,
    /// What was overridden, masked: key and value.
    pub overrides: Vec<(&'a str, &'a str)>,
    /// Final URL, masked.
    pub url: String,
    /// Protocol.
    pub api: &'a str,
    /// Model asked for.
    pub model: Option<&'a str>,
    /// Whether answers are streamed.
    pub stream: bool,
    /// UTC.
    pub started_at: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The stages, in order.
    pub stages: Vec<StageLine<'a>>,
}

/// What a line says of a stage.
#[derive(Debug, Clone, Copy)]
pub struct StageLine<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it offers, at the end of a ramp.
    pub level: Level,
    /// Where its ramp begins; `None` for a step.
    pub ramp_from: Option<Level>,
}

impl StageLine<'_> {
    fn value(&self) -> Value {
        json!({
            "name": self.name, "concurrency": self.level.users(), "rate": self.level.rate().map(Amount),
            "ramp_from": self.ramp_from.map(Level::amount),
        })
    }
}

/// First line: the run.
pub fn run_line(run: &RunLine<'_>) -> String {
    let overrides: Vec<Value> =
        run.overrides.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect();
    let stages: Vec<Value> = run.stages.iter().map(StageLine::value).collect();
    line(&json!({
        "type": "run", "schema_version": measure::result::SCHEMA_VERSION, "test_name": run.test_name,
        "scenario": { "path": run.path, "sha256": run.sha256, "overrides": overrides }, "url": run.url,
        "api": run.api, "model": run.model, "stream": run.stream, "started_at": run.started_at, "seed": run.seed,
        "stages": stages,
    }))
}

/// A stage begins.
pub fn stage_start_line(index: usize, stage: &StageLine<'_>) -> String {
    line(&json!({
        "type": "stage_start", "stage": index, "name": stage.name, "concurrency": stage.level.users(),
        "rate": stage.level.rate().map(Amount), "ramp_from": stage.ramp_from.map(Level::amount),
    }))
}

/// A stage ended: how, and how long its window was.
pub fn stage_end_line(index: usize, stage: &StageResult) -> String {
    line(&json!({
        "type": "stage_end", "stage": index, "name": stage.name, "concurrency": stage.concurrency,
        "rate": stage.rate, "ramp_from": stage.ramp_from, "status": stage.status, "window_s": stage.window_s, "planned": stage.counts.planned, "dropped": stage.counts.dropped,
    }))
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
    let last = index + 1 == sample.attempts.len();
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    json!({
        "type": "attempt", "stage": sample.stage, "phase": sample.phase, "seq": sample.seq, "user": sample.user,
        "row": sample.row, "key": sample.key, "due": sample.due, "free": sample.free, "in_flight": sample.in_flight,
        "attempt": index + 1, "request_id": attempt.request_id, "outcome": attempt.outcome,
        "status": attempt.status, "flags": attempt.flags, "at": attempt.at, "tokens": attempt.tokens,
        "chunks": attempt.events.len(), "gaps_us": gap_histogram(&attempt.events),
        "arrivals": arrivals(&attempt.events), "finish_reason": attempt.finish_reason, "error": attempt.error,
        "reused": attempt.reused, "address": attempt.address,
        // Of the request as a whole, on the line of its last attempt.
        "retry_wait": last.then(|| sample.retry_wait()).flatten().map(nanos),
        "total": last.then(|| sample.total()).flatten().map(nanos),
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
