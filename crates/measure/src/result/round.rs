//! A stage that was run more than once, round by round.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StageStatus;

/// One round of a stage that was run more than once: what of it is lost when the rounds are taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RoundLine {
    /// From 1, in order of time.
    pub round: u32,
    /// How far it came.
    pub status: StageStatus,
    /// When it began, seconds since the run began.
    pub begins_s: f64,
    /// Measured window in seconds.
    pub window_s: f64,
    /// Requests that were ok.
    pub ok: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Whether the load generator was at its limit.
    pub saturated: bool,
    /// The statistics that have an interval, by their names (`ttft.p95`), in the metric's unit.
    pub values: BTreeMap<String, f64>,
}
