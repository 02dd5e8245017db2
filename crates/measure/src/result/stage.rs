//! One rung of a result.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::{by_class, by_flag, by_outcome, by_status, class};
use super::{Interval, RoundLine};
use crate::distribution::DistributionSummary;
use crate::level::{Amount, Level};

/// One rung.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageResult {
    /// Name, unique in the run.
    pub name: String,
    /// How far it came.
    pub status: StageStatus,
    /// Users of a closed loop (at the end of a ramp); null for an open one.
    pub concurrency: Option<u32>,
    /// Requests per second offered by an open loop (at the end of a ramp); null for a closed one.
    pub rate: Option<Amount>,
    /// Where a linear ramp began, in users or requests per second; null for a step.
    pub ramp_from: Option<Amount>,
    /// How the requests of an open loop follow one another: `constant`, `poisson`, `gamma` or `trace`; null for a closed one.
    pub arrival: Option<String>,
    /// Shape of `gamma` arrivals: 1 is Poisson, less comes in bursts, more is evener; null for every other kind.
    pub burstiness: Option<f64>,
    /// Most requests an open loop has in flight; null for a closed one.
    pub max_in_flight: Option<u32>,
    /// Seconds before the window over which users start or the rate rises; null for a ramp, and in older results.
    pub ramp_up_s: Option<f64>,
    /// Shortest and longest pause of a user between two requests, seconds; null without one.
    pub think_time_s: Option<[f64; 2]>,
    /// Planned duration; null when the stage is a number of requests.
    pub duration: Option<String>,
    /// Measured window in seconds.
    pub window_s: f64,
    /// Requests that started in each phase.
    pub phase_counts: PhaseCounts,
    /// Requests of the window that ended after it.
    pub drained: u64,
    /// Ok requests that ended inside the window, per second.
    pub qps: Option<f64>,
    /// p95 of `ttft`.
    pub ttft_ms_p95: Option<f64>,
    /// p95 of `e2e`.
    pub p95_ms: Option<f64>,
    /// p99 of `e2e`.
    pub p99_ms: Option<f64>,
    /// ok / (ok + failed).
    pub success_rate: Option<f64>,
    /// Attempts answered 429.
    pub http_429: u64,
    /// Attempts answered 5xx.
    pub http_5xx: u64,
    /// `http_429` over attempts.
    pub http_429_ratio: Option<f64>,
    /// `http_5xx` over attempts.
    pub http_5xx_ratio: Option<f64>,
    /// failed / (ok + failed).
    pub error_rate: Option<f64>,
    /// Tokens that arrived inside the window, per second.
    pub output_tokens_per_s: Option<f64>,
    /// Requests per second that are ok and meet every objective.
    pub goodput: Option<f64>,
    /// Of ok + failed.
    pub goodput_ratio: Option<f64>,
    /// Accounting of the measured requests.
    pub counts: Counts,
    /// Measured requests by outcome.
    #[schemars(schema_with = "by_outcome")]
    pub outcomes: BTreeMap<String, u64>,
    /// Measured attempts by status.
    #[schemars(schema_with = "by_status")]
    pub status_codes: BTreeMap<String, u64>,
    /// Measured requests by flag.
    #[schemars(schema_with = "by_flag")]
    pub flags: BTreeMap<String, u64>,
    /// Token totals.
    pub tokens: TokenTotals,
    /// Distribution of `queue`.
    pub queue_ms: DistributionSummary,
    /// Distribution of `connect`.
    pub connect_ms: DistributionSummary,
    /// Distribution of `ttfb`.
    pub ttfb_ms: DistributionSummary,
    /// Distribution of `ttfe`.
    pub ttfe_ms: DistributionSummary,
    /// Distribution of `ttft`.
    pub ttft_ms: DistributionSummary,
    /// Distribution of `ttfo`.
    pub ttfo_ms: DistributionSummary,
    /// Distribution of `tpot`.
    pub tpot_ms: DistributionSummary,
    /// Distribution of `ntpot`.
    pub ntpot_ms: DistributionSummary,
    /// Distribution of `gap`, pooled over requests.
    pub gap_ms: DistributionSummary,
    /// Distribution of `e2e`.
    pub e2e_ms: DistributionSummary,
    /// Distribution of `decode_tps`.
    pub decode_tps: DistributionSummary,
    /// Distribution of `output_tps`.
    pub output_tps: DistributionSummary,
    /// Distribution of back-off between attempts.
    pub retry_wait_ms: DistributionSummary,
    /// Distribution of the time from the start of the first attempt to the end of the last, of requests that were sent
    /// again; empty in results of older versions.
    #[serde(default)]
    pub total_ms: DistributionSummary,
    /// Distribution of `time_to_error`.
    pub time_to_error_ms: DistributionSummary,
    /// Percentiles with failures as infinitely slow.
    pub adjusted: Adjusted,
    /// Stalled streams.
    pub stalls: Stalls,
    /// Mean of `smoothness`.
    pub smoothness: Option<f64>,
    /// Mean number of open requests in the window.
    pub concurrency_effective: Option<f64>,
    /// Most requests open at once.
    pub in_flight_max: u64,
    /// The generator's look at itself.
    pub client: Client,
    /// One row per key; empty when no key is used.
    pub keys: Vec<KeyLine>,
    /// Failures by class, each with an example.
    pub errors: Vec<ErrorLine>,
    /// Second by second.
    pub timeline: Vec<Second>,
    /// How far the statistics can be trusted that checks are written on, by their names (`ttft.p95`).
    #[serde(default)]
    pub intervals: BTreeMap<String, Interval>,
    /// Its rounds, where it was run more than once to be measured: the numbers above are of all of them together.
    #[serde(default)]
    pub rounds: Vec<RoundLine>,
    /// The stage as it was measured again because a check had failed; no part of the numbers above.
    #[serde(default)]
    pub confirmations: Vec<Self>,
}

