//! Per stage and metric: count, mean, spread, extremes and percentiles.

use measure::distribution::DistributionSummary;
use measure::result::{RunResult, StageResult, StageStatus};
use serde::Serialize;

use super::ladder::{Cell, percentile};
use super::text::Text;
use crate::load;
use crate::number::ms;

/// The table of one stage.
#[derive(Debug, Serialize)]
pub(super) struct Stage {
    name: String,
    load: Text,
    rows: Vec<Row>,
    /// Whether requests were sent again: what latencies hold is not all of their time.
    retried: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    metric: &'static str,
    unit: &'static str,
    n: u64,
    /// Mean, standard deviation, min.
    moments: [String; 3],
    percentiles: [Cell; 5],
    max: String,
}

pub(super) fn of(run: &RunResult) -> Vec<Stage> {
    let ran = run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped);
    ran.map(stage).collect()
}

fn stage(stage: &StageResult) -> Stage {
    let load = Text::of(|lang| load::stage(stage, lang));
    Stage { name: stage.name.clone(), load, rows: rows(stage), retried: stage.retry_wait_ms.n > 0 }
}

/// A row per metric that has values.
fn rows(stage: &StageResult) -> Vec<Row> {
    let all = [
        ("ttft", "ms", &stage.ttft_ms),
        ("tpot", "ms", &stage.tpot_ms),
        ("e2e", "ms", &stage.e2e_ms),
        ("ttfb", "ms", &stage.ttfb_ms),
        ("ttfe", "ms", &stage.ttfe_ms),
        ("ttfo", "ms", &stage.ttfo_ms),
        ("ntpot", "ms", &stage.ntpot_ms),
        ("gap", "ms", &stage.gap_ms),
        ("decode_tps", "/s", &stage.decode_tps),
        ("output_tps", "/s", &stage.output_tps),
        ("connect", "ms", &stage.connect_ms),
        ("queue", "ms", &stage.queue_ms),
        ("retry_wait", "ms", &stage.retry_wait_ms),
        ("total", "ms", &stage.total_ms),
        ("time_to_error", "ms", &stage.time_to_error_ms),
    ];
    all.into_iter().filter(|(_, _, of)| of.n > 0).map(|(metric, unit, of)| row(metric, unit, of)).collect()
}

fn row(metric: &'static str, unit: &'static str, of: &DistributionSummary) -> Row {
    Row {
        metric,
        unit,
        n: of.n,
        moments: [of.mean, of.stddev, of.min].map(ms),
        percentiles: ["p50", "p90", "p95", "p99", "p999"].map(|name| percentile(of, name)),
        max: ms(of.max),
    }
}
