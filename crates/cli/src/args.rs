//! The command line, as clap types and nothing else.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// A load tester for streaming LLM endpoints.
#[derive(Debug, Parser)]
#[command(name = "rungs", version, disable_version_flag = true, about = "A load tester for streaming LLM endpoints", long_about = LONG, after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print the version
    #[arg(short = 'v', short_alias = 'V', long, action = clap::ArgAction::Version)]
    version: Option<bool>,
}

const LONG: &str = "A load tester for streaming LLM endpoints (OpenAI, Anthropic, Dify and what speaks like them).\n\n\
A scenario file says target, load, data, report and gate. rungs applies the load it describes rung by rung, times \
every stream, writes JSON and an HTML page, and says with its exit code whether the gate passed.";

const EXAMPLES: &str = "Examples:\n  \
rungs run perf/config.toml                     climb the ladder, write the report, judge the gate\n  \
rungs run perf/config.toml --stages 1,5        a shorter ladder\n  \
rungs run perf/config.toml --set target.base_url=https://api.example.com --set target.model=gpt-4o\n  \
rungs check perf/config.toml scenarios/*.toml  is everything in these files right?\n  \
rungs plan perf/config.toml                    what would be sent, without sending it\n  \
rungs probe perf/config.toml                   one request, step by step\n  \
rungs report perf/report/latest.json --markdown -  a saved result for a pull request\n  \
rungs mock --port 9100 --ttft 300ms~0.3        a paced server to try things on\n\n\
Exit codes: 0 done, gate passed - 1 a strict check failed - 2 wrong command line - 3 the scenario is not valid -\n\
4 the target cannot be used - 5 not judged - 6 an output could not be written - 70 a bug - 130/143 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Climb the ladder of a scenario: preflight, load, report, gate
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArgs),
    /// Check scenario files as `run` does before its first request; prints nothing but problems
    Check(CheckArgs),
    /// Show what a scenario would send, without sending it
    Plan(PlanArgs),
    /// Send one request and tell it step by step, with the diagnosis if it fails; of an A/B run, one to each side
    #[command(after_help = PROBE_EXAMPLES)]
    Probe(ProbeArgs),
    /// Render a saved result again (page, Markdown, JUnit, CSV, JSON, or the table), or compare several
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Two saved results side by side, each change told from chance
    Compare(CompareArgs),
    /// Judge a saved result by the checks of a scenario, without sending anything
    #[command(after_help = GATE_EXAMPLES)]
    Gate(GateArgs),
    /// Write the small committed baseline from a result
    Baseline(BaselineArgs),
    /// Run a scenario against itself several times, and write the noise floor of its numbers into the baseline
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate(CalibrateArgs),
    /// Start the built-in streaming server on 127.0.0.1
    Mock(MockArgs),
    /// Print the JSON Schema of the scenario file, for editors
    Schema(SchemaArgs),
}

const RUN_EXAMPLES: &str = "Examples:\n  \
rungs run perf/config.toml\n  \
rungs run perf/config.toml --stages 1,5,20 --set load.stage_duration=10s\n  \
rungs run perf/config.toml --set target.host=127.0.0.1 --set target.port=8080 --set target.api_key=sk-test\n  \
rungs run perf/config.toml --against http://127.0.0.1:8000/v1 --set target.b.auth=none    A/B: the target and what is behind it\n  \
rungs run perf/config.toml --quiet --json - | jq .ladder";

const PROBE_EXAMPLES: &str = "Examples:\n  \
rungs probe perf/config.toml\n  \
rungs probe perf/config.toml --set target.model=gpt-4o --lang zh\n  \
rungs probe perf/config.toml --set target.http=auto    does the server speak HTTP/2?\n\n\
Exit codes: 0 the request was ok - 3 the scenario is not valid - 4 the target cannot be used";

const REPORT_EXAMPLES: &str = "Examples:\n  \
rungs report perf/report/latest.json                                 the closing table\n  \
rungs report perf/report/latest.json --markdown - >> \"$GITHUB_STEP_SUMMARY\"\n  \
rungs report perf/report/latest.json --junit junit.xml --csv ladder.csv\n  \
rungs report perf/report/latest.json --html zh.html --lang zh\n  \
rungs report perf/report/NAME.samples.ndjson --html rebuilt.html        counted again, also of a killed run\n  \
rungs report before.json after.json --html comparison.html           runs side by side, the first as the reference\n  \
rungs report provider-a.json provider-b.json --markdown -\n\n\
Exit codes: 0 written, whatever the result says - 2 the result cannot be read - 6 an output could not be written";

const GATE_EXAMPLES: &str = "Examples:\n  \
rungs gate perf/report/latest.json --scenario perf/config.toml\n  \
rungs gate perf/report/latest.json --scenario perf/config.toml --baseline other.json --markdown -\n\n\
Exit codes: 0 passed - 1 a strict check failed - 2 the result cannot be read - 3 the scenario is not valid -\n\
5 not judged - 6 an output could not be written";

