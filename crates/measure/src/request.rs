//! The metrics of one request, derived from its instants. Every missing measurement is `None`.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::sample::{Attempt, Instants, TokenEvent};
use crate::{Flag, Offset, Outcome};

/// A gap under this is too short for a token to have been generated in it.
const BURST_GAP: Duration = Duration::from_micros(100);
/// Fewer token events than this say nothing about buffering.
const BURST_EVENTS: usize = 4;

/// What one attempt's instants amount to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RequestMetrics {
    /// `connected - start`.
    pub connect: Option<Duration>,
    /// `headers - sent`.
    pub ttfb: Option<Duration>,
    /// `first_event - sent`.
    pub ttfe: Option<Duration>,
    /// `first_token - sent`.
    pub ttft: Option<Duration>,
    /// `first_answer - sent`.
    pub ttfo: Option<Duration>,
    /// `end - sent` of an ok request.
    pub e2e: Option<Duration>,
    /// Mean time per output token after the first.
    pub tpot: Option<Duration>,
    /// `e2e / output_tokens`.
    pub ntpot: Option<Duration>,
    /// Tokens per second after the first.
    pub decode_tps: Option<f64>,
    /// Tokens per second over `e2e`.
    pub output_tps: Option<f64>,
    /// Share of the playback time without starving, 0..1.
    pub smoothness: Option<f64>,
    /// `end - sent` (or `- start`, when nothing was sent) of a failed request.
    pub time_to_error: Option<Duration>,
}

impl RequestMetrics {
    /// Derives the metrics of an attempt; `reading_speed` in tokens per second.
    pub fn of(attempt: &Attempt, reading_speed: f64) -> Self {
        let at = &attempt.at;
        let connect = at.connected.map(|connected| connected.since(at.start));
        match attempt.outcome {
            Outcome::Ok => Self { connect, ..Self::of_ok(attempt, reading_speed) },
            Outcome::Failed(_) => Self {
                connect,
                ttfb: since_sent(at, at.headers),
                time_to_error: Some(at.end.since(at.sent.unwrap_or(at.start))),
                ..Self::default()
            },
            Outcome::Cancelled => Self { connect, ..Self::default() },
        }
    }

    fn of_ok(attempt: &Attempt, reading_speed: f64) -> Self {
        let at = &attempt.at;
        let streamed = !attempt.flags.contains(Flag::NotStreamed) && !attempt.events.is_empty();
        let e2e = since_sent(at, Some(at.end));
        let output = attempt.tokens.output.filter(|output| *output > 0);
        let window = decode_window(attempt);
        let after_first = output.filter(|output| *output >= 2).map(|output| output - 1);
        Self {
            connect: None,
            ttfb: since_sent(at, at.headers),
            ttfe: since_sent(at, at.first_event).filter(|_| streamed),
            ttft: since_sent(at, at.first_token).filter(|_| streamed),
            ttfo: since_sent(at, at.first_answer).filter(|_| streamed),
            e2e,
            tpot: per(window, after_first),
            ntpot: per(e2e, output),
            decode_tps: rate(after_first, window),
            output_tps: rate(output, e2e),
            smoothness: output.filter(|_| streamed).map(|o| smoothness(&attempt.events, o, reading_speed)),
            time_to_error: None,
        }
    }
}

fn since_sent(at: &Instants, instant: Option<Offset>) -> Option<Duration> {
    Some(instant?.since(at.sent?))
}

/// `last_token - first_generated`, where a token rate can be read off it.
fn decode_window(attempt: &Attempt) -> Option<Duration> {
    let usable = attempt.events.len() >= 2
        && !attempt.flags.contains(Flag::Burst)
        && !attempt.flags.contains(Flag::NotStreamed)
        && attempt.events.iter().all(|event| event.choice == attempt.events[0].choice);
    let first = attempt.at.first_generated.or(attempt.at.first_token)?;
    let window = attempt.at.last_token?.since(first);
    (usable && !window.is_zero()).then_some(window)
}

