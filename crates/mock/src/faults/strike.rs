//! Which fault a request meets and where in the answer: drawn from seed and running number alone.

use super::{Fault, Faults};

/// A fault that is going to strike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Strike {
    pub(crate) fault: Fault,
    /// From 0 to 1: the earlier part stands for "before the first token".
    place: f64,
}

/// The last thing that is sent before a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nothing, not even the response head.
    BeforeHead,
    /// The head, what opens the answer, and so many tokens; perhaps none, perhaps all of them, but never what ends it.
    AfterTokens(usize),
}

impl Faults {
    /// What request number `ordinal` meets: the same seed and ordinal draw the same.
    pub(crate) fn strike(&self, seed: u64, ordinal: u64) -> Option<Strike> {
        // Another constant than that of the schedule: who is slow must not be who fails.
        let mut rng = fastrand::Rng::with_seed(seed ^ ordinal.wrapping_mul(0xD1B5_4A32_D192_ED03));
        let (point, place) = (rng.f64(), rng.f64());
        self.at(point).map(|fault| Strike { fault, place })
    }
}

impl Strike {
    /// Where it cuts an answer of so many tokens: a quarter before the first token, where it can be half of them even
    /// before the head; the others after one to all tokens, evenly.
    pub(crate) fn cut(self, tokens: usize) -> Cut {
        if self.fault == Fault::Close || (self.may_precede_head() && self.place < BEFORE_HEAD) {
            return Cut::BeforeHead;
        }
        if self.place < BEFORE_TOKENS {
            return Cut::AfterTokens(0);
        }
        let share = (self.place - BEFORE_TOKENS) / (1.0 - BEFORE_TOKENS);
        // The draw is below 1, so that the cast rounds down to at most `tokens - 1`.
        Cut::AfterTokens((1 + (share * tokens as f64) as usize).min(tokens))
    }

    fn may_precede_head(self) -> bool {
        matches!(self.fault, Fault::Reset | Fault::Stall)
    }
}

const BEFORE_HEAD: f64 = 0.125;
const BEFORE_TOKENS: f64 = 0.25;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn faults(shares: &[(Fault, f64)]) -> Faults {
        let mut faults = Faults::default();
        for (fault, share) in shares {
            faults.set(*fault, *share).unwrap();
        }
        faults
    }

    #[test]
    fn the_same_seed_and_ordinal_meet_the_same_fault() {
        let faults = faults(&[(Fault::Reset, 0.5)]);
        let drawn = |seed| (0..100).map(|ordinal| faults.strike(seed, ordinal)).collect::<Vec<_>>();
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
    }

    #[test]
    fn each_fault_gets_its_share_and_the_rest_none() {
        let faults = faults(&[(Fault::Close, 0.02), (Fault::Unavailable, 0.1), (Fault::InbandError, 0.3)]);
        let mut counts = BTreeMap::new();
        for ordinal in 0..50_000 {
            let fault = faults.strike(1, ordinal).map(|strike| strike.fault);
            *counts.entry(fault).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 4, "{counts:?}");
        for (fault, share) in [
            (Some(Fault::Close), 0.02),
            (Some(Fault::Unavailable), 0.1),
            (Some(Fault::InbandError), 0.3),
            (None, 0.58),
        ] {
            let found = f64::from(counts[&fault]) / 50_000.0;
            // Five standard deviations of the widest of them.
            assert!((found - share).abs() < 0.011, "{fault:?} {found}");
        }
    }

    #[test]
    fn all_and_nothing_are_exact() {
        let all = faults(&[(Fault::Stall, 0.5), (Fault::Truncated, 0.5)]);
        assert!((0..1000).all(|ordinal| all.strike(1, ordinal).is_some()));
        assert!((0..1000).all(|ordinal| Faults::default().strike(1, ordinal).is_none()));
    }

    #[test]
    fn a_cut_lies_anywhere_up_to_the_last_token() {
        use Cut::{AfterTokens, BeforeHead};
        let rows = [
            (Fault::Reset, 0.0, BeforeHead),
            (Fault::Stall, 0.124, BeforeHead),
            (Fault::Reset, 0.125, AfterTokens(0)),
            (Fault::Truncated, 0.0, AfterTokens(0)),
            (Fault::InbandError, 0.249, AfterTokens(0)),
            (Fault::InbandError, 0.25, AfterTokens(1)),
            (Fault::Truncated, 0.999_999, AfterTokens(8)),
            (Fault::Close, 0.999_999, BeforeHead),
        ];
        for (fault, place, expected) in rows {
            assert_eq!(Strike { fault, place }.cut(8), expected, "{fault:?} {place}");
        }
        assert_eq!(Strike { fault: Fault::Reset, place: 0.9 }.cut(0), AfterTokens(0));
    }
}
