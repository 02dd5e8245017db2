//! A throw-away folder with a scenario in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use scenario::{Diagnostics, Layers, Plan, load};

/// Removed when dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("rungs-scenario-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.0.join(name), content).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn load(&self, layers: &Layers) -> Result<Plan, Diagnostics> {
        load(&self.0.join("config.toml"), layers).map(scenario::Scenario::plan)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A scenario text that needs no other file, on the mock.
pub(crate) fn on_mock(rest: &str) -> Folder {
    let text = format!("[target]\nbase_url = \"mock://\"\n[load]\nstages = [1]\nstage_requests = 5\n{rest}");
    Folder::new().with("config.toml", text)
}

pub(crate) fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

pub(crate) fn set(assignments: &[&str]) -> Layers {
    Layers { set: assignments.iter().map(|text| (*text).to_owned()).collect(), ..Layers::default() }
}
