//! The top level of a result.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::outcome;
use super::{Against, ErrorExample, GateResult, LoadLine, StageResult};
use crate::stage::Side;
use crate::{Amount, LoadUnit, Outcome, Workload};

/// Rises when the meaning of a key changes.
pub const SCHEMA_VERSION: u32 = 1;
/// How the names of the stages of a search begin.
pub const SEARCHED: &str = "try-";

/// One run, complete: everything that any report shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunResult {
    /// Rises when the meaning of a key changes.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u32,
    /// What wrote it.
    pub tool: Tool,
    /// How far the run came.
    pub status: RunStatus,
    /// Exit code and every reason for it.
    pub exit: Exit,
    /// Name of the scenario.
    pub test_name: String,
    /// Label of the provider.
    pub provider: Option<String>,
    /// Base URL as configured, masked.
    pub base_url: String,
    /// Final URL, masked.
    pub url: String,
    /// Address of the proxy that requests went through, without user and password; null without one.
    #[serde(default)]
    pub proxy: Option<String>,
    /// Protocol, as in TOML.
    pub api: String,
    /// Model asked for.
    pub model: Option<String>,
    /// Whether answers were streamed.
    pub stream: bool,
    /// The auth header as sent, masked; null when none was sent.
    pub auth_header: Option<String>,
    /// Headers as sent, masked.
    pub headers: BTreeMap<String, String>,
    /// UTC, RFC 3339.
    pub started_at: String,
    /// UTC, RFC 3339.
    pub finished_at: String,
    /// Seed of everything random.
    pub seed: u64,
    /// What was run.
    pub scenario: Fingerprint,
    /// On what.
    pub machine: Machine,
    /// The one request before load; null when it was not asked for.
    pub preflight: Option<Preflight>,
    /// How the load was applied, beyond what each stage says of itself; null in results of older versions.
    #[serde(default)]
    pub load: Option<LoadLine>,
    /// The rungs, in order.
    pub stages: Vec<StageResult>,
    /// What the rungs say together.
    pub ladder: Ladder,
    /// What the search proved; null without one. Its stages follow those of the ladder and are no part of the gate.
    #[serde(default)]
    pub search: Option<SearchLine>,
    /// The check of `[load.stop]` that ended the climb; null when none did.
    #[serde(default)]
    pub stop: Option<StopLine>,
    /// B of an A/B run, with what differs from it; null of any other run. Everything else is about A.
    #[serde(default)]
    pub against: Option<Against>,
    /// What to keep in mind when reading.
    pub warnings: Vec<Warning>,
    /// The checks and their verdict.
    pub gate: GateResult,
    /// What the tokens of every attempt cost, as far as the servers told them; null without prices.
    pub cost: Option<f64>,
    /// What `cost` is in; null without prices.
    #[serde(default)]
    pub currency: Option<String>,
    /// The result in full sentences.
    pub conclusion: String,
    /// Notes of the scenario's author.
    pub notes: Option<String>,
}

/// The program that wrote a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tool {
    /// `rungs`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Every stage ran.
    Completed,
    /// A signal ended it.
    Interrupted,
    /// The target could not be used.
    Aborted,
}

/// The exit code and why.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Exit {
    /// Exit code of the process.
    pub code: u8,
    /// All reasons, also those that a stronger code outranks.
    pub reasons: Vec<String>,
}

/// The scenario that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fingerprint {
    /// Path as given.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Profile chosen.
    pub profile: Option<String>,
    /// What differs from the file.
    pub overrides: Vec<Override>,
    /// What was sent and how: runs are compared with a baseline where it is the same. Null in results of older versions.
    #[serde(default)]
    pub workload: Option<Workload>,
}

/// One value that did not come from the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Override {
    /// Key path.
    pub key: String,
    /// Value, masked.
    pub value: String,
    /// What set it.
    pub source: String,
    /// Whether it changes the workload, so that the result is not comparable with a baseline.
    pub changes_workload: bool,
}

