//! What a stage's records amount to: rates, ratios, distributions, the generator's look at itself.

use std::collections::BTreeMap;
use std::time::Duration;

use super::frame::{ClientLook, Closing, Intervals, StageFrame};
use super::recorder::StageRecorder;
use crate::distribution::round;
use crate::gate::{Statistic, measured};
use crate::interval::Bootstrap;
use crate::offset::milliseconds;
use crate::request::RequestMetrics;
use crate::result::{
    Adjusted, Client, Counts, ErrorExample, ErrorLine, Interval, Preflight, StageResult, StageStatus,
    TokenTotals,
};
use crate::sample::{Attempt, Phase};
use crate::{Amount, Distribution, ErrorClass, Offset, Outcome, Sample};

/// Fewer lag ticks than this say nothing.
const LAG_TICKS: u64 = 100;
/// The p99 of fewer sends than this is one late send.
const SENDS: u64 = 100;
const LAG_LIMIT_MS: f64 = 5.0;
const LATENESS_LIMIT_MS: f64 = 10.0;
const LATENESS_SHARE_OF_TTFT: f64 = 0.05;
const CPU_LIMIT_PERCENT: f64 = 90.0;

impl StageRecorder {
    /// The stage's numbers; `status` comes from the engine.
    pub fn finish(&self, status: StageStatus, look: &ClientLook) -> StageResult {
        // A stage that never began has no window, whatever was planned.
        let planned = self.window_end.filter(|_| status != StageStatus::Skipped);
        let end = planned.unwrap_or(self.last_end);
        let own = end.since(self.frame.window_start);
        let window = (self.earlier + own).as_secs_f64();
        let over = |count: f64| (window > 0.0).then(|| round(count / window));
        let judged = self.counts.ok + self.counts.failed;
        let of_judged = |count: u64| ratio(count, judged);
        let to = &self.distributions;
        let ttft = to.ttft.summary();
        let e2e = to.e2e.summary();
        let result = StageResult {
            name: self.frame.name.clone(),
            status,
            concurrency: self.frame.level.users(),
            rate: self.frame.level.rate().map(Amount),
            ramp_from: self.frame.ramp_from,
            arrival: self.frame.open_loop.map(|open| open.arrival.name().to_owned()),
            burstiness: self.frame.open_loop.and_then(|open| open.burstiness),
            max_in_flight: self.frame.open_loop.map(|open| open.max_in_flight),
            ramp_up_s: self.frame.ramp_up.map(|ramp_up| round(ramp_up.as_secs_f64())),
            think_time_s: self.frame.think_time.map(|pause| pause.map(|pause| round(pause.as_secs_f64()))),
            duration: self.frame.duration.map(duration_text),
            window_s: round(window),
            phase_counts: self.phases,
            drained: self.drained,
            qps: over(self.ok_in_window as f64),
            ttft_ms_p95: ttft.p95,
            p95_ms: e2e.p95,
            p99_ms: e2e.p99,
            success_rate: of_judged(self.counts.ok),
            http_429: self.http[0],
            http_5xx: self.http[1],
            http_429_ratio: ratio(self.http[0], self.counts.attempts),
            http_5xx_ratio: ratio(self.http[1], self.counts.attempts),
            error_rate: of_judged(self.counts.failed),
            output_tokens_per_s: over(self.tokens_in_window).filter(|_| self.counted_in_window > 0),
            goodput: over(self.good_in_window as f64),
            goodput_ratio: of_judged(self.good),
            counts: self.accounted(),
            outcomes: self.outcomes.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            status_codes: self.statuses.iter().map(|(status, n)| (status.to_string(), *n)).collect(),
            flags: self.flags.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect(),
            tokens: self.token_totals(),
            queue_ms: to.queue.summary(),
            connect_ms: to.connect.summary(),
            ttfb_ms: to.ttfb.summary(),
            ttfe_ms: to.ttfe.summary(),
            ttfo_ms: to.ttfo.summary(),
            tpot_ms: to.tpot.summary(),
            ntpot_ms: to.ntpot.summary(),
            gap_ms: to.gap.summary(),
            decode_tps: to.decode_tps.summary(),
            output_tps: to.output_tps.summary(),
            retry_wait_ms: to.retry_wait.summary(),
            total_ms: to.total.summary(),
            time_to_error_ms: to.time_to_error.summary(),
            adjusted: Adjusted { ttft_ms: self.adjusted(&to.ttft), e2e_ms: self.adjusted(&to.e2e) },
            client: self.client(look, ttft.p50),
            ttft_ms: ttft,
            e2e_ms: e2e,
            stalls: self.stalls,
            smoothness: (self.smoothness.1 > 0).then(|| round(self.smoothness.0 / self.smoothness.1 as f64)),
            concurrency_effective: over(self.open_time.as_secs_f64()),
            in_flight_max: self.in_flight_max,
            keys: if status == StageStatus::Skipped { Vec::new() } else { self.keys.lines() },
            errors: self.errors.iter().map(error_line).collect(),
            timeline: self.timeline.seconds(|at| self.phase_at(at, end)),
            intervals: BTreeMap::new(),
            rounds: Vec::new(),
            confirmations: Vec::new(),
        };
        StageResult { intervals: self.intervals(&result, own), ..result }
    }

