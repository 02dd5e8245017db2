//! When each user of a closed loop works. Pure: times count from the begin of the first stage.

use std::time::Duration;

use scenario::plan::{Shape, Stage, StageEnd};

/// From when to when a user works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) from: Duration,
    /// `None`: until the stage has sent its requests.
    pub(crate) until: Option<Duration>,
}

/// The users of stages that run on without a drain.
#[derive(Debug, Clone)]
pub(crate) struct Shifts {
    stages: Vec<Span>,
    users: u32,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    from: u32,
    to: u32,
    /// Over which time the users of a step start, and how many at once.
    ramp_up: Duration,
    together: u32,
    /// The whole of it, ramp included; `None` where requests are counted.
    length: Option<Duration>,
    is_ramp: bool,
}

impl Shifts {
    /// Of stages with users; the first may be a ramp, all others are.
    pub(crate) fn of(stages: &[Stage]) -> Self {
        let spans: Vec<Span> = stages.iter().map(Span::of).collect();
        let users = spans.iter().map(|span| span.from.max(span.to)).max().unwrap_or(0);
        Self { stages: spans, users }
    }

    /// So many users who all begin at once and work until the order ends.
    pub(crate) fn at_once(users: u32) -> Self {
        let span = Span {
            from: users,
            to: users,
            ramp_up: Duration::ZERO,
            together: 1,
            length: None,
            is_ramp: false,
        };
        Self { stages: vec![span], users }
    }

    /// The most users there are.
    pub(crate) fn users(&self) -> u32 {
        self.users
    }

    /// When user number `user` (from 0) works, in order.
    pub(crate) fn of_user(&self, user: u32) -> Vec<Shift> {
        let mut shifts = Vec::new();
        let mut since =
            self.stages.first().filter(|first| first.is_ramp && user < first.from).map(|_| Duration::ZERO);
        let mut begin = Duration::ZERO;
        for span in &self.stages {
            if let Some(after) = span.enters(user) {
                since.get_or_insert(begin + after);
            }
            if let Some(after) = span.leaves(user)
                && let Some(from) = since.take()
            {
                shifts.push(Shift { from, until: Some(begin + after) });
            }
            let Some(length) = span.length else {
                shifts.extend(since.map(|from| Shift { from, until: None }));
                return shifts;
            };
            begin += length;
        }
        shifts.extend(since.map(|from| Shift { from, until: Some(begin) }));
        shifts
    }

    /// How many users there are to be at a moment.
    pub(crate) fn target(&self, at: Duration) -> u32 {
        let works = |user: &u32| {
            self.of_user(*user)
                .iter()
                .any(|shift| shift.from <= at && shift.until.is_none_or(|until| at < until))
        };
        (0..self.users).filter(works).count() as u32
    }
}

impl Span {
    fn of(stage: &Stage) -> Self {
        let to = stage.level().users().unwrap_or(0);
        let from = stage.ramp_from().and_then(measure::Level::users).unwrap_or(to);
        let length = match stage.end {
            StageEnd::After(window) => Some(stage.ramp_up() + window),
            StageEnd::Requests(_) | StageEnd::OnePerUser => None,
        };
        let (is_ramp, together) = match stage.shape {
            Shape::Step { together, .. } => (false, together),
            Shape::Ramp { .. } => (true, 1),
        };
        Self { from, to, ramp_up: stage.ramp_up(), together, length, is_ramp }
    }

    /// When a user joins, counted from the begin: on a step evenly over its ramp, the first (with those who start together)
    /// at once; on a ramp when the level has risen to have room for the whole user.
    fn enters(&self, user: u32) -> Option<Duration> {
        match self.is_ramp {
            false => (user < self.to).then(|| share(self.ramp_up, user - user % self.together, self.to)),
            true => (self.from <= user && user < self.to)
                .then(|| share(self.length.unwrap_or_default(), user + 1 - self.from, self.to - self.from)),
        }
    }

    /// When a user leaves: when the level has fallen so far that there is no room for any of it.
    fn leaves(&self, user: u32) -> Option<Duration> {
        (self.is_ramp && self.to <= user && user < self.from)
            .then(|| share(self.length.unwrap_or_default(), self.from - user, self.from - self.to))
    }
}

