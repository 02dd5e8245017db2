//! Files: written through a temporary one and a rename, so that none is ever half there; every error names its path.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use measure::result::RunResult;
use scenario::plan::{Outputs, Plan};
use tempfile::NamedTempFile;

/// Where the outputs of one run go; decided and tried before the first request.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) json: PathBuf,
    pub(crate) html: PathBuf,
    pub(crate) samples: Option<PathBuf>,
    /// Copies that always show the newest run.
    pub(crate) latest: [PathBuf; 2],
}

/// Longest model name in a file name, in characters.
const NAME_LENGTH: usize = 60;

impl Places {
    /// Chooses names that overwrite nothing, makes the folders, and tries to write in each.
    pub(crate) fn choose(plan: &Plan, started_at: jiff::Timestamp) -> anyhow::Result<Self> {
        let outputs = &plan.outputs;
        let latest = ["latest.json", "latest.html"].map(|name| outputs.dir.join(name));
        for path in outputs.json.iter().chain(&outputs.html).chain(&latest) {
            try_folder(path)?;
            refuse_precious(path, &plan.fingerprint.path)?;
        }
        if outputs.json.is_some() && outputs.json == outputs.html {
            anyhow::bail!("`report.json` and `report.html` name the same file");
        }
        let stem = stem(plan, started_at);
        let numbered = std::iter::once(stem.clone()).chain((2..).map(|n| format!("{stem}-{n}")));
        for stem in numbered {
            let named = |explicit: &Option<PathBuf>, extension: &str| {
                explicit.clone().unwrap_or_else(|| outputs.dir.join(format!("{stem}.{extension}")))
            };
            let (json, html) = (named(&outputs.json, "json"), named(&outputs.html, "html"));
            let samples = outputs.samples.then(|| json.with_extension("samples.ndjson"));
            let places = Self { json, html, samples, latest: latest.clone() };
            if places.reserve(outputs)? {
                return Ok(places);
            }
        }
        anyhow::bail!("the folder `{}` has no free name left", outputs.dir.display())
    }

    /// Takes the names, unless a run of the same second was first. An explicit name is the user's own and may be
    /// written again; a chosen one is taken by making its first file.
    fn reserve(&self, outputs: &Outputs) -> anyhow::Result<bool> {
        if outputs.html.is_none() && self.html.exists() || outputs.json.is_none() && self.json.exists() {
            return Ok(false);
        }
        if outputs.json.is_some() {
            return Ok(true);
        }
        let first = self.samples.as_ref().unwrap_or(&self.json);
        match File::create_new(first) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error).with_context(|| format!("`{}` cannot be written", first.display())),
        }
    }
}

/// Scenario, model and UTC time: made of letters that every file system takes.
fn stem(plan: &Plan, started_at: jiff::Timestamp) -> String {
    let time = started_at.strftime("%Y%m%dT%H%M%SZ");
    match plan.target.model.as_deref().map(safe).filter(|model| !model.is_empty()) {
        Some(model) => format!("{}-{model}-{time}", safe(&plan.name)),
        None => format!("{}-{time}", safe(&plan.name)),
    }
}

fn safe(name: &str) -> String {
    let kept = name
        .chars()
        .take(NAME_LENGTH)
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' });
    kept.collect::<String>().trim_matches('-').to_owned()
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// An output replaces a file of its name; it must not replace anything else, nor the scenario itself.
fn refuse_precious(path: &Path, scenario: &Path) -> anyhow::Result<()> {
    let Ok(there) = fs::symlink_metadata(path) else { return Ok(()) };
    if !there.is_file() {
        anyhow::bail!("`{}` is not a regular file and is not replaced", path.display());
    }
    if fs::canonicalize(path).ok() == fs::canonicalize(scenario).ok() {
        anyhow::bail!("`{}` is the scenario itself", path.display());
    }
    Ok(())
}

fn try_folder(path: &Path) -> anyhow::Result<()> {
    let folder = folder(path);
    fs::create_dir_all(folder)
        .with_context(|| format!("the folder `{}` cannot be made", folder.display()))?;
    NamedTempFile::new_in(folder)
        .with_context(|| format!("the folder `{}` cannot be written to", folder.display()))?;
    Ok(())
}

/// Writes a file whole, or not at all.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let context = || format!("`{}` cannot be written", path.display());
    let mut file = NamedTempFile::new_in(folder(path)).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    // A temporary file is private; a report is made to be passed on.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode).with_context(context)?;
    file.persist(path).with_context(context)?;
    Ok(())
}

/// Reads a saved result.
pub(crate) fn read_result(path: &Path) -> anyhow::Result<RunResult> {
    let text = fs::read_to_string(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    RunResult::from_json(&text).with_context(|| format!("`{}` cannot be used", path.display()))
}
