//! The short blocks by which the two sides of an A/B run take turns, so that what changes over the minutes of a run changes
//! both alike.

use std::time::Duration;

use measure::stage::{Purpose, Round, Side, StageFrame};
use measure::{Outcome, Sample};
use scenario::plan::{Plan, Shape, Stage, StageEnd};

use crate::EngineError;
use crate::coordinator::{Coordinator, Passage};
use crate::frame;
use crate::run::{Recording, goes_on};

/// The first block of each stage before it begins: those of A, then those of B.
pub(crate) fn unstarted(stages: &[Stage]) -> Vec<StageFrame> {
    let of = |side| {
        stages.iter().enumerate().map(move |(at, stage)| StageFrame {
            round: Some(round(stage, at, side, 1)),
            ..frame::unstarted(&stage.block(stage.blocks(), 0))
        })
    };
    of(Side::A).chain(of(Side::B)).collect()
}

/// Climbs the ladder, each stage on both sides by turns. What is not reached is skipped.
pub(crate) async fn alternate(
    plan: &Plan,
    coordinator: &mut Coordinator<'_>,
    recording: &mut Recording,
) -> Result<(), EngineError> {
    let lead_in = answer_time(recording);
    for at in 0..plan.load.stages.len() {
        if at > 0 && goes_on(coordinator, recording) {
            coordinator.rest().await;
        }
        for pair in 1..=plan.load.stages[at].blocks() {
            for side in Side::order(pair) {
                block(plan, round(&plan.load.stages[at], at, side, pair), lead_in, coordinator, recording)
                    .await?;
            }
        }
    }
    Ok(())
}

/// One block, unless the climb is over: then the first of a side is skipped, and further ones are not there.
async fn block(
    plan: &Plan,
    round: Round,
    lead_in: Duration,
    coordinator: &mut Coordinator<'_>,
    recording: &mut Recording,
) -> Result<(), EngineError> {
    let stages = &plan.load.stages;
    let first = match round.side() {
        Side::A => round.of,
        Side::B => stages.len() + round.of,
    };
    if !goes_on(coordinator, recording) || coordinator.is_stopped() {
        if round.number == 1 {
            coordinator.skip(first, &unstarted(stages)[first..=first]);
        }
        return Ok(());
    }
    let index = if round.number == 1 { first } else { coordinator.further(1) };
    let stage = &stages[round.of];
    let block = led_in(stage.block(stage.blocks(), round.number - 1), lead_in);
    let stages = std::slice::from_ref(&block);
    coordinator.stretch(Passage { stages, index, round: Some(round) }).await?;
    recording.aborted = coordinator.dead_key();
    Ok(())
}

fn round(stage: &Stage, of: usize, side: Side, number: u32) -> Round {
    Round { of, number, purpose: Purpose::Block { side, blocks: stage.blocks() } }
}

/// How long one answer takes on the slower side, as the requests before load showed it.
fn answer_time(recording: &Recording) -> Duration {
    let other = recording.against.as_ref().and_then(|against| against.preflight.as_ref());
    let answers = recording.preflight.iter().chain(other);
    answers.filter_map(time_of).max().unwrap_or_default()
}

fn time_of(sample: &Sample) -> Option<Duration> {
    let attempt = sample.last().filter(|attempt| attempt.outcome == Outcome::Ok)?;
    Some(attempt.at.end.since(attempt.at.start))
}

/// The block with a ramp at least as long as an answer, and no longer than the block itself: users who all begin at once would
/// stay in step for the whole of a short block, and measure their own crowd.
fn led_in(block: Stage, answer: Duration) -> Stage {
    match (block.end, block.shape) {
        (StageEnd::After(window), Shape::Step { ramp_up, .. }) if ramp_up < answer.min(window) => {
            Stage { shape: Shape::Step { ramp_up: answer.min(window), together: 1 }, ..block }
        }
        _ => block,
    }
}
