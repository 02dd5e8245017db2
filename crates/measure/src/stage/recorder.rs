//! Takes in the samples of one stage as they finish and gives its numbers. Memory does not grow with the number of
//! requests (the timeline keeps a few bytes per request).

use std::collections::BTreeMap;
use std::time::Duration;

use super::frame::StageFrame;
use super::keys::Keys;
use super::timeline::Timeline;
use crate::distribution::round;
use crate::interval::Blocks;
use crate::offset::milliseconds;
use crate::request::{RequestMetrics, Stalls as RequestStalls, gaps};
use crate::result::{Counts, ErrorExample, PhaseCounts, Stalls, TokenTotals};
use crate::sample::{ArrivalClock, Attempt, Phase, TokenSource};
use crate::{Distribution, ErrorClass, Offset, Outcome, Sample};

#[derive(Debug, Clone, Default)]
pub(super) struct Distributions {
    pub(super) queue: Distribution,
    pub(super) connect: Distribution,
    pub(super) ttfb: Distribution,
    pub(super) ttfe: Distribution,
    pub(super) ttft: Distribution,
    pub(super) ttfo: Distribution,
    pub(super) tpot: Distribution,
    pub(super) ntpot: Distribution,
    pub(super) gap: Distribution,
    pub(super) e2e: Distribution,
    pub(super) decode_tps: Distribution,
    pub(super) output_tps: Distribution,
    pub(super) time_to_error: Distribution,
    pub(super) retry_wait: Distribution,
    /// Of requests with more than one attempt.
    pub(super) total: Distribution,
    pub(super) lateness: Distribution,
}

/// Collects one stage.
#[derive(Debug, Clone)]
pub struct StageRecorder {
    pub(super) frame: StageFrame,
    pub(super) window_end: Option<Offset>,
    pub(super) phases: PhaseCounts,
    pub(super) counts: Counts,
    /// Requests that were due and never started.
    pub(super) dropped: u64,
    pub(super) distributions: Distributions,
    pub(super) outcomes: BTreeMap<&'static str, u64>,
    pub(super) statuses: BTreeMap<u16, u64>,
    pub(super) flags: BTreeMap<&'static str, u64>,
    pub(super) tokens: TokenTotals,
    pub(super) known_chunks: u64,
    pub(super) tokens_in_window: f64,
    /// Requests behind that number.
    pub(super) counted_in_window: u64,
    pub(super) ok_in_window: u64,
    pub(super) good: u64,
    pub(super) good_in_window: u64,
    pub(super) open_time: Duration,
    pub(super) in_flight_max: u64,
    pub(super) drained: u64,
    pub(super) http: [u64; 2],
    pub(super) stalls: Stalls,
    pub(super) smoothness: (f64, u64),
    pub(super) keys: Keys,
    pub(super) errors: BTreeMap<ErrorClass, (u64, ErrorExample)>,
    pub(super) timeline: Timeline,
    pub(super) last_end: Offset,
    /// The weakest clock of the measured attempts that were answered.
    pub(super) clock: Option<ArrivalClock>,
    pub(super) blocks: Blocks,
    /// What windows of the same stage took that are over.
    pub(super) earlier: Duration,
}

impl StageRecorder {
    /// An empty stage. With a planned duration the window's end is known from the start.
    pub fn new(frame: StageFrame) -> Self {
        let keys = Keys::new(frame.keys);
        let blocks = Blocks::new(frame.intervals.of.clone());
        let window_end = frame.duration.map(|duration| frame.window_start + duration);
        Self {
            frame,
            window_end,
            keys,
            phases: PhaseCounts::default(),
            counts: Counts::default(),
            dropped: 0,
            distributions: Distributions::default(),
            outcomes: BTreeMap::new(),
            statuses: BTreeMap::new(),
            flags: BTreeMap::new(),
            tokens: TokenTotals::default(),
            known_chunks: 0,
            tokens_in_window: 0.0,
            counted_in_window: 0,
            ok_in_window: 0,
            good: 0,
            good_in_window: 0,
            open_time: Duration::ZERO,
            in_flight_max: 0,
            drained: 0,
            http: [0; 2],
            stalls: Stalls::default(),
            smoothness: (0.0, 0),
            errors: BTreeMap::new(),
            timeline: Timeline::default(),
            last_end: Offset::ORIGIN,
            clock: None,
            blocks,
            earlier: Duration::ZERO,
        }
    }

