//! An A/B run: the same stages on two sides, which alternate in short blocks.

use std::time::Duration;

use super::{Bodies, Plan, Server, Stage, StageEnd, Target, Work};

/// Blocks that a stage of an A/B run is cut into, on each side; fewer where it counts requests and has few of them.
pub const BLOCKS_PER_SIDE: u32 = 10;

/// B of an A/B run.
#[derive(Debug, Clone)]
pub struct Side {
    /// What is tested.
    pub target: Target,
    /// What is sent: the rows and their order are A's, the protocol and the model its own.
    pub bodies: Bodies,
}

impl Plan {
    /// The same run with B in the place of A, and nothing against it; `None` where there is no B.
    pub fn of_b(&self) -> Option<Self> {
        let Side { target, bodies } = self.against.clone()?;
        Some(Self { target, bodies, against: None, ..self.clone() })
    }

    /// Whether any side is on a host that is not this machine.
    pub fn leaves_this_machine(&self) -> bool {
        let b = self.against.as_ref().map(|side| &side.target);
        let mut targets = [&self.target].into_iter().chain(b);
        targets.any(|target| matches!(&target.server, Server::At(endpoint) if !endpoint.is_loopback()))
    }

    /// How many targets are under load.
    pub(crate) fn sides(&self) -> u32 {
        if self.against.is_some() { 2 } else { 1 }
    }
}

impl Stage {
    /// How many blocks it is cut into on each side, at least 2. One that counts requests has at least two of them per
    /// user in each block, if there are enough.
    pub fn blocks(&self) -> u32 {
        let Some(requests) = self.requests() else { return BLOCKS_PER_SIDE };
        let users = match self.work {
            Work::Users { count, .. } => count.max(1),
            Work::Arrivals { .. } => 1,
        };
        let full = requests / (2 * u64::from(users));
        full.clamp(2, BLOCKS_PER_SIDE.into()) as u32
    }

    /// The `index`-th (from 0) of so many blocks. Each starts as the stage does, with its ramp; together they last as long
    /// as its window, or send as many requests.
    pub fn block(&self, blocks: u32, index: u32) -> Self {
        let end = match self.end {
            StageEnd::After(window) => {
                // Windows are far shorter than the 584 years of a u64.
                let nanos = window.as_nanos() as u64;
                StageEnd::After(Duration::from_nanos(part(nanos, blocks, index).max(1)))
            }
            StageEnd::Requests(requests) => StageEnd::Requests(part(requests, blocks, index)),
            StageEnd::OnePerUser => StageEnd::OnePerUser,
        };
        Self { end, ..self.clone() }
    }
}

/// The `index`-th of so many parts that differ by 1 at most and are the whole together.
fn part(whole: u64, parts: u32, index: u32) -> u64 {
    let before = |index: u32| u128::from(whole) * u128::from(index) / u128::from(parts.max(1));
    (before(index + 1) - before(index)) as u64
}

#[cfg(test)]
mod tests {
    use super::super::{Arrival, Shape, ThinkTime};
    use super::*;

    fn users(count: u32, end: StageEnd) -> Stage {
        let work = Work::Users { count, think_time: ThinkTime::default() };
        Stage { name: "c".into(), work, shape: Shape::AT_ONCE, end }
    }

    #[test]
    fn a_stage_that_lasts_for_a_time_is_cut_into_ten_equal_blocks() {
        let stage = users(5, StageEnd::After(Duration::from_secs(60)));
        assert_eq!(stage.blocks(), 10);
        for index in 0..10 {
            assert_eq!(stage.block(10, index).end, StageEnd::After(Duration::from_secs(6)));
        }
    }

    #[test]
    fn blocks_of_requests_are_the_whole_together_and_differ_by_one_at_most() {
        let stage = users(1, StageEnd::Requests(23));
        let parts: Vec<u64> = (0..10).filter_map(|index| stage.block(10, index).requests()).collect();
        assert_eq!(parts.iter().sum::<u64>(), 23);
        assert!(parts.iter().all(|part| [2, 3].contains(part)), "{parts:?}");
    }

    #[test]
    fn a_block_has_two_requests_per_user_where_there_are_enough() {
        for (count, requests, blocks) in [(1, 1000, 10), (5, 100, 10), (5, 60, 6), (5, 20, 2), (50, 20, 2)] {
            assert_eq!(users(count, StageEnd::Requests(requests)).blocks(), blocks, "{requests} of {count}");
        }
        let work = Work::Arrivals { rate: 3.0, arrival: Arrival::Constant, max_in_flight: 100 };
        let open = Stage { work, ..users(1, StageEnd::Requests(16)) };
        assert_eq!(open.blocks(), 8);
    }

    #[test]
    fn each_block_starts_as_the_stage_does() {
        let shape = Shape::Step { ramp_up: Duration::from_secs(5), together: 2 };
        let stage = Stage { shape, ..users(10, StageEnd::After(Duration::from_secs(60))) };
        assert_eq!(stage.block(10, 3).shape, shape);
    }
}