fn per(time: Option<Duration>, count: Option<u64>) -> Option<Duration> {
    let (time, count) = (time?, count.filter(|count| *count > 0)?);
    Some(Duration::from_nanos(u64::try_from(time.as_nanos() / u128::from(count)).ok()?))
}

fn rate(count: Option<u64>, time: Option<Duration>) -> Option<f64> {
    let time = time.filter(|time| !time.is_zero())?;
    Some(count? as f64 / time.as_secs_f64())
}

/// Gaps between consecutive token events of the same choice, in order of arrival.
pub fn gaps(events: &[TokenEvent]) -> impl Iterator<Item = (Offset, Duration)> + '_ {
    let mut last = BTreeMap::new();
    events.iter().filter_map(move |event| {
        let previous = last.insert(event.choice, event.at)?;
        Some((event.at, event.at.since(previous)))
    })
}

/// Whether the answer came in a burst: at least four token events and nine in ten gaps under 0.1 ms.
pub fn is_burst(events: &[TokenEvent]) -> bool {
    if events.len() < BURST_EVENTS {
        return false;
    }
    let (mut all, mut short) = (0_u32, 0_u32);
    for (_, gap) in gaps(events) {
        all += 1;
        short += u32::from(gap < BURST_GAP);
    }
    all > 0 && f64::from(short) >= 0.9 * f64::from(all)
}

/// The stalls of one request: gaps longer than `max(stall_after, 5 x its median gap)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stalls {
    /// How many.
    pub count: u64,
    /// The longest.
    pub longest: Option<Duration>,
    /// All together.
    pub sum: Duration,
}

impl Stalls {
    /// Finds the stalls among the gaps of one request.
    pub fn of(events: &[TokenEvent], stall_after: Duration) -> Self {
        let mut all: Vec<Duration> = gaps(events).map(|(_, gap)| gap).collect();
        all.sort_unstable();
        let Some(median) = all.get(all.len().saturating_sub(1) / 2) else {
            return Self::default();
        };
        let threshold = stall_after.max(*median * 5);
        let over = &all[all.partition_point(|gap| *gap <= threshold)..];
        Self { count: over.len() as u64, longest: over.last().copied(), sum: over.iter().sum() }
    }
}

