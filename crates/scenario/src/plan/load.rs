//! How hard, for how long.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use measure::gate::Rule;
use measure::result::SEARCHED;
use measure::stage::ArrivalKind;
use measure::{ErrorClass, Level};

/// The whole climb.
#[derive(Debug, Clone)]
pub struct Load {
    /// The rungs of the ladder, in order; at least one.
    pub stages: Vec<Stage>,
    /// One real request before load.
    pub preflight: bool,
    /// Requests or time before the first stage, outside every statistic.
    pub warm_up: Option<WarmUp>,
    /// How long requests may finish after their stage's window.
    pub drain_timeout: Duration,
    /// Pause between stages.
    pub cool_down: Duration,
    /// Users who leave.
    pub cancel: Option<Cancel>,
    /// Which failed attempts are made again.
    pub retry: Retry,
    /// What is searched for after the ladder.
    pub search: Option<Search>,
    /// What ends the climb: absolute checks on the last ten seconds of a stage.
    pub stop: Vec<Rule>,
    /// Hard cap on the requests of the whole run (preflight included).
    pub max_requests: Option<u64>,
}

impl Load {
    /// The stages that run on without a drain between them: a step, and the ramps that follow it.
    pub fn stretches(&self) -> Vec<Range<usize>> {
        let starts: Vec<usize> =
            (0..self.stages.len()).filter(|at| *at == 0 || !self.stages[*at].follows_on()).collect();
        let ends = starts.iter().skip(1).copied().chain([self.stages.len()]);
        starts
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| start..end)
            .filter(|range| !range.is_empty())
            .collect()
    }
}

/// One rung, or a way from one to the next.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Unique within the run; `c10` by default.
    pub name: String,
    /// Who sends, and how much of it there is (at the end of a ramp).
    pub work: Work,
    /// Whether that holds for the whole stage.
    pub shape: Shape,
    /// When the stage is over.
    pub end: StageEnd,
}

/// Who sends the requests of a stage.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Closed loop: each user sends its next request when the last one ended.
    Users {
        /// How many; 0 only at the end of a ramp.
        count: u32,
        /// Pause of a user between two requests.
        think_time: ThinkTime,
    },
    /// Open loop: requests start at their own times, whatever becomes of the earlier ones.
    Arrivals {
        /// Requests per second; 0 only at the end of a ramp.
        rate: f64,
        /// How they follow one another.
        arrival: Arrival,
        /// Most requests in flight, at least 1; one that finds no slot waits for it.
        max_in_flight: u32,
    },
}

/// How the requests of an open loop follow one another.
#[derive(Debug, Clone, PartialEq)]
pub enum Arrival {
    /// At even intervals.
    Constant,
    /// At random, independent of one another.
    Poisson,
    /// At random, with gamma-distributed intervals.
    Gamma {
        /// Shape of the distribution, above 0: 1 is Poisson, less comes in bursts, more is evener.
        burstiness: f64,
    },
    /// When a trace says: offsets from the stage's begin, ascending, at least one.
    Trace(Arc<[Duration]>),
}

impl Arrival {
    /// What it is, without its numbers.
    pub fn kind(&self) -> ArrivalKind {
        match self {
            Self::Constant => ArrivalKind::Constant,
            Self::Poisson => ArrivalKind::Poisson,
            Self::Gamma { .. } => ArrivalKind::Gamma,
            Self::Trace(_) => ArrivalKind::Trace,
        }
    }
}

/// How a stage comes to its level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// It has it from the window's begin on.
    Step {
        /// Time before the window over which users start, or the rate rises.
        ramp_up: Duration,
        /// Of users: how many start at once, at least 1.
        together: u32,
    },
    /// It changes evenly over the whole window, and the requests of the stage before go on.
    Ramp {
        /// The level at the begin, in the unit of the stage's own.
        from: f64,
    },
}

/// A search for the most users, or the highest rate, that meets the checks.
#[derive(Debug, Clone)]
pub struct Search {
    /// Absolute checks on a stage as a whole; at least one.
    pub checks: Vec<Rule>,
    /// Lowest level tried, in the unit of `stage`.
    pub low: u32,
    /// Highest level tried, above `low`.
    pub high: u32,
    /// How far apart what holds and what breaks may stay, at least 1.
    pub resolution: u32,
    /// What a stage of the search is, but for its name and level; a step.
    pub stage: Stage,
}

impl Search {
    /// A stage of the search.
    pub fn stage(&self, amount: u32) -> Stage {
        let level = self.stage.level().with(f64::from(amount));
        Stage {
            name: format!("{SEARCHED}{}", level_name(level)),
            work: self.stage.work.at(level),
            ..self.stage.clone()
        }
    }

    /// How many stages it takes at most.
    pub fn stages_at_most(&self) -> u32 {
        let parts = (self.high - self.low).div_ceil(self.resolution);
        2 + parts.next_power_of_two().trailing_zeros()
    }
}

/// Users who leave before their answer is whole, as people close a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cancel {
    /// Share of the requests that are left, 0..=1.
    pub ratio: f64,
    /// How long after its start a request is left.
    pub after: Duration,
}