    /// Ends the window early: what ends or arrives after `at` is no longer inside.
    pub fn cut(&mut self, at: Offset) {
        self.window_end = Some(self.window_end.map_or(at, |end| end.min(at)).max(self.frame.window_start));
    }

    /// Takes in one finished request of this stage, of whatever phase.
    pub fn record(&mut self, sample: &Sample) {
        let Some(attempt) = sample.last() else { return };
        let metrics = RequestMetrics::of(attempt, self.frame.reading_speed);
        self.timeline.record(sample, &metrics);
        // Requests of the ramp are open, end, and bring tokens inside the window as well.
        if matches!(sample.phase, Phase::Ramp | Phase::Measure) {
            self.record_presence(sample, attempt, &metrics);
        }
        match sample.phase {
            Phase::Measure => self.record_measured(sample, attempt, &metrics),
            Phase::Ramp => self.phases.ramp += 1,
            Phase::WarmUp => self.phases.warm_up += 1,
            Phase::Preflight | Phase::Drain => {}
        }
    }

    /// Takes in a request of another stage that may have been open in this one's window.
    pub fn witness(&mut self, sample: &Sample) {
        let Some(attempt) = sample.last() else { return };
        if matches!(sample.phase, Phase::Ramp | Phase::Measure) {
            self.record_presence(sample, attempt, &RequestMetrics::of(attempt, self.frame.reading_speed));
        }
    }

    /// Counts requests of an open loop that were due and never found a slot.
    pub fn dropped(&mut self, requests: u64) {
        self.dropped += requests;
    }

    fn record_presence(&mut self, sample: &Sample, attempt: &Attempt, metrics: &RequestMetrics) {
        let Some(first) = sample.attempts.first() else { return };
        // Between two attempts nothing is open.
        for one in &sample.attempts {
            let from = one.at.start.max(self.frame.window_start);
            self.open_time += self.window_end.map_or(one.at.end, |end| one.at.end.min(end)).since(from);
        }
        let from = first.at.start.max(self.frame.window_start);
        let until = self.window_end.map_or(attempt.at.end, |end| attempt.at.end.min(end));
        if attempt.outcome == Outcome::Ok && self.in_window(attempt.at.end) {
            let good = u64::from(self.meets_objectives(metrics));
            self.ok_in_window += 1;
            self.good_in_window += good;
            self.blocks.ended(self.after_start(attempt.at.end), good);
        }
        if matches!(attempt.outcome, Outcome::Ok | Outcome::Cancelled) {
            self.record_tokens_in_window(attempt);
        }
        if until > from {
            self.in_flight_max = self.in_flight_max.max(u64::from(sample.in_flight));
        }
    }

    fn record_measured(&mut self, sample: &Sample, attempt: &Attempt, metrics: &RequestMetrics) {
        self.phases.measure += 1;
        self.counts.started += 1;
        self.counts.attempts += sample.attempts.len() as u64;
        self.last_end = self.last_end.max(attempt.at.end);
        self.drained += u64::from(!self.in_window(attempt.at.end));
        *self.outcomes.entry(sample.outcome().name()).or_default() += 1;
        attempt.flags.iter().for_each(|flag| *self.flags.entry(flag.name()).or_default() += 1);
        sample.attempts.iter().filter_map(|attempt| attempt.status).for_each(|status| {
            *self.statuses.entry(status).or_default() += 1;
            self.http[0] += u64::from(status == 429);
            self.http[1] += u64::from((500..600).contains(&status));
        });
        if attempt.at.headers.is_some() {
            self.clock = Some(self.clock.map_or(attempt.clock, |clock| clock.min(attempt.clock)));
        }
        self.keys.record(sample, metrics);
        self.record_latencies(sample, metrics);
        match attempt.outcome {
            Outcome::Ok => self.record_ok(attempt, metrics),
            Outcome::Failed(class) => self.record_failure(class, attempt),
            Outcome::Cancelled => self.counts.cancelled += 1,
        }
        if let Some(first) = sample.attempts.first() {
            let good = u64::from(self.meets_objectives(metrics));
            self.blocks.measured(self.after_start(first.at.start), sample, metrics, good);
        }
    }

