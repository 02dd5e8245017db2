//! Files: written through a temporary one and a rename, so that none is ever half there; every error names its path.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use measure::result::RunResult;
use scenario::plan::Plan;
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
        let stem = free_stem(&outputs.dir, &stem(plan, started_at));
        let named = |explicit: &Option<PathBuf>, extension: &str| {
            explicit.clone().unwrap_or_else(|| outputs.dir.join(format!("{stem}.{extension}")))
        };
        let json = named(&outputs.json, "json");
        let places = Self {
            samples: outputs.samples.then(|| json.with_extension("samples.ndjson")),
            html: named(&outputs.html, "html"),
            latest: ["latest.json", "latest.html"].map(|name| outputs.dir.join(name)),
            json,
        };
        for path in [&places.json, &places.html, &places.latest[0]] {
            try_folder(path)?;
        }
        Ok(places)
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
    let kept = name.chars().take(NAME_LENGTH).map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' });
    kept.collect::<String>().trim_matches('-').to_owned()
}

/// The stem, with a number when a run of the same second was first.
fn free_stem(dir: &Path, stem: &str) -> String {
    let is_free = |stem: &String| !dir.join(format!("{stem}.json")).exists() && !dir.join(format!("{stem}.html")).exists();
    let numbered = (2..).map(|n| format!("{stem}-{n}"));
    std::iter::once(stem.to_owned()).chain(numbered).find(is_free).unwrap_or_else(|| stem.to_owned())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn try_folder(path: &Path) -> anyhow::Result<()> {
    let folder = folder(path);
    fs::create_dir_all(folder).with_context(|| format!("the folder `{}` cannot be made", folder.display()))?;
    NamedTempFile::new_in(folder).with_context(|| format!("the folder `{}` cannot be written to", folder.display()))?;
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
