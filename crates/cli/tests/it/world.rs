//! A folder with a scenario in it, and the binary run there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;

/// A fresh folder and what a test puts into it.
pub(crate) struct World {
    dir: tempfile::TempDir,
}

/// What a run of the binary left behind.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// A folder with `s.toml` on the built-in server, two small stages.
    pub(crate) fn on_mock(rest: &str) -> Self {
        let world = Self::new();
        world.write("s.toml", &scenario("mock://?ttft=5ms&itl=1ms&tokens=4", rest));
        world
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The newest result.
    pub(crate) fn result(&self) -> Value {
        serde_json::from_str(&self.read("report/latest.json")).unwrap()
    }

    /// The samples of the only run.
    pub(crate) fn samples(&self) -> String {
        let files = std::fs::read_dir(self.path().join("report")).unwrap().map(|entry| entry.unwrap().path());
        let samples = files.into_iter().find(|path| path.to_string_lossy().ends_with(".ndjson")).unwrap();
        samples.to_string_lossy().into_owned()
    }

    /// Asserts that the samples of the only run give its result again.
    pub(crate) fn assert_rebuilt(&self) {
        let again = self.rungs(&["report", &self.samples(), "--json", "-"]);
        assert_eq!((again.code, again.stderr.as_str()), (0, ""));
        assert_eq!(again.stdout, self.read("report/latest.json"));
    }

    /// The newest page, its escaped characters as they are read.
    pub(crate) fn page(&self) -> String {
        self.read("report/latest.html").replace("&#x2f;", "/").replace("&#x27;", "'")
    }

    /// The binary in this folder, in English, without the tester's own settings.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::cargo_bin("rungs").unwrap();
        command.current_dir(self.path()).args(words).env("LC_ALL", "C.UTF-8");
        command
    }

    pub(crate) fn rungs(&self, words: &[&str]) -> Done {
        self.command(words).output().unwrap().into()
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A scenario for an address, two stages of a few requests.
pub(crate) fn scenario(base_url: &str, rest: &str) -> String {
    format!(
        "[target]\nbase_url = \"{base_url}\"\nmodel = \"org/m:7b\"\n{rest}\n[load]\nstages = [1, 2]\n\
         stage_requests = 4\n[data]\nquery = \"hi\"\n"
    )
}

/// A mock server of the test's own, whose ledger can be asked.
pub(crate) fn mock(settings: &str) -> mock::Server {
    mock::Server::start(mock::Config::from_query(settings).unwrap(), 0).unwrap()
}