/// The machine that generated the load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Machine {
    /// Operating system.
    pub os: String,
    /// CPUs this process may use.
    pub cpus: usize,
    /// Worker threads.
    pub workers: usize,
}

/// The one request before load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Preflight {
    /// How it ended.
    #[schemars(schema_with = "outcome")]
    pub outcome: Outcome,
    /// Time to first token, ms.
    pub ttft_ms: Option<f64>,
    /// Response time, ms.
    pub e2e_ms: Option<f64>,
    /// What is known about its failure.
    pub error: Option<ErrorExample>,
}

/// What the rungs say together. Ramps are no rungs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Ladder {
    /// What its numbers count.
    #[serde(default)]
    pub unit: LoadUnit,
    /// Highest stage with every objective met by its p95, success of at least 99 % and no 429.
    pub last_ok: Option<Amount>,
    /// First stage that is not so.
    pub first_breach: Option<Amount>,
    /// First stage whose throughput gain per added user (or request per second) is under 10 % of the first stage's.
    pub knee: Option<Amount>,
    /// Highest level that the search proved to hold.
    pub boundary: Option<Amount>,
}

/// What a search proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchLine {
    /// What its numbers count.
    #[serde(default)]
    pub unit: LoadUnit,
    /// Where it was searched from.
    pub low: u32,
    /// Where to.
    pub high: u32,
    /// How far apart `holds` and `breaks` were to be at most.
    pub resolution: u32,
    /// Highest level that met every check; null when none did.
    pub holds: Option<u32>,
    /// Lowest above it that did not; null when none was found.
    pub breaks: Option<u32>,
    /// Where too little was measured to go on.
    pub undecided: Option<u32>,
}

/// What ended a climb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StopLine {
    /// The stage that ran.
    pub stage: String,
    /// Its users; null for an open loop.
    pub concurrency: Option<u32>,
    /// Its requests per second; null for a closed loop.
    pub rate: Option<Amount>,
    /// Whose requests broke it, in an A/B run.
    #[serde(default)]
    pub side: Option<Side>,
    /// The check, as written.
    pub check: String,
    /// What was measured over the last ten seconds, in the metric's unit.
    pub value: f64,
    /// What was allowed.
    pub limit: f64,
    /// Seconds since the run began.
    pub at_s: f64,
}

/// What to keep in mind when reading a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Warning {
    /// Machine-readable.
    pub code: String,
    /// The stage it is about; null for the run.
    pub stage: Option<String>,
    /// For people.
    pub text: String,
}

impl Fingerprint {
    /// The first override that changed the workload, as `load.stages by --stages`.
    pub fn overridden(&self) -> Option<String> {
        let change = self.overrides.iter().find(|change| change.changes_workload)?;
        Some(format!("{} by {}", change.key, change.source))
    }
}

impl RunResult {
    /// The stages of the ladder, without those of a search.
    pub fn climbed(&self) -> impl Iterator<Item = &StageResult> {
        let is_listed = |stage: &&StageResult| match &self.scenario.workload {
            Some(workload) => workload.stages.contains_key(&stage.name),
            None => self.search.is_none() || !stage.name.starts_with(SEARCHED),
        };
        self.stages.iter().filter(is_listed)
    }

    /// Reads a saved result.
    ///
    /// # Errors
    /// When it is not a result, or one of a newer schema version.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let version: Version = serde_json::from_str(text).map_err(ReadError::NotAResult)?;
        if version.schema_version > SCHEMA_VERSION {
            return Err(ReadError::Newer(version.schema_version));
        }
        serde_json::from_str(text).map_err(ReadError::NotAResult)
    }
}

/// A text that is not a result of a version that can be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not a result at all.
    #[error("this is not a rungs result: {0}")]
    NotAResult(serde_json::Error),
    /// Written by a later version.
    #[error(
        "the result has schema version {0}, this program reads up to {SCHEMA_VERSION}; use a newer rungs"
    )]
    Newer(u32),
}
