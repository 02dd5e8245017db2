//! What the command line lays over a scenario file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::plan::Language;

/// Everything outside the file that has a say. The default lays nothing over it.
#[derive(Clone, Default)]
pub struct Layers {
    /// `--profile NAME`.
    pub profile: Option<String>,
    /// `--set key=value`, in order.
    pub set: Vec<String>,
    /// The process's environment: nothing else reads it.
    pub environment: BTreeMap<String, String>,
    /// `--stages 1,5`.
    pub stages: Option<Vec<u32>>,
    /// `--seed N`.
    pub seed: Option<u64>,
    /// `--against URL`: where the other side of an A/B run is.
    pub against: Option<String>,
    /// `--baseline FILE`, relative to the working directory.
    pub baseline: Option<PathBuf>,
    /// `--out DIR`, relative to the working directory; every output lands in it.
    pub out: Option<PathBuf>,
    /// `--lang`.
    pub lang: Option<Language>,
    /// `--quiet`; `false` leaves it to the file.
    pub quiet: bool,
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment, the assignments and an address may hold keys.
        let Self { profile, set, environment, stages, seed, against, baseline, out, lang, quiet } = self;
        f.debug_struct("Layers")
            .field("profile", profile)
            .field("set", &set.len())
            .field("environment", &environment.len())
            .field("stages", stages)
            .field("seed", seed)
            .field("against", &against.is_some())
            .field("baseline", baseline)
            .field("out", out)
            .field("lang", lang)
            .field("quiet", quiet)
            .finish()
    }
}
