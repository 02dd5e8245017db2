//! The blocks of a stage while it runs. Their number is bounded: in a long stage they grow longer.

use std::collections::BTreeSet;
use std::time::Duration;

use super::block::Block;
use crate::gate::Statistic;
use crate::request::RequestMetrics;
use crate::{Metric, Sample};

/// Shortest block.
const SHORTEST: Duration = Duration::from_secs(1);
/// Most blocks; with more, two and two become one.
const MOST: usize = 128;

/// The blocks of one stage, from the start of its window.
#[derive(Debug, Clone)]
pub(crate) struct Blocks {
    /// What intervals are wanted for; nothing is kept when there is nothing.
    watched: Vec<Statistic>,
    /// Distributions among it.
    metrics: BTreeSet<Metric>,
    length: Duration,
    blocks: Vec<Block>,
    /// Windows of the same stage that are over, each with its length.
    earlier: Vec<(Duration, Self)>,
}

impl Blocks {
    pub(crate) fn new(watched: Vec<Statistic>) -> Self {
        let metrics = watched.iter().filter(|of| of.stat.is_some()).map(|of| of.metric).collect();
        Self { watched, metrics, length: SHORTEST, blocks: Vec::new(), earlier: Vec::new() }
    }

    /// Takes in a measured request that started so long after the start of the window; `good` is 1 when it meets
    /// every objective, else 0.
    pub(crate) fn measured(&mut self, after: Duration, sample: &Sample, of: &RequestMetrics, good: u64) {
        let Some(index) = self.reach(after) else { return };
        self.blocks[index].take(&self.metrics, sample, of, good);
    }

    /// Takes in the end of an ok request inside the window; `good` is 1 when it meets every objective, else 0.
    pub(crate) fn ended(&mut self, after: Duration, good: u64) {
        let Some(index) = self.reach(after) else { return };
        let tally = &mut self.blocks[index].tally;
        tally.ended_ok += 1.0;
        tally.ended_good += good as f64;
    }

    /// Takes in tokens that arrived inside the window.
    pub(crate) fn arrived(&mut self, after: Duration, tokens: f64) {
        let Some(index) = self.reach(after) else { return };
        self.blocks[index].tally.tokens += tokens;
    }

    /// The window is over, and took so long; another of the same stage follows.
    pub(crate) fn then(&mut self, window: Duration, mut later: Self) {
        let mut earlier = std::mem::take(&mut self.earlier);
        let over = std::mem::replace(self, Self::new(Vec::new()));
        earlier.push((window, over));
        earlier.append(&mut later.earlier);
        *self = Self { earlier, ..later };
    }

    /// The place of a moment's block, which is there; nothing when nothing is watched.
    fn reach(&mut self, after: Duration) -> Option<usize> {
        if self.watched.is_empty() {
            return None;
        }
        let mut index = self.index(after);
        while index >= MOST {
            self.length *= 2;
            self.blocks = self.blocks.chunks(2).map(joined).collect();
            index = self.index(after);
        }
        if index >= self.blocks.len() {
            self.blocks.resize_with(index + 1, Block::default);
        }
        Some(index)
    }

    fn index(&self, after: Duration) -> usize {
        // Asked for every token: whole seconds are enough, and far cheaper than nanoseconds of 128 bits.
        usize::try_from(after.as_secs() / self.length.as_secs()).unwrap_or(usize::MAX)
    }

    /// Blocks of at least this length over every window, each with its seconds; `window` is the last one's length. What is
    /// left at the end of a window is joined with its last, and so is what began within the window and lies after it.
    pub(crate) fn grouped(&self, least: Duration, window: Duration) -> Vec<(Block, f64)> {
        let earlier = self.earlier.iter().flat_map(|(window, blocks)| blocks.own(least, *window));
        earlier.chain(self.own(least, window)).collect()
    }

    /// Every window as one block, in order of time, each with its seconds; `window` is the last one's length.
    pub(crate) fn windows(&self, window: Duration) -> Vec<(Block, f64)> {
        let earlier =
            self.earlier.iter().map(|(window, blocks)| (joined(&blocks.blocks), window.as_secs_f64()));
        earlier.chain([(joined(&self.blocks), window.as_secs_f64())]).collect()
    }

    fn own(&self, least: Duration, window: Duration) -> Vec<(Block, f64)> {
        let each =
            usize::try_from(least.as_nanos().div_ceil(self.length.as_nanos())).unwrap_or(usize::MAX).max(1);
        // A window that is long and mostly silent needs no more groups than there are blocks.
        let silent = window.as_nanos() / self.length.as_nanos() / (4 * MOST as u128);
        let each = each.max(usize::try_from(silent).unwrap_or(usize::MAX).saturating_add(1));
        let length = self.length.as_secs_f64() * each as f64;
        let whole = ((window.as_secs_f64() / length) + 1e-9).floor().max(1.0) as usize;
        let mut groups: Vec<(Block, f64)> = (0..whole).map(|_| (Block::default(), length)).collect();
        for (index, block) in self.blocks.iter().enumerate() {
            groups[(index / each).min(whole - 1)].0.merge(block);
        }
        groups[whole - 1].1 = window.as_secs_f64() - length * (whole - 1) as f64;
        groups
    }
}

fn joined(blocks: &[Block]) -> Block {
    let mut all = Block::default();
    blocks.iter().for_each(|block| all.merge(block));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> Blocks {
        Blocks::new(vec![Statistic { metric: Metric::Qps, stat: None }])
    }

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_long_stage_has_longer_blocks_and_loses_nothing() {
        let mut blocks = blocks();
        for second in 0..500 {
            blocks.ended(seconds(f64::from(second)), 1);
        }
        assert!(blocks.blocks.len() <= MOST && blocks.length == 4 * SHORTEST, "{:?}", blocks.length);
        assert!(blocks.blocks.iter().all(|block| (block.tally.ended_ok - 4.0).abs() < 1e-9));
    }

    #[test]
    fn groups_cover_the_window_and_the_rest_goes_to_the_last() {
        let mut blocks = blocks();
        for at in [0.5, 1.5, 2.5, 3.5, 9.9, 10.2, 11.0] {
            blocks.ended(seconds(at), 1);
        }
        let shown = |least: f64, window: f64| -> Vec<(f64, f64)> {
            let groups = blocks.grouped(seconds(least), seconds(window));
            groups.iter().map(|(block, time)| (block.tally.ended_ok, (time * 1e3).round() / 1e3)).collect()
        };
        assert_eq!(shown(2.5, 10.5), [(3.0, 3.0), (1.0, 3.0), (3.0, 4.5)]);
        assert_eq!(shown(20.0, 10.5), [(7.0, 10.5)]);
        assert_eq!(shown(1.0, 10.0).len(), 10);
    }

    #[test]
    fn blocks_do_not_reach_from_one_window_into_the_next() {
        let of = |ends: &[f64]| {
            let mut blocks = blocks();
            ends.iter().for_each(|at| blocks.ended(seconds(*at), 1));
            blocks
        };
        let mut all = of(&[0.5, 1.5, 2.9]);
        all.then(seconds(2.5), of(&[0.1]));
        all.then(seconds(1.0), of(&[0.2, 0.3, 1.2]));
        let shown = |groups: Vec<(Block, f64)>| -> Vec<(f64, f64)> {
            groups.iter().map(|(block, time)| (block.tally.ended_ok, *time)).collect()
        };
        assert_eq!(
            shown(all.grouped(seconds(1.0), seconds(2.0))),
            [(1.0, 1.0), (2.0, 1.5), (1.0, 1.0), (2.0, 1.0), (1.0, 1.0)]
        );
    }
}