/// Share of the playback time in which a reader of `speed` tokens per second, who starts at the first token, has
/// something to read.
fn smoothness(events: &[TokenEvent], output: u64, speed: f64) -> f64 {
    let Some(first) = events.first() else { return 1.0 };
    let per_event = output as f64 / events.len() as f64 / speed;
    let (mut read_until, mut starved) = (first.at.seconds(), 0.0);
    for event in events {
        let wait = event.at.seconds() - read_until;
        if wait > 0.0 {
            starved += wait;
            read_until = event.at.seconds();
        }
        read_until += per_event;
    }
    1.0 - starved / (starved + output as f64 / speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{TokenSource, Tokens};
    use crate::{ErrorClass, Flags};

    fn ms(ms: u64) -> Offset {
        Offset::from_nanos(ms * 1_000_000)
    }

    fn attempt(events: &[u64], output: Option<u64>, end: u64) -> Attempt {
        let events: Vec<_> = events.iter().map(|at| TokenEvent { at: ms(*at), choice: 0 }).collect();
        let first = events.first().map(|event| event.at);
        Attempt {
            request_id: String::new(),
            at: Instants {
                sent: Some(ms(0)),
                headers: Some(ms(5)),
                first_event: first,
                first_token: first,
                first_answer: first,
                last_token: events.last().map(|event| event.at),
                end: ms(end),
                ..Instants::default()
            },
            outcome: Outcome::Ok,
            status: Some(200),
            flags: Flags::default(),
            tokens: Tokens { output, source: TokenSource::Usage, ..Tokens::default() },
            events,
            finish_reason: None,
            error: None,
            reused: false,
            address: None,
            clock: crate::sample::ArrivalClock::Kernel,
        }
    }

    fn millis(duration: Option<Duration>) -> Option<f64> {
        duration.map(|d| (d.as_secs_f64() * 1e5).round() / 1e2)
    }

    #[test]
    fn tok_01_several_tokens_per_chunk_give_gaps_per_chunk_and_tpot_per_token() {
        let events: Vec<u64> = (0..100).map(|i| 500 + 40 * i).collect();
        let attempt = attempt(&events, Some(400), 4465);
        let metrics = RequestMetrics::of(&attempt, 10.0);
        assert_eq!(millis(metrics.ttft), Some(500.0));
        assert_eq!(millis(metrics.tpot), Some(9.92));
        assert_eq!(metrics.decode_tps.map(f64::round), Some(101.0));
        assert_eq!(gaps(&attempt.events).count(), 99);
    }

    #[test]
    fn stat_09_each_rate_has_its_own_divisor() {
        let metrics = RequestMetrics::of(&attempt(&[2168, 3968], Some(120), 4000), 10.0);
        assert_eq!(millis(metrics.ttft), Some(2168.0));
        assert_eq!(metrics.output_tps, Some(30.0));
        assert_eq!(metrics.decode_tps.map(|tps| (tps * 10.0).round() / 10.0), Some(66.1));
        assert_eq!(millis(metrics.tpot), Some(15.13));
    }

    #[test]
    fn one_token_answers_have_no_tpot_and_unknown_counts_no_rates() {
        let one = RequestMetrics::of(&attempt(&[100], Some(1), 101), 10.0);
        assert_eq!((one.tpot, one.decode_tps), (None, None));
        assert!(one.ttft.is_some());
        let unknown = RequestMetrics::of(&attempt(&[100, 120], None, 121), 10.0);
        assert_eq!(
            (unknown.tpot, unknown.ntpot, unknown.output_tps, unknown.smoothness),
            (None, None, None, None)
        );
    }

    #[test]
    fn a_burst_has_no_token_rate() {
        let mut burst = attempt(&[1700; 50], Some(50), 1700);
        assert!(is_burst(&burst.events));
        burst.flags.insert(Flag::Burst);
        let metrics = RequestMetrics::of(&burst, 10.0);
        assert_eq!((metrics.tpot, metrics.decode_tps), (None, None));
        assert_eq!(metrics.output_tps.map(|tps| (tps * 10.0).round() / 10.0), Some(29.4));
    }

    #[test]
    fn a_failed_request_gives_only_its_time_to_error() {
        let failed =
            Attempt { outcome: Outcome::Failed(ErrorClass::Truncated), ..attempt(&[10, 20], Some(2), 30) };
        let metrics = RequestMetrics::of(&failed, 10.0);
        assert_eq!((metrics.ttft, metrics.e2e, metrics.tpot), (None, None, None));
        assert_eq!(millis(metrics.time_to_error), Some(30.0));
    }

    #[test]
    fn a_reader_starves_only_while_nothing_is_there_to_read() {
        // Ten tokens at ten per second take a second to read; the second half comes 500 ms late.
        let events: Vec<u64> = vec![0, 0, 0, 0, 0, 1000, 1000, 1000, 1000, 1000];
        let metrics = RequestMetrics::of(&attempt(&events, Some(10), 1000), 10.0);
        let smooth = metrics.smoothness.unwrap();
        assert!((smooth - (1.0 - 0.5 / 1.5)).abs() < 1e-9, "{smooth}");
    }

    #[test]
    fn stalls_are_long_both_absolutely_and_for_this_request() {
        let at = |times: &[u64]| attempt(times, None, 9999).events;
        let stalls = Stalls::of(&at(&[0, 10, 20, 30, 700, 710]), Duration::from_millis(500));
        assert_eq!((stalls.count, millis(stalls.longest)), (1, Some(670.0)));
        let slow = Stalls::of(&at(&[0, 600, 1200, 1800]), Duration::from_millis(500));
        assert_eq!(slow.count, 0);
    }
}