impl StageResult {
    /// What it offered: what it held, or where its ramp ended.
    pub fn level(&self) -> Level {
        match self.concurrency {
            Some(users) => Level::Users(users),
            None => Level::Rate(self.rate.map_or(0.0, Amount::get)),
        }
    }

    /// Whether it held one level: a ramp shows many, and none of them for long; a trace has the level of each moment.
    pub fn is_step(&self) -> bool {
        self.ramp_from.is_none() && self.arrival.as_deref() != Some("trace")
    }

    /// The most users it had, of a closed loop.
    pub fn most_users(&self) -> Option<u32> {
        let from = self.ramp_from.map_or(0, |from| from.get() as u32);
        self.concurrency.map(|users| users.max(from))
    }
}

/// How far a stage came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageStatus {
    /// As planned.
    Complete,
    /// Ended early.
    Incomplete,
    /// Ended by a check of `[load.stop]`.
    Stopped,
    /// Never began.
    Skipped,
}

/// Requests that started in each phase of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PhaseCounts {
    /// Before the first stage.
    pub warm_up: u64,
    /// While users started.
    pub ramp: u64,
    /// In the window.
    pub measure: u64,
}

/// Accounting: `planned = started + dropped`, `started = ok + failed + cancelled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Counts {
    /// Requests the schedule held.
    pub planned: u64,
    /// Requests that were sent or tried.
    pub started: u64,
    /// Requests that found no slot.
    pub dropped: u64,
    /// Complete answers.
    pub ok: u64,
    /// Everything with an error class.
    pub failed: u64,
    /// Ended by the run itself.
    pub cancelled: u64,
    /// Attempts of all of them.
    pub attempts: u64,
}

impl Counts {
    /// Whether the identities hold.
    pub fn balance(&self) -> bool {
        self.planned == self.started + self.dropped && self.started == self.ok + self.failed + self.cancelled
    }
}

/// Token totals of a stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TokenTotals {
    /// Output tokens of ok requests; null when no request knows its count.
    pub output: Option<u64>,
    /// Prompt tokens of ok requests.
    pub input: Option<u64>,
    /// Reasoning tokens inside `output`.
    pub reasoning: Option<u64>,
    /// Cached tokens inside `input`.
    pub cached: Option<u64>,
    /// Last reported usage of failed requests.
    pub partial: Option<u64>,
    /// Token events of failed requests.
    pub partial_chunks: u64,
    /// Ok requests by where their count came from.
    pub source: TokenSources,
    /// Token events of ok requests.
    pub chunks: u64,
    /// Tokens per token event, over requests that know both.
    pub per_chunk: Option<f64>,
}

