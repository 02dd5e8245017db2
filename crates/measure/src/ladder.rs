//! What the rungs say together: the last good one, the first bad one, and where throughput stops growing.

use std::time::Duration;

use crate::Amount;
use crate::offset::milliseconds;
use crate::reach::reached;
use crate::result::{Ladder, StageResult, StageStatus};

/// Success that a good rung needs.
const SUCCESS: f64 = 0.99;
/// Share of the first rung's gain per user under which a rung is the knee.
const KNEE: f64 = 0.1;

/// Reads the ladder. `objectives` are the limits of ttft, tpot and e2e.
pub fn ladder(stages: &[StageResult], objectives: [Option<Duration>; 3]) -> Ladder {
    let steps = || stages.iter().filter(|stage| stage.is_step());
    let ran = || steps().filter(|stage| stage.status != StageStatus::Skipped);
    // Users and requests per second are no rungs of one ladder: the first rung says which it is.
    let unit = ran().chain(steps()).next().map(|stage| stage.level().unit()).unwrap_or_default();
    let ran: Vec<_> = ran().filter(|stage| stage.level().unit() == unit).collect();
    let judged: Vec<_> = ran.iter().filter(|stage| stage.counts.ok + stage.counts.failed > 0).collect();
    let amount = |stage: &&StageResult| stage.level().amount();
    let held = judged.iter().filter(|stage| held(stage, objectives)).map(|stage| amount(stage));
    Ladder {
        unit,
        last_ok: held.reduce(|one, other| if other > one { other } else { one }),
        first_breach: judged.iter().find(|stage| broke(stage, objectives)).map(|stage| amount(stage)),
        knee: knee(&ran),
        boundary: None,
    }
}

/// Only a stage that ran as planned has held.
fn held(stage: &StageResult, objectives: [Option<Duration>; 3]) -> bool {
    stage.status == StageStatus::Complete && is_ok(stage, objectives) && reached(stage)
}

/// A stage that a stop rule ended has broken, whatever its numbers as a whole.
fn broke(stage: &StageResult, objectives: [Option<Duration>; 3]) -> bool {
    // What an interrupted stage had planned and did not start says nothing of the endpoint.
    let short = stage.status == StageStatus::Complete && !reached(stage);
    stage.status == StageStatus::Stopped || !is_ok(stage, objectives) || short
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

fn knee(stages: &[&StageResult]) -> Option<Amount> {
    // In tokens where they are known, in requests where not.
    let in_tokens = stages.iter().all(|stage| stage.output_tokens_per_s.is_some());
    let throughput = |stage: &StageResult| if in_tokens { stage.output_tokens_per_s } else { stage.qps };
    let first = stages.first()?;
    let load = |stage: &StageResult| stage.level().amount().get();
    let first_gain = throughput(first)? / load(first);
    stages.windows(2).find_map(|pair| {
        let added = load(pair[1]) - load(pair[0]);
        let gain = throughput(pair[1])? - throughput(pair[0])?;
        (added > 0.0 && gain / added < KNEE * first_gain).then_some(pair[1].level().amount())
    })
}
