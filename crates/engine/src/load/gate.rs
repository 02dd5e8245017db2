//! The slots of an open loop: a request that finds none waits its turn, first come first served.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use measure::Offset;

/// A request that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    /// Its place among the arrivals, from 0.
    pub(crate) number: u64,
    /// When it was planned to start.
    pub(crate) at: Offset,
    /// When a slot was free for it: `at`, unless it had to wait.
    pub(crate) free: Offset,
}

/// Slots shared by all workers. Locked per request, never per chunk.
#[derive(Debug)]
pub(crate) struct Gate {
    most: usize,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    open: usize,
    arrived: u64,
    /// Arrivals that had a slot, and no ticket.
    refused: u64,
    waiting: VecDeque<Due>,
}

impl Gate {
    pub(crate) fn new(most: u32) -> Self {
        Self { most: most as usize, inside: Mutex::default() }
    }

    /// Most requests in flight.
    pub(crate) fn most(&self) -> u32 {
        u32::try_from(self.most).unwrap_or(u32::MAX)
    }

    /// Every change is complete in itself, so what is behind a poisoned lock is as good.
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request is due: it has a slot, or waits for one.
    pub(super) fn arrive(&self, due: Due) -> Option<Due> {
        let mut inside = self.inside();
        inside.arrived += 1;
        if inside.open < self.most {
            inside.open += 1;
            return Some(due);
        }
        inside.waiting.push_back(due);
        None
    }

    /// A request is over: its slot goes to the one that waits longest, unless nothing is to start any more.
    pub(super) fn leave(&self, now: Offset, goes_on: GoesOn) -> Option<Due> {
        let mut inside = self.inside();
        let next = match goes_on {
            GoesOn::Yes => inside.waiting.pop_front(),
            GoesOn::No => None,
        };
        if next.is_none() {
            inside.open -= 1;
        }
        next.map(|due| Due { free: now, ..due })
    }

    /// A request had a slot, and was not allowed to start: the run's cap is reached.
    pub(super) fn refuse(&self) {
        self.inside().refused += 1;
    }

    /// How many have arrived so far, how many of them wait, and how many were refused.
    pub(crate) fn counts(&self) -> GateCounts {
        let inside = self.inside();
        GateCounts { arrived: inside.arrived, waiting: inside.waiting.len() as u64, refused: inside.refused }
    }
}

/// What became of the arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct GateCounts {
    pub(crate) arrived: u64,
    pub(crate) waiting: u64,
    pub(crate) refused: u64,
}

/// Whether requests that wait may still start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoesOn {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(number: u64, ms: u64) -> Due {
        let at = Offset::from_nanos(ms * 1_000_000);
        Due { number, at, free: at }
    }

    #[test]
    fn who_finds_no_slot_waits_its_turn_and_is_told_when_it_was_free() {
        let gate = Gate::new(2);
        assert!(gate.arrive(due(0, 0)).is_some() && gate.arrive(due(1, 10)).is_some());
        assert_eq!((gate.arrive(due(2, 20)), gate.arrive(due(3, 30))), (None, None));
        let now = Offset::from_nanos(50_000_000);
        let next = gate.leave(now, GoesOn::Yes).unwrap();
        assert_eq!((next.number, next.at, next.free), (2, due(2, 20).at, now));
        assert_eq!(gate.leave(now, GoesOn::Yes).unwrap().number, 3);
        assert_eq!((gate.leave(now, GoesOn::Yes), gate.leave(now, GoesOn::Yes)), (None, None));
        assert!(gate.arrive(due(4, 60)).is_some(), "both slots are free again");
        assert_eq!(gate.counts(), GateCounts { arrived: 5, ..GateCounts::default() });
    }

    #[test]
    fn who_still_waits_when_the_time_is_over_stays_outside() {
        let gate = Gate::new(1);
        gate.arrive(due(0, 0));
        gate.arrive(due(1, 1));
        assert_eq!(gate.leave(Offset::ORIGIN, GoesOn::No), None);
        assert_eq!(gate.counts(), GateCounts { arrived: 2, waiting: 1, refused: 0 });
    }
}
