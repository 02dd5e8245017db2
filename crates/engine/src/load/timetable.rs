//! Which stage and phase a moment belongs to. Pure: the asker says what time it is.

use measure::Offset;
use measure::sample::Phase;
use scenario::plan::ThinkTime;

/// One stage of an order, in time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leg {
    /// Index of the stage; absent for the preflight.
    pub(crate) stage: Option<usize>,
    /// When it begins, with its ramp.
    pub(crate) from: Offset,
    /// When its window begins.
    pub(crate) measured_from: Offset,
    /// When nothing more of it starts; `None` where requests are counted.
    pub(crate) until: Option<Offset>,
    /// The phase of all its requests, where the time does not decide.
    pub(crate) only: Option<Phase>,
    /// Pause of its users between two requests.
    pub(crate) think_time: ThinkTime,
}

impl Leg {
    fn phase(&self, at: Offset) -> Phase {
        match self.only {
            Some(only) => only,
            None if at < self.measured_from => Phase::Ramp,
            None => Phase::Measure,
        }
    }
}

/// The legs of an order one after another, without a hole; never empty.
#[derive(Debug, Clone)]
pub(crate) struct Timetable {
    first: Leg,
    rest: Vec<Leg>,
}

impl Timetable {
    /// An order of one stage.
    pub(crate) fn of(leg: Leg) -> Self {
        Self { first: leg, rest: Vec::new() }
    }

    /// Goes on with another stage.
    pub(crate) fn then(&mut self, leg: Leg) {
        self.rest.push(leg);
    }

    pub(crate) fn legs(&self) -> impl Iterator<Item = &Leg> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// The number of the leg that has begun last.
    pub(crate) fn leg_at(&self, at: Offset) -> usize {
        self.rest.iter().take_while(|leg| leg.from <= at).count()
    }

    /// The leg of that number; the last where there are not so many.
    pub(crate) fn leg(&self, number: usize) -> &Leg {
        number
            .checked_sub(1)
            .and_then(|number| self.rest.get(number).or(self.rest.last()))
            .unwrap_or(&self.first)
    }

    /// When nothing more starts, where time says so.
    pub(crate) fn end(&self) -> Option<Offset> {
        self.rest.last().unwrap_or(&self.first).until
    }

    /// What a request that starts at this moment belongs to; `None` when the time for starting is over.
    pub(super) fn at(&self, at: Offset) -> Option<Belongs> {
        self.end().is_none_or(|end| at < end).then(|| self.last_at(at))
    }

    /// The same for a request that was due in time and starts a little late.
    pub(super) fn last_at(&self, at: Offset) -> Belongs {
        let leg = self.leg(self.leg_at(at));
        Belongs { stage: leg.stage, phase: leg.phase(at) }
    }
}

/// Where a request is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Belongs {
    pub(super) stage: Option<usize>,
    pub(super) phase: Phase,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Offset {
        Offset::from_nanos(ms * 1_000_000)
    }

    fn before(offset: Offset) -> Offset {
        Offset::from_nanos(offset.nanos() - 1)
    }

    fn leg(stage: usize, from: u64, measured_from: u64, until: u64) -> Leg {
        Leg {
            stage: Some(stage),
            from: at(from),
            measured_from: at(measured_from),
            until: Some(at(until)),
            only: None,
            think_time: ThinkTime::default(),
        }
    }

    #[test]
    fn a_moment_belongs_to_its_stage_and_phase_to_the_nanosecond() {
        let mut timetable = Timetable::of(leg(3, 0, 100, 200));
        timetable.then(leg(4, 200, 200, 300));
        let table = [
            (at(0), Some((3, Phase::Ramp))),
            (before(at(100)), Some((3, Phase::Ramp))),
            (at(100), Some((3, Phase::Measure))),
            (before(at(200)), Some((3, Phase::Measure))),
            (at(200), Some((4, Phase::Measure))),
            (before(at(300)), Some((4, Phase::Measure))),
            (at(300), None),
        ];
        for (moment, expected) in table {
            let found = timetable.at(moment).map(|found| (found.stage.unwrap(), found.phase));
            assert_eq!(found, expected, "{moment:?}");
        }
        let late = timetable.last_at(at(305));
        assert_eq!((late.stage, late.phase), (Some(4), Phase::Measure), "due in time, a little late");
    }
}