    /// The intervals of what is watched, over blocks that no request outlives as a rule. `window` is the last one.
    fn intervals(&self, result: &StageResult, window: Duration) -> BTreeMap<String, Interval> {
        let Intervals { of, confidence, seed } = &self.frame.intervals;
        let least =
            Duration::try_from_secs_f64(result.e2e_ms.p95.unwrap_or(0.0) / 1e3).unwrap_or(Duration::MAX);
        // On a ramp the level changes: what scatters there is the load.
        if of.is_empty() || window.is_zero() || !result.is_step() {
            return BTreeMap::new();
        }
        let blocks = self.blocks.grouped(least.max(Duration::from_secs(1)), window);
        let bootstrap = Bootstrap { blocks: &blocks, confidence: *confidence, seed: *seed };
        let interval = |of: &Statistic| {
            let (value, n) = measured(*of, result);
            let value = value.filter(|_| of.stat.is_none_or(|stat| n >= stat.needs()))?;
            Some((of.to_string(), bootstrap.interval(*of, value)?))
        };
        of.iter().filter_map(interval).collect()
    }

    /// What the samples of the stage do not tell of its end.
    pub fn closing(&self, status: StageStatus, look: ClientLook) -> Closing {
        Closing { status, window_end: self.window_end, dropped: self.dropped, look }
    }

    /// What the schedule held until it ended or was cut.
    fn accounted(&self) -> Counts {
        Counts { planned: self.counts.started + self.dropped, dropped: self.dropped, ..self.counts }
    }

    fn token_totals(&self) -> TokenTotals {
        let per_chunk = self.tokens.output.filter(|_| self.known_chunks > 0);
        TokenTotals {
            per_chunk: per_chunk.map(|output| round(output as f64 / self.known_chunks as f64)),
            ..self.tokens.clone()
        }
    }

    fn adjusted(&self, distribution: &Distribution) -> BTreeMap<String, Option<f64>> {
        [50.0, 90.0, 95.0, 99.0]
            .into_iter()
            .map(|p| (format!("p{p}"), distribution.adjusted_percentile(p, self.counts.failed).map(round)))
            .collect()
    }

    fn client(&self, look: &ClientLook, ttft_p50: Option<f64>) -> Client {
        let lag = look.lag_ms.clone();
        let lateness = self.distributions.lateness.summary();
        let lateness_limit = LATENESS_LIMIT_MS.max(LATENESS_SHARE_OF_TTFT * ttft_p50.unwrap_or(0.0));
        let late = lateness.n >= SENDS && lateness.p99 > Some(lateness_limit);
        let saturated = lag.n >= LAG_TICKS
            && (lag.p99 > Some(LAG_LIMIT_MS) || late || look.cpu_percent > Some(CPU_LIMIT_PERCENT));
        Client {
            clock: self.clock.unwrap_or_default().name().to_owned(),
            lag_ms: lag,
            send_lateness_ms: lateness,
            cpu_percent: look.cpu_percent.map(round),
            saturated,
        }
    }

    fn phase_at(&self, at: Offset, end: Offset) -> Phase {
        // A second belongs to the window when its greater part does; without a ramp, also the one in which it begins.
        let (middle, over) = (at + Duration::from_millis(500), at + Duration::from_secs(1));
        let StageFrame { begins, window_start, .. } = self.frame;
        match middle {
            _ if over <= begins => Phase::WarmUp,
            middle if middle < window_start && begins < window_start => Phase::Ramp,
            middle if middle < end => Phase::Measure,
            _ => Phase::Drain,
        }
    }
}

fn ratio(count: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| count as f64 / of as f64)
}

fn error_line((class, (count, example)): (&ErrorClass, &(u64, ErrorExample))) -> ErrorLine {
    ErrorLine { class: class.name().to_owned(), count: *count, example: example.clone() }
}

/// As in TOML.
pub(super) fn duration_text(duration: Duration) -> String {
    match duration.subsec_millis() {
        0 => format!("{}s", duration.as_secs()),
        _ => format!("{}ms", duration.as_millis()),
    }
}

impl Preflight {
    /// What the one request before load showed.
    pub fn of(sample: &Sample) -> Self {
        let Some(attempt) = sample.last() else {
            return Self { outcome: Outcome::Cancelled, ttft_ms: None, e2e_ms: None, error: None };
        };
        // No metric that a preflight shows goes by the reader's speed.
        let metrics = RequestMetrics::of(attempt, 1.0);
        let shown = |value: Option<Duration>| value.map(milliseconds).map(round);
        let failed = matches!(attempt.outcome, Outcome::Failed(_));
        Self {
            outcome: attempt.outcome,
            ttft_ms: shown(metrics.ttft),
            e2e_ms: shown(metrics.e2e),
            error: failed.then(|| ErrorExample::of(attempt)),
        }
    }
}

impl ErrorExample {
    /// What to tell the provider about a failed attempt.
    pub fn of(attempt: &Attempt) -> Self {
        Self {
            status: attempt.status,
            message: attempt.error.as_ref().map(|error| error.message.clone()).unwrap_or_default(),
            request_id: attempt.request_id.clone(),
            at_s: round(attempt.at.end.seconds()),
        }
    }
}
