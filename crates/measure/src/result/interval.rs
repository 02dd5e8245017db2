//! How far a statistic can be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The interval of a statistic of one stage, at the confidence of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Interval {
    /// Its lower end, in the metric's unit.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Share of such intervals that hold the truth, 0.5..=0.999.
    pub confidence: f64,
    /// Standard deviation of the statistic over the draws.
    pub standard_error: f64,
    /// What was drawn.
    pub unit: Unit,
    /// How many of them there were.
    pub units: u64,
}

/// What was drawn with replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Blocks of time: at least a second, and at least the p95 of `e2e`.
    Blocks,
    /// Single requests: there were under ten blocks.
    Requests,
}