const CALIBRATE_EXAMPLES: &str = "Examples:\n  \
rungs calibrate perf/config.toml                 five climbs; the baseline goes where [gate] baseline says\n  \
rungs calibrate perf/config.toml --times 10 --to perf/baseline.json\n\n\
Exit codes: 0 the baseline is written - 2 wrong command line - 3 the scenario is not valid -\n\
4 the target cannot be used - 5 the runs cannot be a baseline - 6 an output could not be written";

/// What lays itself over the scenario file.
#[derive(Debug, clap::Args)]
pub(crate) struct LayerArgs {
    /// Use the table [profile.NAME] of the file
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Set a key: a TOML value, else taken as text (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Another ladder, e.g. 1,5,20
    #[arg(long, value_name = "USERS", value_delimiter = ',')]
    pub(crate) stages: Option<Vec<u32>>,
    /// Seed of everything random
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Compare with the server at URL, by turns (A/B): the same as `[target.b] base_url`
    #[arg(long, value_name = "URL")]
    pub(crate) against: Option<String>,
    /// Put every output into DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with this baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Language of the reports
    #[arg(long, value_enum)]
    pub(crate) lang: Option<Language>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// Write the result to stdout too, and nothing else there
    #[arg(long, value_name = "-", value_parser = ["-"])]
    pub(crate) json: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// How often the ladder is climbed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=100))]
    pub(crate) times: u32,
    /// Where the baseline goes, instead of where `[gate] baseline` says
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
}

/// What is run, and how load is sent.
#[derive(Debug, clap::Args)]
pub(crate) struct LoadArgs {
    /// The scenario file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) layers: LayerArgs,
    /// No live rows
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Worker threads (default: one less than the machine has CPUs)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) workers: Option<u16>,
    /// Do not ask before load goes to a host that is not this machine
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The scenario files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) layers: LayerArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PlanArgs {
    /// The scenario file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) layers: LayerArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ProbeArgs {
    /// The scenario file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) layers: LayerArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// A saved result (JSON), or its samples (NDJSON); several are laid side by side, the first as the reference
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) outputs: OutputArgs,
    /// Language of the reports
    #[arg(long, value_enum)]
    pub(crate) lang: Option<Language>,
}

/// What is written of a saved run.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write the result again as JSON (`-` = stdout)
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write the page (`-` = stdout)
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the Markdown summary (`-` = stdout)
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write the JUnit file (`-` = stdout)
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the table as CSV, a row per stage (`-` = stdout)
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    /// A saved result (JSON), or its samples (NDJSON): the reference
    #[arg(value_name = "A")]
    pub(crate) reference: PathBuf,
    /// Another one
    #[arg(value_name = "B")]
    pub(crate) other: PathBuf,
    /// Language of the sentences
    #[arg(long, value_enum)]
    pub(crate) lang: Option<Language>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct GateArgs {
    /// A saved result (JSON), or its samples (NDJSON)
    #[arg(value_name = "RESULT")]
    pub(crate) result: PathBuf,
    /// The scenario whose checks it is judged by
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: PathBuf,
    #[command(flatten)]
    pub(crate) layers: LayerArgs,
    #[command(flatten)]
    pub(crate) outputs: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BaselineArgs {
    #[command(subcommand)]
    pub(crate) action: BaselineAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BaselineAction {
    /// Accept a result as the baseline that later runs are compared with
    Accept {
        /// A saved result (JSON)
        #[arg(value_name = "RESULT")]
        result: PathBuf,
        /// Where the baseline goes
        #[arg(value_name = "FILE", default_value = "baseline.json")]
        file: PathBuf,
        /// Label of the machine, as `testbed` in the gate table
        #[arg(long, default_value = "")]
        testbed: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct MockArgs {
    /// Port to listen on; 0 is any free one
    #[arg(long, default_value_t = 9100)]
    pub(crate) port: u16,
    /// Serve one protocol only: openai-chat, openai-completions, openai-responses, anthropic-messages, dify-chat,
    /// dify-workflow, ollama-chat or ollama-generate (default: all, by path)
    #[arg(long, value_name = "API")]
    pub(crate) api: Option<String>,
    /// Time to the first token: median~sigma of a log-normal, e.g. 300ms~0.3
    #[arg(long, value_name = "TIME")]
    pub(crate) ttft: Option<String>,
    /// Time between tokens
    #[arg(long, value_name = "TIME")]
    pub(crate) itl: Option<String>,
    /// Tokens per answer
    #[arg(long, value_name = "N")]
    pub(crate) tokens: Option<u32>,
    /// More open requests than this wait
    #[arg(long, value_name = "N")]
    pub(crate) capacity: Option<u32>,
    /// More open requests than this are answered 429
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Requests without this key are answered 401
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Models served, separated by commas; any other is answered 404 (default: any model)
    #[arg(long, value_name = "NAMES")]
    pub(crate) models: Option<String>,
    /// TOML file that says which share of the requests meets which fault: `reset = "2%"`, close, stall, rate_limited,
    /// unavailable, truncated, inband_error
    #[arg(long, value_name = "FILE")]
    pub(crate) faults: Option<PathBuf>,
    /// Seed of the times and of the faults
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// That of the saved result instead
    #[arg(long)]
    pub(crate) result: bool,
}

/// Language of the reports.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Language {
    /// English
    En,
    /// Chinese
    Zh,
}
