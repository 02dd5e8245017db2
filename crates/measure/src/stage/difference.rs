//! By how much the two sides of an A/B run differ in a stage.

use super::frame::Intervals;
use super::recorder::StageRecorder;
use crate::gate::{Statistic, measured};
use crate::interval::{Block, Pairs};
use crate::result::{StageDifference, StageResult, StageStatus};

/// Everything that is watched, over the pairs of blocks that both sides ran.
pub(super) fn difference([a, b]: [&StageRecorder; 2]) -> StageDifference {
    let results = [a, b].map(|side| side.finish(StageStatus::Complete, &Default::default()));
    let [mut windows_a, mut windows_b] = [a, b].map(windows);
    let pairs = windows_a.len().min(windows_b.len());
    windows_a.truncate(pairs);
    windows_b.truncate(pairs);
    let Intervals { of, confidence, seed } = &a.frame.intervals;
    let drawn = Pairs { a: &windows_a, b: &windows_b, confidence: *confidence, seed: *seed };
    let differs = |of: &Statistic| {
        let [a, b] = results.each_ref().map(|result| known(*of, result));
        Some((of.to_string(), drawn.difference(*of, a?, b?)))
    };
    StageDifference {
        stage: a.frame.name.clone(),
        pairs: pairs as u64,
        of: of.iter().filter_map(differs).collect(),
    }
}

fn windows(of: &StageRecorder) -> Vec<(Block, f64)> {
    of.blocks.windows(of.window())
}

/// A statistic of one side with its own interval, where enough values stand behind it.
fn known(of: Statistic, result: &StageResult) -> Option<(f64, Option<crate::result::Interval>)> {
    let (value, n) = measured(of, result);
    let value = value.filter(|_| of.stat.is_none_or(|stat| n >= stat.needs()))?;
    Some((value, result.intervals.get(&of.to_string()).copied()))
}
