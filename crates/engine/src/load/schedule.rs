//! The tickets of an order: no clock of its own, the asker says what time it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use measure::Offset;
use measure::sample::Phase;

use super::Budget;
use super::timetable::{Belongs, Timetable};

/// Permission to send one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    /// Number of the request in the run.
    pub(crate) seq: u64,
    /// Index of the stage it is counted in; absent before the first.
    pub(crate) stage: Option<usize>,
    /// Phase it is counted in.
    pub(crate) phase: Phase,
}

/// What ends the tickets of a closed loop beside the time.
#[derive(Debug)]
pub(crate) enum Ends {
    /// Nothing else.
    ByTime,
    /// So many tickets are left.
    Count(AtomicU64),
    /// Each user has one.
    OnceEach,
}

/// Who may send, shared by all workers.
#[derive(Debug)]
pub(crate) struct Schedule {
    timetable: Timetable,
    ends: Ends,
    budget: Arc<Budget>,
}

impl Schedule {
    pub(crate) fn new(timetable: Timetable, ends: Ends, budget: Arc<Budget>) -> Self {
        Self { timetable, ends, budget }
    }

    pub(crate) fn timetable(&self) -> &Timetable {
        &self.timetable
    }

    /// Whether the run's cap has refused a request: all later ones would be refused as well.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.is_spent()
    }

    /// The next ticket for a user who is free at `now` and has had `had` tickets.
    pub(super) fn next(&self, now: Offset, had: u64) -> Option<Ticket> {
        let belongs = self.timetable.at(now)?;
        match &self.ends {
            Ends::ByTime => {}
            Ends::OnceEach if had > 0 => return None,
            Ends::OnceEach => {}
            Ends::Count(left) => {
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()?;
            }
        }
        self.issue(now, belongs)
    }

    /// The ticket of a request that was due in time and starts now.
    pub(super) fn for_due(&self, now: Offset) -> Option<Ticket> {
        self.issue(now, self.timetable.last_at(now))
    }

    fn issue(&self, now: Offset, Belongs { stage, phase }: Belongs) -> Option<Ticket> {
        self.budget.take(now).map(|seq| Ticket { seq, stage, phase })
    }
}

#[cfg(test)]
mod tests {
    use scenario::plan::ThinkTime;

    use super::super::timetable::Leg;
    use super::*;

    fn at(ms: u64) -> Offset {
        Offset::from_nanos(ms * 1_000_000)
    }

    fn schedule(until: Option<u64>, ends: Ends, budget: &Arc<Budget>) -> Schedule {
        let timetable = Timetable::of(Leg {
            stage: Some(0),
            from: at(0),
            measured_from: at(0),
            until: until.map(at),
            only: None,
            think_time: ThinkTime::default(),
        });
        Schedule::new(timetable, ends, Arc::clone(budget))
    }

    #[test]
    fn tickets_are_numbered_and_end_with_the_time() {
        let schedule = schedule(Some(200), Ends::ByTime, &Arc::new(Budget::new(None)));
        let ticket = |seq| Some(Ticket { seq, stage: Some(0), phase: Phase::Measure });
        assert_eq!((schedule.next(at(0), 0), schedule.next(at(199), 1)), (ticket(0), ticket(1)));
        assert_eq!(schedule.next(at(200), 2), None);
        assert_eq!(schedule.for_due(at(201)), ticket(2), "it was due before");
    }

    #[test]
    fn a_counted_schedule_gives_exactly_its_tickets_and_the_cap_cuts_it() {
        let count = |n| Ends::Count(AtomicU64::new(n));
        let free = schedule(None, count(3), &Arc::new(Budget::new(None)));
        assert_eq!(std::iter::from_fn(|| free.next(at(0), 0)).count(), 3);
        let budget = Arc::new(Budget::new(Some(2)));
        let capped = schedule(None, count(3), &budget);
        assert_eq!(std::iter::from_fn(|| capped.next(at(0), 0)).count(), 2);
        assert!(budget.is_spent());
    }

    #[test]
    fn one_ticket_each_is_for_users_who_had_none() {
        let schedule = schedule(None, Ends::OnceEach, &Arc::new(Budget::new(None)));
        assert!(schedule.next(at(0), 0).is_some());
        assert_eq!(schedule.next(at(1), 1), None);
        assert!(schedule.next(at(5000), 0).is_some(), "a user who starts late has its ticket too");
    }
}
