//! What a stage is to its recorder, and what the workers saw of themselves in it.

use std::time::Duration;

use measure::stage::{ClientLook, StageFrame};
use measure::{Distribution, Offset};
use scenario::plan::{Plan, Stage, StageEnd};

/// The looks of all workers at one stage.
pub(crate) fn merge(looks: Vec<crate::load::Look>) -> ClientLook {
    let mut lag = Distribution::default();
    let (mut cpu, mut wall) = (Duration::ZERO, Duration::ZERO);
    for look in &looks {
        lag.merge(&look.lag);
        cpu += look.cpu;
        wall += look.wall;
    }
    let cpu_percent = (!wall.is_zero()).then(|| 100.0 * cpu.as_secs_f64() / wall.as_secs_f64());
    ClientLook { lag, cpu_percent }
}

/// What a stage is to its recorder.
pub(crate) fn frame(stage: &Stage, window_start: Offset, keys: usize, plan: Option<&Plan>) -> StageFrame {
    let duration = match stage.end {
        StageEnd::After(duration) => Some(duration),
        StageEnd::Requests(_) | StageEnd::OnePerUser => None,
    };
    let objectives = plan.map(|plan| plan.objectives).unwrap_or_default();
    StageFrame {
        name: stage.name.clone(),
        concurrency: stage.concurrency,
        duration,
        requests: stage.requests(),
        window_start,
        keys,
        stall_after: plan.map_or(Duration::ZERO, |plan| plan.outputs.stall_after),
        reading_speed: plan.map_or(1.0, |plan| plan.outputs.reading_speed),
        objectives: [objectives.ttft, objectives.tpot, objectives.e2e],
    }
}
