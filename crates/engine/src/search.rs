//! Bisection for the highest level (users, or requests per second) that meets the checks. Pure: what a stage showed is handed in.

use scenario::plan::Search;

/// What a stage showed about its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Every check held.
    Holds,
    /// A check did not.
    Breaks,
    /// Too little was measured to say.
    Nothing,
}

/// What is known so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bisection {
    low: u32,
    high: u32,
    resolution: u32,
    holds: Option<u32>,
    breaks: Option<u32>,
    undecided: Option<u32>,
}

/// What a search proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proved {
    /// Highest level that met every check.
    pub holds: Option<u32>,
    /// Lowest above it that did not.
    pub breaks: Option<u32>,
    /// Where too little was measured to go on.
    pub undecided: Option<u32>,
}

impl Bisection {
    pub(crate) fn new(search: &Search) -> Self {
        Self {
            low: search.low,
            high: search.high,
            resolution: search.resolution,
            holds: None,
            breaks: None,
            undecided: None,
        }
    }

    /// Takes in what a stage showed. One that breaks is believed over one that holds above it: load that is too much once is
    /// too much.
    pub(crate) fn learn(&mut self, users: u32, shown: Shown) {
        if !(self.low..=self.high).contains(&users) {
            return;
        }
        match shown {
            Shown::Holds if self.breaks.is_none_or(|breaks| users < breaks) => {
                self.holds = self.holds.max(Some(users));
            }
            Shown::Holds => {}
            Shown::Breaks => {
                self.breaks = Some(self.breaks.map_or(users, |breaks| breaks.min(users)));
                self.holds = self.holds.filter(|holds| *holds < users);
            }
            Shown::Nothing => self.undecided = Some(users),
        }
    }

    /// The concurrency to try next; `None` when the boundary is known as well as asked, or cannot be.
    pub(crate) fn next(&self) -> Option<u32> {
        if self.undecided.is_some() {
            return None;
        }
        match (self.holds, self.breaks) {
            (None, None) => Some(self.low),
            (None, Some(breaks)) => (breaks > self.low).then_some(self.low),
            (Some(holds), None) => (holds < self.high).then_some(self.high),
            (Some(holds), Some(breaks)) => {
                (breaks - holds > self.resolution).then(|| u32::midpoint(holds, breaks))
            }
        }
    }

    pub(crate) fn proved(&self) -> Proved {
        Proved { holds: self.holds, breaks: self.breaks, undecided: self.undecided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bisection(low: u32, high: u32, resolution: u32) -> Bisection {
        Bisection { low, high, resolution, holds: None, breaks: None, undecided: None }
    }

    /// Searches an endpoint that breaks from `limit` users on; gives what was proved, and the steps.
    fn run(mut bisection: Bisection, limit: u32) -> (Proved, Vec<u32>) {
        let mut steps = Vec::new();
        while let Some(users) = bisection.next() {
            steps.push(users);
            bisection.learn(users, if users < limit { Shown::Holds } else { Shown::Breaks });
        }
        (bisection.proved(), steps)
    }

    #[test]
    fn every_limit_is_enclosed_within_the_resolution() {
        for resolution in [1, 2, 5] {
            for limit in 11..=50 {
                let (proved, steps) = run(bisection(10, 50, resolution), limit);
                let (holds, breaks) = (proved.holds.unwrap(), proved.breaks.unwrap());
                assert!(
                    holds < limit && limit <= breaks && breaks - holds <= resolution,
                    "{limit}: {proved:?}"
                );
                assert!(steps.len() <= 8, "{steps:?}");
            }
        }
    }

    #[test]
    fn a_limit_outside_the_range_is_said_to_be_so() {
        let (proved, steps) = run(bisection(10, 50, 5), 5);
        assert_eq!((proved.holds, proved.breaks, steps), (None, Some(10), vec![10]));
        let (proved, steps) = run(bisection(10, 50, 5), 99);
        assert_eq!((proved.holds, proved.breaks, steps), (Some(50), None, vec![10, 50]));
    }

    #[test]
    fn what_the_ladder_showed_is_not_tried_again() {
        let mut known = bisection(10, 50, 5);
        known.learn(5, Shown::Breaks);
        known.learn(20, Shown::Holds);
        known.learn(50, Shown::Breaks);
        assert_eq!(known.next(), Some(35), "below the range nothing counts");
        known.learn(35, Shown::Nothing);
        assert_eq!((known.next(), known.proved().undecided), (None, Some(35)));
    }

    #[test]
    fn a_break_below_what_held_is_believed() {
        let mut odd = bisection(10, 50, 5);
        odd.learn(40, Shown::Holds);
        odd.learn(20, Shown::Breaks);
        assert_eq!((odd.proved().holds, odd.proved().breaks, odd.next()), (None, Some(20), Some(10)));
        odd.learn(30, Shown::Holds);
        assert_eq!(odd.proved().holds, None);
    }
}
