//! What a stage is to its recorder, and what the workers saw of themselves in it.

use std::time::Duration;

use measure::gate::STANDARD;
use measure::stage::{ClientLook, Intervals, OpenLoop, StageFrame};
use measure::{Distribution, Offset};
use scenario::plan::{Arrival, Plan, Shape, Stage, StageEnd, Work};

use crate::load::Look;

/// The looks of all workers, leg by leg.
pub(crate) fn merge(looks: &[Vec<Look>]) -> Vec<ClientLook> {
    let legs = looks.iter().map(Vec::len).max().unwrap_or(0);
    (0..legs).map(|leg| merge_leg(looks.iter().filter_map(|looks| looks.get(leg)))).collect()
}

fn merge_leg<'a>(looks: impl Iterator<Item = &'a Look>) -> ClientLook {
    let mut lag = Distribution::default();
    let (mut cpu, mut wall) = (Duration::ZERO, Duration::ZERO);
    for look in looks {
        lag.merge(&look.lag);
        cpu += look.cpu;
        wall += look.wall;
    }
    let cpu_percent = (!wall.is_zero()).then(|| 100.0 * cpu.as_secs_f64() / wall.as_secs_f64());
    ClientLook { lag_ms: lag.summary(), cpu_percent }
}

/// What a stage is that has not begun.
pub(crate) fn unstarted(stage: &Stage) -> StageFrame {
    frame(stage, [Offset::ORIGIN; 2], 0, None)
}

/// What a stage is to its recorder: it begins, and its window does.
pub(crate) fn frame(
    stage: &Stage,
    [begins, window_start]: [Offset; 2],
    keys: usize,
    plan: Option<&Plan>,
) -> StageFrame {
    let duration = match stage.end {
        StageEnd::After(duration) => Some(duration),
        StageEnd::Requests(_) | StageEnd::OnePerUser => None,
    };
    let objectives = plan.map(|plan| plan.objectives).unwrap_or_default();
    StageFrame {
        name: stage.name.clone(),
        level: stage.level(),
        ramp_from: stage.ramp_from().map(measure::Level::amount),
        open_loop: open_loop(stage),
        ramp_up: ramp_up(stage),
        think_time: think_time(stage),
        duration,
        requests: stage.requests(),
        begins,
        window_start,
        keys,
        stall_after: plan.map_or(Duration::ZERO, |plan| plan.outputs.stall_after),
        reading_speed: plan.map_or(1.0, |plan| plan.outputs.reading_speed),
        objectives: [objectives.ttft, objectives.tpot, objectives.e2e],
        intervals: plan.map_or_else(Intervals::default, intervals),
        round: None,
    }
}

/// What runs are compared by has an interval, and what checks are written on.
fn intervals(plan: &Plan) -> Intervals {
    let mut of = STANDARD.to_vec();
    let gated = plan.gate.rules.iter().map(|rule| rule.check.statistic());
    for statistic in gated.chain(plan.gate.also.iter().copied()) {
        if !of.contains(&statistic) {
            of.push(statistic);
        }
    }
    Intervals { of, confidence: plan.gate.confidence, seed: plan.seed }
}

fn ramp_up(stage: &Stage) -> Option<Duration> {
    match stage.shape {
        Shape::Step { ramp_up, .. } => Some(ramp_up),
        Shape::Ramp { .. } => None,
    }
}

fn think_time(stage: &Stage) -> Option<[Duration; 2]> {
    match &stage.work {
        Work::Users { think_time, .. } if !think_time.max.is_zero() => Some([think_time.min, think_time.max]),
        Work::Users { .. } | Work::Arrivals { .. } => None,
    }
}

fn open_loop(stage: &Stage) -> Option<OpenLoop> {
    match &stage.work {
        Work::Users { .. } => None,
        Work::Arrivals { arrival, max_in_flight, .. } => {
            let burstiness = match arrival {
                Arrival::Gamma { burstiness } => Some(*burstiness),
                Arrival::Constant | Arrival::Poisson | Arrival::Trace(_) => None,
            };
            Some(OpenLoop { arrival: arrival.kind(), burstiness, max_in_flight: *max_in_flight })
        }
    }
}
