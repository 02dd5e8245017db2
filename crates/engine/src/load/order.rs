//! What the workers are to do together: one stage, or several that run on without a drain.

use measure::Offset;
use scenario::plan::{Cancel, Retry};

use super::arrivals::Arrivals;
use super::draw::Turns;
use super::gate::{Gate, GateCounts, GoesOn};
use super::schedule::{Schedule, Ticket};
use super::shifts::Shifts;
use crate::stop::{Stop, Urgency};

/// One order, shared by all workers.
#[derive(Debug)]
pub(crate) struct Order {
    /// When it begins.
    pub(crate) starts_at: Offset,
    pub(crate) crew: Crew,
    pub(crate) schedule: Schedule,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) retry: Retry,
    pub(crate) stop: Stop,
    pub(crate) seed: u64,
    pub(crate) turns: Turns,
}

/// Who sends.
#[derive(Debug)]
pub(crate) enum Crew {
    /// Users, each at its times.
    Users(Shifts),
    /// Whoever is free when a request is due.
    Arrivals(Arrivals, Gate),
}

impl Order {
    pub(super) fn next_ticket(&self, now: Offset, had: u64) -> Option<Ticket> {
        match self.stop.urgency() {
            Urgency::None => self.schedule.next(now, had),
            Urgency::Drain | Urgency::Now => None,
        }
    }

    /// Whether something may still start at this moment.
    pub(super) fn goes_on(&self, now: Offset) -> GoesOn {
        let over = self.schedule.timetable().end().is_some_and(|end| now >= end);
        match over || self.stop.urgency() > Urgency::None {
            true => GoesOn::No,
            false => GoesOn::Yes,
        }
    }

    /// What is wanted at a moment: users, or slots and a rate.
    pub(crate) fn target(&self, at: Offset) -> (u32, Option<f64>) {
        let since = at.since(self.starts_at);
        match &self.crew {
            Crew::Users(shifts) => (shifts.target(since), None),
            Crew::Arrivals(arrivals, gate) => (gate.most(), arrivals.rate_at(since)),
        }
    }

    /// The row of the data that belongs to an arrival; `None` where rows take turns.
    pub(super) fn row(&self, number: u64, rows: usize) -> Option<usize> {
        let is_trace = matches!(&self.crew, Crew::Arrivals(arrivals, _) if arrivals.is_trace());
        is_trace.then(|| (number % rows.max(1) as u64) as usize)
    }

    /// What became of the arrivals so far; nothing in a closed loop.
    pub(crate) fn arrivals(&self) -> GateCounts {
        match &self.crew {
            Crew::Users(_) => GateCounts::default(),
            Crew::Arrivals(_, gate) => gate.counts(),
        }
    }
}
