//! How the load was applied, beyond what each stage says of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What holds for the load as a whole: what came before, between and after the stages, and what became of failures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LoadLine {
    /// Load before the first stage that no statistic sees: `10 requests`, `10s`; null without one.
    pub warm_up: Option<String>,
    /// Different prompts there are. With more requests some are sent again, and may be answered from a cache.
    pub distinct_prompts: u64,
    /// Pause between stages, seconds; 0 = none.
    pub cool_down_s: f64,
    /// How long requests may finish after their stage's window, seconds.
    pub drain_timeout_s: f64,
    /// Hard cap on the requests of the run; null without one.
    pub max_requests: Option<u64>,
    /// Users who leave before their answer is whole; null when none do.
    pub cancel: Option<CancelLine>,
    /// Which failed attempts are made again; null when none are.
    pub retry: Option<RetryLine>,
    /// The checks of `[load.stop]`, as written; empty without one.
    pub stop: Vec<String>,
    /// The checks of `[load.search]`, as written; empty without one.
    pub search: Vec<String>,
}

/// Users who leave.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CancelLine {
    /// Share of the requests that are left, 0..=1.
    pub ratio: f64,
    /// How long after its start a request is left, seconds.
    pub after_s: f64,
}

/// Which failed attempts are made again, and after which wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RetryLine {
    /// Further attempts at most, at least 1.
    pub max: u32,
    /// The error classes that are retried.
    pub on: Vec<String>,
    /// Longest wait before the second attempt, seconds; it doubles with each further one.
    pub base_s: f64,
    /// Longest wait of all, seconds.
    pub cap_s: f64,
}
