//! The gate's part of a result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Unit;
use crate::gate::Reason;

/// Every check and what they amount to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GateResult {
    /// What the checks amount to.
    pub verdict: Verdict,
    /// One line per check and stage.
    pub checks: Vec<CheckLine>,
}

/// What the checks amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every strict check passed.
    Pass,
    /// A strict check failed.
    Fail,
    /// None failed, but one is inconclusive or without data.
    NotJudged,
    /// There are no checks.
    None,
}

/// One check on one stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckLine {
    /// The check.
    pub check: String,
    /// On which stages it is judged, as written after `for` (`c<=20`, `stage NAME`); null for every stage, and in results
    /// of older versions.
    #[serde(default)]
    pub scope: Option<String>,
    /// The stage.
    pub stage: String,
    /// `strict` or `advisory`.
    pub level: String,
    /// What was measured.
    pub value: Option<f64>,
    /// What it was compared with.
    pub limit: Option<f64>,
    /// The baseline's value.
    pub baseline: Option<f64>,
    /// Interval of the value.
    pub interval: Option<[f64; 2]>,
    /// Values behind it.
    pub n: u64,
    /// What came of it.
    pub result: CheckResult,
    /// Why there is no verdict, where there is none.
    pub reason: Option<String>,
    /// The same for programs; null in results of older versions.
    #[serde(default)]
    pub reason_code: Option<Reason>,
    /// About how many values (or repeats) would decide a check that is inconclusive; null where none would.
    #[serde(default)]
    pub would_decide: Option<u64>,
    /// What `would_decide` counts, where that is not single values: `runs`, for `[gate] repeats`.
    #[serde(default)]
    pub would_decide_in: Option<Unit>,
    /// Interval of the change against the baseline, by which such a check is judged, as shares of the baseline (0.2 for 20 %
    /// more); null for other checks.
    #[serde(default)]
    pub change: Option<[f64; 2]>,
    /// What came of the check each time that the stage was measured again because it had failed.
    #[serde(default)]
    pub confirmations: Vec<CheckResult>,
}

/// What came of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// The values cannot decide it.
    Inconclusive,
    /// There is nothing to judge.
    NoData,
}
