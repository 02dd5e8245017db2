//! What the rungs say together: the last good one, the first bad one, and where throughput stops growing.

use std::time::Duration;

use crate::offset::milliseconds;
use crate::result::{Ladder, StageResult, StageStatus};

/// Success that a good rung needs.
const SUCCESS: f64 = 0.99;
/// Share of the first rung's gain per user under which a rung is the knee.
const KNEE: f64 = 0.1;

/// Reads the ladder. `objectives` are the limits of ttft, tpot and e2e.
pub fn ladder(stages: &[StageResult], objectives: [Option<Duration>; 3]) -> Ladder {
    let ran: Vec<_> = stages.iter().filter(|stage| stage.status != StageStatus::Skipped).collect();
    let judged: Vec<_> = ran.iter().filter(|stage| stage.counts.ok + stage.counts.failed > 0).collect();
    Ladder {
        last_ok: judged.iter().filter(|stage| held(stage, objectives)).map(|stage| stage.concurrency).max(),
        first_breach: judged.iter().find(|stage| broke(stage, objectives)).map(|stage| stage.concurrency),
        knee: knee(&ran),
        boundary: None,
    }
}

/// Only a stage that ran as planned has held.
fn held(stage: &StageResult, objectives: [Option<Duration>; 3]) -> bool {
    stage.status == StageStatus::Complete && is_ok(stage, objectives)
}

/// A stage that a stop rule ended has broken, whatever its numbers as a whole.
fn broke(stage: &StageResult, objectives: [Option<Duration>; 3]) -> bool {
    stage.status == StageStatus::Stopped || !is_ok(stage, objectives)
}

/// Whether every objective is met by its p95, success is at least 99 %, and nothing was answered 429.
pub fn is_ok(stage: &StageResult, objectives: [Option<Duration>; 3]) -> bool {
    let p95 = [stage.ttft_ms.p95, stage.tpot_ms.p95, stage.e2e_ms.p95];
    let within = objectives.iter().zip(p95).all(|(limit, value)| match (limit, value) {
        (Some(limit), Some(value)) => value <= milliseconds(*limit),
        _ => true,
    });
    within && stage.http_429 == 0 && stage.success_rate.is_some_and(|rate| rate >= SUCCESS)
}

fn knee(stages: &[&StageResult]) -> Option<u32> {
    // In tokens where they are known, in requests where not.
    let in_tokens = stages.iter().all(|stage| stage.output_tokens_per_s.is_some());
    let throughput = |stage: &StageResult| if in_tokens { stage.output_tokens_per_s } else { stage.qps };
    let first = stages.first()?;
    let first_gain = throughput(first)? / f64::from(first.concurrency);
    stages.windows(2).find_map(|pair| {
        let added = f64::from(pair[1].concurrency) - f64::from(pair[0].concurrency);
        let gain = throughput(pair[1])? - throughput(pair[0])?;
        (added > 0.0 && gain / added < KNEE * first_gain).then_some(pair[1].concurrency)
    })
}