/// `part` of `whole` parts of a time, to the nanosecond.
fn share(time: Duration, part: u32, whole: u32) -> Duration {
    let nanos = time.as_nanos() * u128::from(part) / u128::from(whole.max(1));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn step(users: u32, ramp_up: Duration, length: Option<Duration>) -> Span {
        let length = length.map(|length| length + ramp_up);
        Span { from: users, to: users, ramp_up, together: 1, length, is_ramp: false }
    }

    fn ramp(from: u32, to: u32, length: Duration) -> Span {
        Span { from, to, ramp_up: Duration::ZERO, together: 1, length: Some(length), is_ramp: true }
    }

    fn shifts(stages: Vec<Span>) -> Shifts {
        let users = stages.iter().map(|span| span.from.max(span.to)).max().unwrap();
        Shifts { stages, users }
    }

    #[test]
    fn users_of_a_step_start_evenly_and_stay_to_its_end() {
        let shifts = shifts(vec![step(5, S, Some(S * 10))]);
        let from: Vec<u128> = (0..5).map(|user| shifts.of_user(user)[0].from.as_millis()).collect();
        assert_eq!(from, [0, 200, 400, 600, 800]);
        assert!((0..5).all(|user| shifts.of_user(user)[0].until == Some(S * 11)));
        assert_eq!(shifts.of_user(5), []);
    }

    #[test]
    fn users_who_are_counted_out_stay_until_the_requests_are_sent() {
        let shifts = shifts(vec![step(2, Duration::ZERO, None)]);
        assert_eq!(shifts.of_user(1), [Shift { from: Duration::ZERO, until: None }]);
        assert_eq!(Shifts::at_once(2).of_user(1), shifts.of_user(1));
    }

    #[test]
    fn a_ramp_adds_a_user_when_there_is_room_for_a_whole_one_and_takes_it_when_there_is_none() {
        let up_and_down = shifts(vec![ramp(0, 4, S * 4), ramp(4, 4, S), ramp(4, 0, S * 4)]);
        let shift = |from, until| [Shift { from: S * from, until: Some(S * until) }];
        // The last in is the first out.
        assert_eq!(up_and_down.of_user(0), shift(1, 9));
        assert_eq!(up_and_down.of_user(3), shift(4, 6));
        let target: Vec<u32> = (0..10).map(|second| up_and_down.target(S * second)).collect();
        assert_eq!(target, [0, 1, 2, 3, 4, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn who_left_comes_back_when_the_level_rises_again() {
        let waves = shifts(vec![ramp(2, 0, S * 2), ramp(0, 2, S * 2)]);
        assert_eq!(
            waves.of_user(0),
            [Shift { from: Duration::ZERO, until: Some(S * 2) }, Shift { from: S * 3, until: Some(S * 4) },]
        );
        assert_eq!(
            waves.of_user(1),
            [Shift { from: Duration::ZERO, until: Some(S) }, Shift { from: S * 4, until: Some(S * 4) },]
        );
    }

    #[test]
    fn a_ramp_goes_on_from_the_step_before() {
        let shifts = shifts(vec![step(2, Duration::ZERO, Some(S)), ramp(2, 4, S * 2)]);
        assert_eq!(shifts.of_user(0), [Shift { from: Duration::ZERO, until: Some(S * 3) }]);
        assert_eq!(shifts.of_user(2), [Shift { from: S * 2, until: Some(S * 3) }]);
    }

    /// The shipped scenario of that name.
    fn shipped(name: &str) -> Vec<Stage> {
        let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let scenario = scenario::load(std::path::Path::new(&path), &scenario::Layers::default());
        scenario.unwrap_or_else(|problems| panic!("{problems}")).plan().load.stages
    }

    /// Users of linear stages as k6 counts them: on the way up one more when the line reaches the whole number, on the way
    /// down one less when it reaches the next lower one.
    fn users_of_k6(start: f64, stages: &[(f64, f64)], at: f64) -> u32 {
        let (mut begin, mut from) = (0.0, start);
        for (length, to) in stages {
            if at < begin + length {
                let line = from + (to - from) * (at - begin) / length;
                return if *to >= from { line.floor() } else { line.ceil() } as u32;
            }
            (begin, from) = (begin + length, *to);
        }
        0
    }

    #[test]
    fn the_k6_like_scenario_has_the_users_of_the_script_at_every_moment() {
        let shifts = Shifts::of(&shipped("k6-like"));
        let stages = [(30.0, 10.0), (60.0, 50.0), (30.0, 100.0), (30.0, 0.0)];
        assert_eq!((shifts.users(), shifts.target(Duration::ZERO)), (100, 1));
        // Not on whole tenths: there both stand on an edge, and rounding decides.
        for tenth in 0..1501 {
            let at = f64::from(tenth) / 10.0 + 0.013;
            let users = shifts.target(Duration::from_secs_f64(at));
            assert_eq!(users, users_of_k6(1.0, &stages, at), "at {at} s");
        }
    }

    #[test]
    fn the_locust_like_scenario_has_the_users_of_the_script_in_every_second() {
        let shifts = Shifts::of(&shipped("locust-like"));
        // Five are added at the begin of each second.
        for second in 0..181 {
            let expected = if second < 180 { (5 * (second + 1)).min(50) } else { 0 };
            for within in [0, 500, 999] {
                let at = Duration::from_millis(u64::from(second) * 1000 + within);
                assert_eq!(shifts.target(at), expected, "at {at:?}");
            }
        }
    }
}
