//! The tickets of one stage: no clock of its own, the asker says what time it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use measure::Offset;
use measure::sample::Phase;

use super::Budget;

/// Permission to send one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Number of the request in the run.
    pub(crate) seq: u64,
    /// Phase it is counted in.
    pub(crate) phase: Phase,
}

/// When tickets run out.
#[derive(Debug)]
pub(crate) enum Rule {
    /// At a moment; before the window begins, tickets belong to the ramp.
    Until {
        /// Begin of the window.
        window_start: Offset,
        /// End of the window.
        window_end: Offset,
    },
    /// After so many tickets, all of one phase.
    Count {
        /// Tickets left.
        left: AtomicU64,
        /// Their phase.
        phase: Phase,
    },
    /// After one ticket for each user.
    Once {
        /// Their phase.
        phase: Phase,
    },
    /// At a moment, all of one phase.
    Span {
        /// The moment.
        end: Offset,
        /// Their phase.
        phase: Phase,
    },
}

/// A closed loop's schedule: a ticket for whoever asks, until they run out. Shared by all workers.
#[derive(Debug)]
pub(crate) struct Schedule {
    rule: Rule,
    budget: Arc<Budget>,
}

impl Schedule {
    pub(crate) fn new(rule: Rule, budget: Arc<Budget>) -> Self {
        Self { rule, budget }
    }

    /// The next ticket for a user who is free at `now` and has had `had` tickets.
    pub(crate) fn next(&self, now: Offset, had: u64) -> Option<Ticket> {
        let phase = match &self.rule {
            Rule::Until { window_end, .. } if now >= *window_end => return None,
            Rule::Until { window_start, .. } if now < *window_start => Phase::Ramp,
            Rule::Until { .. } => Phase::Measure,
            Rule::Span { end, .. } if now >= *end => return None,
            Rule::Span { phase, .. } => *phase,
            Rule::Once { .. } if had > 0 => return None,
            Rule::Once { phase } => *phase,
            Rule::Count { left, phase } => {
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()?;
                *phase
            }
        };
        self.budget.take(now).map(|seq| Ticket { seq, phase })
    }

    /// When a pausing user need not wake any more.
    pub(crate) fn end(&self) -> Option<Offset> {
        match &self.rule {
            Rule::Until { window_end, .. } => Some(*window_end),
            Rule::Span { end, .. } => Some(*end),
            Rule::Count { .. } | Rule::Once { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Offset {
        Offset::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn a_ticket_belongs_to_the_phase_in_which_it_is_asked_for_to_the_nanosecond() {
        let rule = Rule::Until { window_start: at(100), window_end: at(200) };
        let schedule = Schedule::new(rule, Arc::new(Budget::new(None)));
        let before = |offset: Offset| Offset::from_nanos(offset.nanos() - 1);
        assert_eq!(schedule.next(at(0), 0), Some(Ticket { seq: 0, phase: Phase::Ramp }));
        assert_eq!(schedule.next(before(at(100)), 0), Some(Ticket { seq: 1, phase: Phase::Ramp }));
        assert_eq!(schedule.next(at(100), 0), Some(Ticket { seq: 2, phase: Phase::Measure }));
        assert_eq!(schedule.next(before(at(200)), 0), Some(Ticket { seq: 3, phase: Phase::Measure }));
        assert_eq!(schedule.next(at(200), 0), None);
    }

    #[test]
    fn a_counted_schedule_gives_exactly_its_tickets_and_the_cap_cuts_it() {
        let count = |n| Rule::Count { left: AtomicU64::new(n), phase: Phase::Measure };
        let schedule = Schedule::new(count(3), Arc::new(Budget::new(None)));
        assert_eq!(std::iter::from_fn(|| schedule.next(at(0), 0)).count(), 3);
        let budget = Arc::new(Budget::new(Some(2)));
        let capped = Schedule::new(count(3), Arc::clone(&budget));
        assert_eq!(std::iter::from_fn(|| capped.next(at(0), 0)).count(), 2);
        assert!(budget.is_spent());
    }

    #[test]
    fn one_ticket_each_is_for_users_who_had_none() {
        let schedule = Schedule::new(Rule::Once { phase: Phase::Measure }, Arc::new(Budget::new(None)));
        assert!(schedule.next(at(0), 0).is_some());
        assert_eq!(schedule.next(at(1), 1), None);
        assert!(schedule.next(at(5000), 0).is_some(), "a user who starts late has its ticket too");
    }
}
