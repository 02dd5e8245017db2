//! Lines, as the run goes.

use std::borrow::Cow;
use std::time::Duration;

use measure::Sample;
use measure::result::{Against, RunResult, SCHEMA_VERSION};
use measure::sample::Attempt;
use measure::stage::{Closing, StageFrame};
use serde::Serialize;

use super::line::{AttemptLine, Line, packed};

/// First line: what the result of a run would be that ends now, before its first request, and the stages it plans.
pub fn run_line(result: &RunResult, stages: &[StageFrame]) -> String {
    let result = Cow::Owned(without_stages(result));
    line(&Line::Run { schema_version: SCHEMA_VERSION, result, stages: Cow::Borrowed(stages) })
}

/// A stage begins.
pub fn stage_start_line(index: usize, frame: &StageFrame) -> String {
    line(&Line::StageStart { stage: index, frame: Cow::Borrowed(frame) })
}

/// A stage ended: what its attempts do not tell.
pub fn stage_end_line(index: usize, closing: &Closing) -> String {
    line(&Line::StageEnd { stage: index, closing: Cow::Borrowed(closing) })
}

/// Last line: the result, without its stages.
pub fn run_end_line(result: &RunResult) -> String {
    line(&Line::RunEnd { result: Cow::Owned(without_stages(result)) })
}

/// One line per attempt of a finished request.
pub fn attempt_lines(sample: &Sample) -> String {
    let attempts = sample.attempts.iter().enumerate();
    attempts.map(|(index, attempt)| line(&attempt_line(sample, index, attempt))).collect()
}

fn attempt_line<'a>(sample: &Sample, index: usize, attempt: &'a Attempt) -> AttemptLine<'a> {
    let last = index + 1 == sample.attempts.len();
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let (arrivals_us, choices) = packed(&attempt.events);
    AttemptLine {
        kind: Cow::Borrowed("attempt"),
        stage: sample.stage,
        phase: sample.phase,
        seq: sample.seq,
        user: sample.user,
        row: sample.row,
        key: sample.key,
        due: sample.due,
        free: sample.free,
        in_flight: sample.in_flight,
        attempt: index + 1,
        of: Cow::Borrowed(attempt),
        chunks: attempt.events.len(),
        arrivals_us,
        choices,
        retry_wait: last.then(|| sample.retry_wait()).flatten().map(nanos),
        total: last.then(|| sample.total()).flatten().map(nanos),
    }
}

/// The stages are counted again from the attempts.
fn without_stages(result: &RunResult) -> RunResult {
    let against = result.against.as_ref().map(|against| Against {
        stages: Vec::new(),
        differences: Vec::new(),
        ..against.clone()
    });
    RunResult { stages: Vec::new(), against, ..result.clone() }
}

fn line(value: &impl Serialize) -> String {
    // Every type of a line is a struct or a tagged variant with string keys: JSON takes it.
    serde_json::to_string(value).expect("a line is plain data") + "\n"
}
