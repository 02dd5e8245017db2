//! What a stage is before anything was measured, and what its requests do not tell of it. Both stand in the samples file,
//! so that a stage can be counted again from there.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_with::{DurationSecondsWithFrac, serde_as};

use super::round::Round;
use crate::distribution::DistributionSummary;
use crate::gate::Statistic;
use crate::result::StageStatus;
use crate::{Amount, Level, Offset};

/// What a stage is, before anything was measured.
#[serde_as]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageFrame {
    /// Unique in the run.
    pub name: String,
    /// What it offers, at the end of a ramp.
    #[serde(flatten)]
    pub level: Level,
    /// Where its ramp begins; `None` for a step.
    pub ramp_from: Option<Amount>,
    /// Of an open loop: how its requests follow one another, and how many may be in flight.
    pub open_loop: Option<OpenLoop>,
    /// Time before the window over which a step is reached; `None` for a ramp.
    #[serde(rename = "ramp_up_s")]
    #[serde_as(as = "Option<DurationSecondsWithFrac<f64>>")]
    pub ramp_up: Option<Duration>,
    /// Shortest and longest pause of a user between two requests; `None` without one.
    #[serde(rename = "think_time_s")]
    #[serde_as(as = "Option<[DurationSecondsWithFrac<f64>; 2]>")]
    pub think_time: Option<[Duration; 2]>,
    /// Planned duration of the window; `None` for a number of requests.
    #[serde(rename = "duration_s")]
    #[serde_as(as = "Option<DurationSecondsWithFrac<f64>>")]
    pub duration: Option<Duration>,
    /// Planned number of requests, where that ends the stage.
    pub requests: Option<u64>,
    /// When the stage begins, with its ramp.
    pub begins: Offset,
    /// When the window begins: the ramp is over.
    pub window_start: Offset,
    /// Number of keys in use.
    pub keys: usize,
    /// Shortest gap that may be a stall.
    #[serde(rename = "stall_after_s")]
    #[serde_as(as = "DurationSecondsWithFrac<f64>")]
    pub stall_after: Duration,
    /// Tokens per second of the reader behind `smoothness`.
    pub reading_speed: f64,
    /// Per-request limits that `goodput` goes by: ttft, tpot, e2e.
    #[serde(rename = "objectives_s")]
    #[serde_as(as = "[Option<DurationSecondsWithFrac<f64>>; 3]")]
    pub objectives: [Option<Duration>; 3],
    /// What intervals are wanted for, and how they are drawn.
    #[serde(default)]
    pub intervals: Intervals,
    /// Which round of a stage it is; `None` for a stage as planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Round>,
}

/// The statistics of a stage that are to have an interval, and how it is drawn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Intervals {
    /// Those that checks are written on.
    pub of: Vec<Statistic>,
    /// Share of intervals that hold the truth, 0..1.
    pub confidence: f64,
    /// The same seed draws the same.
    pub seed: u64,
}

/// What an open loop is beside its rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// How its requests follow one another.
    pub arrival: ArrivalKind,
    /// Shape of `gamma` arrivals, above 0; `None` for every other kind.
    pub burstiness: Option<f64>,
    /// Most requests in flight.
    pub max_in_flight: u32,
}

/// How the requests of an open loop follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalKind {
    /// At even distances.
    Constant,
    /// Independently of one another.
    Poisson,
    /// At gamma-distributed distances.
    Gamma,
    /// At the times of a trace.
    Trace,
}

impl ArrivalKind {
    /// As in TOML and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Poisson => "poisson",
            Self::Gamma => "gamma",
            Self::Trace => "trace",
        }
    }
}

/// The generator's look at itself, merged over its workers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClientLook {
    /// How late a timer of each worker fired, ms.
    pub lag_ms: DistributionSummary,
    /// CPU of the worker threads, 100 = all of them busy.
    pub cpu_percent: Option<f64>,
}

/// How a stage ended: what its requests do not tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    /// How far it came.
    pub status: StageStatus,
    /// End of the window, where it is known apart from the last request's end.
    pub window_end: Option<Offset>,
    /// Requests that were due and never started.
    pub dropped: u64,
    /// The generator's look at itself.
    #[serde(flatten)]
    pub look: ClientLook,
}