/// Which failed attempts are made again, and after which wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// Further attempts at most; 0 = none.
    pub max: u32,
    /// The failures that are retried; never a `config` one.
    pub on: Vec<ErrorClass>,
    /// Longest wait before the second attempt; it doubles with each further one.
    pub base: Duration,
    /// Longest wait of all. A server that asks for a longer one is not asked again.
    pub cap: Duration,
}

/// When a stage is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageEnd {
    /// The window lasts so long (never zero).
    After(Duration),
    /// So many requests in all, shared by the users (never zero); the window ends with the last one's end.
    Requests(u64),
    /// One request per user, however late a user starts; the window ends with the last one's end.
    OnePerUser,
}

impl Shape {
    /// A step without a ramp before it.
    pub const AT_ONCE: Self = Self::Step { ramp_up: Duration::ZERO, together: 1 };
}

impl Work {
    /// How much of it there is.
    pub fn level(&self) -> Level {
        match self {
            Self::Users { count, .. } => Level::Users(*count),
            Self::Arrivals { rate, .. } => Level::Rate(*rate),
        }
    }

    /// The same work, more or less of it; a level of the other kind changes nothing.
    fn at(&self, level: Level) -> Self {
        match (self.clone(), level) {
            (Self::Users { think_time, .. }, Level::Users(count)) => Self::Users { count, think_time },
            (Self::Arrivals { arrival, max_in_flight, .. }, Level::Rate(rate)) => {
                Self::Arrivals { rate, arrival, max_in_flight }
            }
            (work, _) => work,
        }
    }
}

/// The default name of a stage at a level: `c10`, `r2.5`.
pub(crate) fn level_name(level: Level) -> String {
    match level {
        Level::Users(users) => format!("c{users}"),
        Level::Rate(_) => format!("r{}", level.amount()),
    }
}

impl Stage {
    /// What it offers, at the end of a ramp.
    pub fn level(&self) -> Level {
        self.work.level()
    }

    /// Where a ramp begins; `None` for a step.
    pub fn ramp_from(&self) -> Option<Level> {
        match self.shape {
            Shape::Ramp { from } => Some(self.level().with(from)),
            Shape::Step { .. } => None,
        }
    }

    /// Whether it goes on from the stage before without a drain.
    pub fn follows_on(&self) -> bool {
        matches!(self.shape, Shape::Ramp { .. })
    }

    /// Time before the window over which a step is reached.
    pub fn ramp_up(&self) -> Duration {
        match self.shape {
            Shape::Step { ramp_up, .. } => ramp_up,
            Shape::Ramp { .. } => Duration::ZERO,
        }
    }

    /// The most users it has, of a closed loop.
    pub fn most_users(&self) -> Option<u32> {
        let from = self.ramp_from().and_then(Level::users).unwrap_or(0);
        self.level().users().map(|users| users.max(from))
    }

    /// Most requests that may be open at once.
    pub fn most_open(&self) -> u32 {
        match self.work {
            Work::Users { count, .. } => self.most_users().unwrap_or(count),
            Work::Arrivals { max_in_flight, .. } => max_in_flight,
        }
    }

    /// Its load at its most, held from the begin until another end.
    pub fn held(&self, end: StageEnd) -> Self {
        let (to, from) = (self.level(), self.ramp_from().unwrap_or(self.level()));
        let most = if from.amount() > to.amount() { from } else { to };
        let shape = Shape::AT_ONCE;
        Self { work: self.work.at(most), shape, end, ..self.clone() }
    }

    /// How many requests the stage holds, where that is what ends it.
    pub fn requests(&self) -> Option<u64> {
        match self.end {
            StageEnd::After(_) => None,
            StageEnd::Requests(requests) => Some(requests),
            StageEnd::OnePerUser => self.level().users().map(u64::from),
        }
    }

    /// How long its ramp and window last, where that is known before: by time, or by the requests of an even open loop.
    pub fn length(&self) -> Option<Duration> {
        match (self.end, &self.work) {
            (StageEnd::After(window), _) => Some(self.ramp_up().saturating_add(window)),
            (StageEnd::Requests(n), Work::Arrivals { arrival: Arrival::Trace(times), .. }) => {
                times.get(n.saturating_sub(1) as usize).copied()
            }
            (StageEnd::Requests(n), Work::Arrivals { arrival: Arrival::Constant, rate, .. }) => {
                let window = Duration::try_from_secs_f64(n as f64 / rate).unwrap_or(Duration::MAX);
                Some(self.ramp_up().saturating_add(window))
            }
            (StageEnd::Requests(_) | StageEnd::OnePerUser, _) => None,
        }
    }
}

/// Pause of a user between two requests: uniform in `min..=max` (equal: fixed; both zero: none).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThinkTime {
    /// Shortest pause.
    pub min: Duration,
    /// Longest pause.
    pub max: Duration,
}

/// Load before the first stage that no statistic sees. It runs with one user per request up to the first stage's users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUp {
    /// So many requests.
    Requests(u64),
    /// For so long.
    For(Duration),
}
