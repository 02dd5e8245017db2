//! Where everything random of an order comes from, and whose turn it is among rows and keys. The two blocks of a pair of an
//! A/B run get the same of both, so that they send the same; pairs differ.

use std::sync::atomic::{AtomicU64, Ordering};

/// The golden ratio's part: multiples of it lie evenly between 0 and 1, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// What arrivals, pauses and who leaves are drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Draw {
    pub(crate) seed: u64,
    /// How far into the first interval even arrivals begin, 0..1: a block that always began with an arrival would have too
    /// many.
    pub(crate) phase: f64,
}

impl Draw {
    /// Of stages that are run as a whole.
    pub(crate) fn of_run(seed: u64) -> Self {
        Self { seed, phase: 0.0 }
    }

    /// Of a pair of blocks, which has this number from 1, of a stage.
    pub(crate) fn of_pair(seed: u64, stage: usize, pair: u32) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed.wrapping_add((stage as u64) << 32 | u64::from(pair)));
        Self { seed: rng.u64(..), phase: (f64::from(pair) * GOLDEN).fract() }
    }
}

/// Numbers by which rows and keys take turns.
#[derive(Debug)]
pub(crate) struct Turns(Option<AtomicU64>);

impl Turns {
    /// Those of the requests in the run.
    pub(crate) fn of_run() -> Self {
        Self(None)
    }

    /// One after another from here on.
    pub(crate) fn from(first: u64) -> Self {
        Self(Some(AtomicU64::new(first)))
    }

    /// That of the next request, which is the `seq`-th of the run.
    pub(super) fn next(&self, seq: u64) -> u64 {
        self.0.as_ref().map_or(seq, |next| next.fetch_add(1, Ordering::Relaxed))
    }

    /// The first that nobody had; `None` of those of the run.
    pub(crate) fn reached(&self) -> Option<u64> {
        self.0.as_ref().map(|next| next.load(Ordering::Relaxed))
    }
}

/// The turns of an A/B run, pair by pair.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Stage and number of the latest.
    latest: Option<(usize, u32)>,
    /// Where its blocks begin.
    from: u64,
    /// The first turn that neither of them had.
    reached: u64,
}

impl Pairs {
    /// The turns of a block of this pair.
    pub(crate) fn turns(&mut self, stage: usize, pair: u32) -> Turns {
        if self.latest != Some((stage, pair)) {
            (self.latest, self.from) = (Some((stage, pair)), self.reached);
        }
        Turns::from(self.from)
    }

    /// A block got so far.
    pub(crate) fn reached(&mut self, turn: Option<u64>) {
        self.reached = self.reached.max(turn.unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_blocks_of_a_pair_have_the_same_turns_and_the_next_pair_goes_on_after_the_longer() {
        let mut pairs = Pairs::default();
        let mut block = |stage, pair, requests: u64| {
            let turns = pairs.turns(stage, pair);
            let had: Vec<u64> = (0..requests).map(|seq| turns.next(100 + seq)).collect();
            pairs.reached(turns.reached());
            had
        };
        assert_eq!((block(0, 1, 3), block(0, 1, 2)), (vec![0, 1, 2], vec![0, 1]));
        assert_eq!((block(0, 2, 1), block(0, 2, 2)), (vec![3], vec![3, 4]));
        assert_eq!(block(1, 1, 1), [5]);
        assert_eq!(Turns::of_run().next(7), 7);
    }

    #[test]
    fn pairs_are_drawn_apart_and_begin_evenly_spread() {
        let draws: Vec<Draw> = (1..=10).map(|pair| Draw::of_pair(1, 0, pair)).collect();
        assert_eq!(draws[2], Draw::of_pair(1, 0, 3));
        assert!(draws.windows(2).all(|pair| pair[0].seed != pair[1].seed));
        assert_ne!(draws[0].seed, Draw::of_pair(1, 1, 1).seed);
        for tenth in 0..5 {
            let part = f64::from(tenth) * 0.2..f64::from(tenth + 1) * 0.2;
            assert_eq!(draws.iter().filter(|draw| part.contains(&draw.phase)).count(), 2, "{tenth}");
        }
    }
}
