//! Files: written through a temporary one and a rename, so that none is ever half there; every error names its path.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use scenario::plan::{Outputs, Plan, Readers, Samples};
use tempfile::NamedTempFile;

use crate::format::Format;

/// Where the outputs of one run go; decided and tried before the first request.
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) json: PathBuf,
    pub(crate) html: PathBuf,
    /// The formats that are written only when asked for.
    pub(crate) others: Vec<(Format, PathBuf)>,
    pub(crate) samples: Option<PathBuf>,
    /// Copies that always show the newest run.
    pub(crate) latest: [PathBuf; 2],
    /// Who may read them.
    pub(crate) readers: Readers,
}

/// Longest model name in a file name, in characters.
const NAME_LENGTH: usize = 60;

impl Places {
    /// Chooses names that overwrite nothing, makes the folders, and tries to write in each.
    pub(crate) fn choose(plan: &Plan, started_at: jiff::Timestamp) -> anyhow::Result<Self> {
        let outputs = &plan.outputs;
        let latest = ["latest.json", "latest.html"].map(|name| outputs.dir.join(name));
        let taken = taken(outputs, &latest);
        for (_, path) in &taken {
            try_folder(path)?;
            refuse_precious(path, &plan.fingerprint.path)?;
        }
        refuse_shared(&taken)?;
        let stem = stem(plan, started_at);
        let numbered = std::iter::once(stem.clone()).chain((2..).map(|n| format!("{stem}-{n}")));
        for stem in numbered {
            let named = |explicit: &Option<PathBuf>, extension: &str| {
                explicit.clone().unwrap_or_else(|| outputs.dir.join(format!("{stem}.{extension}")))
            };
            let (json, html) = (named(&outputs.json, "json"), named(&outputs.html, "html"));
            let samples = match &outputs.samples {
                Samples::Off => None,
                Samples::Beside => Some(json.with_extension("samples.ndjson")),
                Samples::At(path) => Some(path.clone()),
            };
            let places = Self {
                json,
                html,
                others: others(outputs),
                samples,
                latest: latest.clone(),
                readers: outputs.readers,
            };
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
        let first = match (&outputs.samples, &self.samples) {
            (Samples::Beside, Some(samples)) => samples,
            _ => &self.json,
        };
        match open(first, OpenOptions::new().create_new(true), outputs.readers) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error).with_context(|| format!("`{}` cannot be written", first.display())),
        }
    }
}

/// JUnit last: it tells whether everything else could be written.
fn others(outputs: &Outputs) -> Vec<(Format, PathBuf)> {
    let asked =
        [(Format::Markdown, &outputs.markdown), (Format::Csv, &outputs.csv), (Format::Junit, &outputs.junit)];
    asked.into_iter().filter_map(|(format, path)| Some((format, path.clone()?))).collect()
}

/// The files whose names are known before the run, each with its key in `[report]`.
fn taken<'a>(outputs: &'a Outputs, latest: &'a [PathBuf; 2]) -> Vec<(&'static str, &'a Path)> {
    let samples = match &outputs.samples {
        Samples::At(path) => Some(path),
        Samples::Off | Samples::Beside => None,
    };
    let keys = [
        ("json", outputs.json.as_ref()),
        ("html", outputs.html.as_ref()),
        ("json", Some(&latest[0])),
        ("html", Some(&latest[1])),
        ("markdown", outputs.markdown.as_ref()),
        ("junit", outputs.junit.as_ref()),
        ("csv", outputs.csv.as_ref()),
        ("samples", samples),
    ];
    keys.into_iter().filter_map(|(key, path)| Some((key, path?.as_path()))).collect()
}

/// Two outputs in one file would leave only the later one.
fn refuse_shared(taken: &[(&str, &Path)]) -> anyhow::Result<()> {
    for (index, (key, path)) in taken.iter().enumerate() {
        let other = taken[..index].iter().find(|(other, same)| other != key && same == path);
        if let Some((other, _)) = other {
            anyhow::bail!("`report.{other}` and `report.{key}` name the same file, `{}`", path.display());
        }
    }
    Ok(())
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
pub(crate) fn replace(path: &Path, bytes: &[u8], readers: Readers) -> anyhow::Result<()> {
    let context = || format!("`{}` cannot be written", path.display());
    let mut file = NamedTempFile::new_in(folder(path)).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    // A temporary file is private.
    file.as_file().set_permissions(Permissions::from_mode(mode(readers))).with_context(context)?;
    file.persist(path).with_context(context)?;
    Ok(())
}

/// Opens a file to be written as the run goes; one that must be new, or one that is begun again.
pub(crate) fn open(path: &Path, open: &OpenOptions, readers: Readers) -> std::io::Result<File> {
    let file = open.clone().write(true).mode(mode(readers)).open(path)?;
    // One that was there has the rights that it had.
    if readers == Readers::Owner {
        file.set_permissions(Permissions::from_mode(mode(readers)))?;
    }
    Ok(file)
}

fn mode(readers: Readers) -> u32 {
    match readers {
        Readers::Everyone => 0o644,
        Readers::Owner => 0o600,
    }
}
