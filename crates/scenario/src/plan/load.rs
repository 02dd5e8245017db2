//! How hard, for how long.

use std::time::Duration;

use measure::ErrorClass;
use measure::gate::Rule;

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

/// One rung: a fixed number of users, each sending its next request when the last one ended.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Unique within the run; `c10` by default.
    pub name: String,
    /// Users, at least 1.
    pub concurrency: u32,
    /// When the stage is over.
    pub end: StageEnd,
    /// Time over which the users start, before the window.
    pub ramp_up: Duration,
    /// Pause of a user between two requests.
    pub think_time: ThinkTime,
}

/// A search for the highest concurrency that meets the checks.
#[derive(Debug, Clone)]
pub struct Search {
    /// Absolute checks on a stage as a whole; at least one.
    pub checks: Vec<Rule>,
    /// Lowest concurrency tried.
    pub low: u32,
    /// Highest concurrency tried, above `low`.
    pub high: u32,
    /// How far apart what holds and what breaks may stay, at least 1.
    pub resolution: u32,
    /// What a stage of the search is, but for its name and users.
    pub stage: Stage,
}

impl Search {
    /// A stage of the search.
    pub fn stage(&self, users: u32) -> Stage {
        Stage { name: format!("try-c{users}"), concurrency: users, ..self.stage.clone() }
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

impl Stage {
    /// How many requests the stage holds, where that is what ends it.
    pub fn requests(&self) -> Option<u64> {
        match self.end {
            StageEnd::After(_) => None,
            StageEnd::Requests(requests) => Some(requests),
            StageEnd::OnePerUser => Some(u64::from(self.concurrency)),
        }
    }

    /// How long its ramp and window last, where time is what ends it.
    pub fn length(&self) -> Option<Duration> {
        match self.end {
            StageEnd::After(window) => Some(self.ramp_up.saturating_add(window)),
            StageEnd::Requests(_) | StageEnd::OnePerUser => None,
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
