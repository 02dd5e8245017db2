//! Where a plan came from: what the result needs to say what was run.

use std::path::PathBuf;

/// The scenario file and what was laid over it.
#[derive(Debug, Clone)]
pub struct Fingerprint {
    /// The scenario file as given.
    pub path: PathBuf,
    /// SHA-256 of the file's bytes, lower-case hex.
    pub sha256: String,
    /// The profile chosen, if any.
    pub profile: Option<String>,
    /// Everything that differs from the file alone, in the order applied.
    pub overrides: Vec<Override>,
}

/// One value that did not come from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Canonical key path, `load.stages`.
    pub key: String,
    /// The new value as TOML; secrets masked.
    pub value: String,
    /// What set it: `--set`, `--stages`, `RUNGS_TARGET__PORT`, `profile ci`.
    pub source: String,
    /// Whether it changes the workload, so that the result is not comparable with a baseline.
    pub changes_workload: bool,
}