    fn record_latencies(&mut self, sample: &Sample, metrics: &RequestMetrics) {
        let to = &mut self.distributions;
        if let Some(first) = sample.attempts.first() {
            to.queue.record(first.at.start.since(sample.due));
            to.lateness.record(first.at.start.since(sample.due.max(sample.free)));
        }
        for (distribution, value) in [
            (&mut to.retry_wait, sample.retry_wait()),
            (&mut to.total, sample.total().filter(|_| sample.attempts.len() > 1)),
            (&mut to.connect, metrics.connect),
            (&mut to.ttfb, metrics.ttfb),
            (&mut to.ttfe, metrics.ttfe),
            (&mut to.ttft, metrics.ttft),
            (&mut to.ttfo, metrics.ttfo),
            (&mut to.tpot, metrics.tpot),
            (&mut to.ntpot, metrics.ntpot),
            (&mut to.e2e, metrics.e2e),
            (&mut to.time_to_error, metrics.time_to_error),
        ] {
            value.into_iter().for_each(|value| distribution.record(value));
        }
        metrics.decode_tps.into_iter().for_each(|tps| to.decode_tps.record_rate(tps));
        metrics.output_tps.into_iter().for_each(|tps| to.output_tps.record_rate(tps));
    }

    fn record_ok(&mut self, attempt: &Attempt, metrics: &RequestMetrics) {
        self.counts.ok += 1;
        self.good += u64::from(self.meets_objectives(metrics));
        gaps(&attempt.events).for_each(|(_, gap)| self.distributions.gap.record(gap));
        let stalls = RequestStalls::of(&attempt.events, self.frame.stall_after);
        self.stalls.requests += u64::from(stalls.count > 0);
        self.stalls.count += stalls.count;
        let longest = stalls.longest.map(milliseconds).map(round);
        self.stalls.longest_ms = self.stalls.longest_ms.into_iter().chain(longest).reduce(f64::max);
        if let Some(smoothness) = metrics.smoothness {
            self.smoothness = (self.smoothness.0 + smoothness, self.smoothness.1 + 1);
        }
        self.record_tokens(attempt);
    }

    fn record_tokens(&mut self, attempt: &Attempt) {
        let (totals, tokens) = (&mut self.tokens, &attempt.tokens);
        for (total, count) in [
            (&mut totals.output, tokens.output),
            (&mut totals.input, tokens.input),
            (&mut totals.reasoning, tokens.reasoning),
            (&mut totals.cached, tokens.cached),
        ] {
            if let Some(count) = count {
                *total = Some(total.unwrap_or(0).saturating_add(count));
            }
        }
        match tokens.source {
            TokenSource::Usage => totals.source.usage += 1,
            TokenSource::None => totals.source.none += 1,
        }
        totals.chunks += attempt.events.len() as u64;
        if tokens.output.is_some() {
            self.known_chunks += attempt.events.len() as u64;
        }
    }

    fn record_failure(&mut self, class: ErrorClass, attempt: &Attempt) {
        self.counts.failed += 1;
        self.tokens.partial_chunks += attempt.events.len() as u64;
        if let Some(partial) = attempt.tokens.output {
            self.tokens.partial = Some(self.tokens.partial.unwrap_or(0).saturating_add(partial));
        }
        let (count, _) = self.errors.entry(class).or_insert_with(|| (0, ErrorExample::of(attempt)));
        *count += 1;
    }

    fn record_tokens_in_window(&mut self, attempt: &Attempt) {
        let Some(output) = attempt.tokens.output else { return };
        self.counted_in_window += 1;
        let each = output as f64 / attempt.events.len().max(1) as f64;
        let end = attempt.events.is_empty().then_some(attempt.at.end);
        for at in attempt.events.iter().map(|event| event.at).chain(end) {
            if self.in_window(at) {
                self.tokens_in_window += each;
                self.blocks.arrived(self.after_start(at), each);
            }
        }
    }

    /// The window as far as it is known.
    pub(super) fn window(&self) -> Duration {
        self.window_end.unwrap_or(self.last_end).since(self.frame.window_start)
    }

    /// How long after the start of the window.
    fn after_start(&self, at: Offset) -> Duration {
        at.since(self.frame.window_start)
    }

    fn in_window(&self, at: Offset) -> bool {
        at >= self.frame.window_start && self.window_end.is_none_or(|end| at <= end)
    }

    fn meets_objectives(&self, metrics: &RequestMetrics) -> bool {
        let measured = [metrics.ttft, metrics.tpot, metrics.e2e];
        self.frame.objectives.iter().zip(measured).all(|(limit, value)| match (limit, value) {
            (Some(limit), Some(value)) => value <= *limit,
            // An objective on something this answer does not have (TPOT of one token) cannot be missed by it.
            _ => true,
        })
    }
}
