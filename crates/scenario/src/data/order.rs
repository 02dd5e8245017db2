//! Which row a request takes: a pure function of its number and the seed, so that no state is shared.

/// How rows follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderKind {
    RoundRobin,
    /// Every row once per pass, each pass in another order.
    Shuffle,
    /// Any row, independent of all others.
    Random,
}

/// An order over a fixed number of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    kind: OrderKind,
    seed: u64,
    /// At least 1.
    rows: u64,
}

impl Order {
    /// An order over `rows` rows (at least one).
    pub(crate) fn new(kind: OrderKind, seed: u64, rows: usize) -> Self {
        Self { kind, seed, rows: (rows as u64).max(1) }
    }

    /// 0-based row of the `seq`-th request (0-based).
    pub(crate) fn row(&self, seq: u64) -> usize {
        let row = match self.kind {
            OrderKind::RoundRobin => seq % self.rows,
            OrderKind::Random => mix(mix(self.seed) ^ seq) % self.rows,
            OrderKind::Shuffle => self.shuffled(seq % self.rows, mix(mix(self.seed) ^ (seq / self.rows))),
        };
        row as usize
    }

    /// In words, with the seed where it decides which row is next.
    pub(crate) fn text(&self) -> String {
        match self.kind {
            OrderKind::RoundRobin => "round-robin".to_owned(),
            // Of one row, whatever follows is that row.
            _ if self.rows == 1 => "round-robin".to_owned(),
            OrderKind::Shuffle => format!("shuffle, seed {}", self.seed),
            OrderKind::Random => format!("random, seed {}", self.seed),
        }
    }

    /// A Feistel network over the next power of four is a permutation; walking on from values outside the rows keeps
    /// it one. Unlike a stored shuffle it costs nothing per pass.
    fn shuffled(&self, index: u64, key: u64) -> u64 {
        const ROUNDS: u64 = 7;
        let half = (64 - (self.rows - 1).leading_zeros()).div_ceil(2).max(1);
        let mask = (1u64 << half) - 1;
        let mut value = index;
        loop {
            let (mut left, mut right) = (value >> half, value & mask);
            for round in 0..ROUNDS {
                (left, right) = (right, left ^ (mix(key ^ (round << 48) ^ right) & mask));
            }
            value = left << half | right;
            if value < self.rows {
                return value;
            }
        }
    }
}

/// SplitMix64: the same on every machine and in every version, so that a seed always sends the same rows.
pub(super) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_shuffle_takes_every_row_once_per_pass_and_passes_differ() {
        for rows in [1, 2, 3, 5, 8, 17, 100, 1000] {
            let order = Order::new(OrderKind::Shuffle, 1, rows);
            let pass = |nth: u64| -> Vec<usize> {
                (0..rows as u64).map(|index| order.row(nth * rows as u64 + index)).collect()
            };
            for nth in 0..3 {
                assert_eq!(
                    pass(nth).into_iter().collect::<BTreeSet<_>>().len(),
                    rows,
                    "{rows} rows, pass {nth}"
                );
            }
            assert!(rows < 5 || pass(0) != pass(1), "{rows} rows");
        }
    }

    #[test]
    fn a_seed_fixes_the_rows_and_another_seed_changes_them() {
        for kind in [OrderKind::Shuffle, OrderKind::Random] {
            let rows =
                |seed| -> Vec<usize> { (0..50).map(|seq| Order::new(kind, seed, 50).row(seq)).collect() };
            assert_eq!(rows(1), rows(1));
            assert_ne!(rows(1), rows(2));
        }
    }

    #[test]
    fn round_robin_goes_round() {
        let order = Order::new(OrderKind::RoundRobin, 1, 3);
        assert_eq!((0..7).map(|seq| order.row(seq)).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn random_reaches_every_row_about_equally() {
        let order = Order::new(OrderKind::Random, 7, 10);
        let mut counts = [0u32; 10];
        (0..10_000).for_each(|seq| counts[order.row(seq)] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