/// Ok requests by where their token count came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TokenSources {
    /// The server's usage object.
    pub usage: u64,
    /// Unknown.
    pub none: u64,
}

/// Percentiles with failures as infinitely slow: null where the percentile falls among them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Adjusted {
    /// Of `ttft`.
    pub ttft_ms: BTreeMap<String, Option<f64>>,
    /// Of `e2e`.
    pub e2e_ms: BTreeMap<String, Option<f64>>,
}

/// Stalled streams of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Stalls {
    /// Requests with at least one.
    pub requests: u64,
    /// All of them.
    pub count: u64,
    /// The longest, ms.
    pub longest_ms: Option<f64>,
}

/// The generator's look at itself during one stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Client {
    /// `kernel` or `read`: what stamped arrivals.
    pub clock: String,
    /// How late a timer of each worker fired.
    pub lag_ms: DistributionSummary,
    /// `start - max(due, slot free)`.
    pub send_lateness_ms: DistributionSummary,
    /// CPU of the worker threads, 100 = all of them busy.
    pub cpu_percent: Option<f64>,
    /// Whether the numbers may be this machine's rather than the endpoint's.
    pub saturated: bool,
}

/// One key's share of a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KeyLine {
    /// `key 1`, `key 2`, ...
    pub key: String,
    /// Measured requests.
    pub requests: u64,
    /// Attempts answered 429.
    pub http_429: u64,
    /// Measured requests that failed; 0 in results of older versions.
    #[serde(default)]
    pub failed: u64,
    /// p95 of `ttft`.
    pub ttft_ms_p95: Option<f64>,
}

/// Failures of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ErrorLine {
    /// The class.
    #[schemars(schema_with = "class")]
    pub class: String,
    /// How many requests.
    pub count: u64,
    /// The first of them.
    pub example: ErrorExample,
}

/// One failure, for the provider's support.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ErrorExample {
    /// Status of the answer, if one came.
    pub status: Option<u16>,
    /// Masked message.
    pub message: String,
    /// Value of the request id header.
    pub request_id: String,
    /// Seconds since the run began.
    pub at_s: f64,
}

/// One second of a stage. Latencies are of requests that ended in it; `t_s` counts from the run's beginning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Second {
    /// Seconds since the run began.
    pub t_s: u64,
    /// Phase at its beginning: `warm_up`, `ramp`, `measure` or `drain`.
    pub phase: String,
    /// Most requests open during it.
    pub active: u64,
    /// Requests that started.
    pub started: u64,
    /// Requests that ended ok.
    pub ok: u64,
    /// Requests that failed.
    pub failed: u64,
    /// Attempts answered 429.
    pub http_429: u64,
    /// Tokens that arrived.
    pub tokens: f64,
    /// Token events that arrived.
    pub chunks: u64,
    /// Mean of `ttfb`.
    pub ttfb_ms_mean: Option<f64>,
    /// Mean of `ttft`.
    pub ttft_ms_mean: Option<f64>,
    /// Median of `ttft`.
    pub ttft_ms_p50: Option<f64>,
    /// p95 of `ttft`.
    pub ttft_ms_p95: Option<f64>,
    /// Mean of `tpot`.
    pub tpot_ms_mean: Option<f64>,
    /// Median of `tpot`.
    pub tpot_ms_p50: Option<f64>,
    /// Mean of `e2e`.
    pub e2e_ms_mean: Option<f64>,
    /// Median of `e2e`.
    pub e2e_ms_p50: Option<f64>,
    /// p95 of `e2e`.
    pub e2e_ms_p95: Option<f64>,
    /// Mean of `output_tps`.
    pub output_tps_mean: Option<f64>,
    /// Mean output tokens per ended request.
    pub tokens_per_request: Option<f64>,
    /// p99 of the gaps that ended in it.
    pub gap_ms_p99: Option<f64>,
    /// The gaps that ended in it: pairs of the lower edge of a step in ms (ten steps a decade) and how many lie in it.
    #[serde(default)]
    pub gaps: Vec<(f64, u64)>,
    /// Requests that failed, by class.
    #[serde(default)]
    #[schemars(schema_with = "by_class")]
    pub errors: BTreeMap<String, u64>,
}
