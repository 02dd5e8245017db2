//! Stages that are run more than once: which of its rounds a passage over a stage is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One round of a stage of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Index of the stage in the plan.
    pub of: usize,
    /// From 1, in order of time; the stage as planned is the first.
    pub number: u32,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a round of a stage is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To be measured together with the others of its stage.
    Measure,
    /// To see whether a check that failed fails again.
    Confirm,
}
