//! Where results go, how they read, and what makes CI red.

use std::path::PathBuf;
use std::time::Duration;

use measure::gate::{Rule, Statistic};

/// Limits of one request. A request that is ok and meets all of them counts as goodput.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Objectives {
    /// Longest time to the first token.
    pub ttft: Option<Duration>,
    /// Longest mean time per output token.
    pub tpot: Option<Duration>,
    /// Longest response time.
    pub e2e: Option<Duration>,
}

/// Files and language of the reports.
#[derive(Debug, Clone)]
pub struct Outputs {
    /// Folder for everything without an explicit path; absolute or relative to the working directory.
    pub dir: PathBuf,
    /// Explicit path of the JSON result.
    pub json: Option<PathBuf>,
    /// Explicit path of the HTML page.
    pub html: Option<PathBuf>,
    /// Path of the Markdown summary; `None`: not written.
    pub markdown: Option<PathBuf>,
    /// Path of the JUnit file; `None`: not written.
    pub junit: Option<PathBuf>,
    /// Path of the CSV table; `None`: not written.
    pub csv: Option<PathBuf>,
    /// Where every attempt is written as NDJSON.
    pub samples: Samples,
    /// Who may read all of them.
    pub readers: Readers,
    /// Language of the reports' sentences.
    pub lang: Option<Language>,
    /// No live rows.
    pub quiet: bool,
    /// Title of the page instead of the scenario's name.
    pub title: Option<String>,
    /// A gap at least this long may be a stall.
    pub stall_after: Duration,
    /// Tokens per second at which a reader reads (for `smoothness`).
    pub reading_speed: f64,
}

/// Where every attempt goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Samples {
    /// Nowhere.
    Off,
    /// Beside the result, under a name made from the result's.
    Beside,
    /// Into this file; compressed by gzip where its name ends in `.gz`.
    At(PathBuf),
}

/// Who may read the files of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Everybody on the machine: reports are made to be passed on.
    Everyone,
    /// Who started the run.
    Owner,
}

/// Language of the reports' sentences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Chinese.
    Chinese,
}

/// The gate's rules and baseline.
#[derive(Debug, Clone)]
pub struct GatePlan {
    /// Rules in file order.
    pub rules: Vec<Rule>,
    /// Committed baseline to compare with.
    pub baseline: Option<PathBuf>,
    /// Label of the machine the baseline was made on; part of what makes two runs comparable.
    pub testbed: String,
    /// Share of the intervals that hold the truth, 0.5..=0.999.
    pub confidence: f64,
    /// How often the ladder is climbed, at least once.
    pub repeats: u32,
    /// How often at most a stage is measured again on which a check fails.
    pub confirm: u32,
    /// Statistics that are to have an interval beside those of the rules.
    pub also: Vec<Statistic>,
}
