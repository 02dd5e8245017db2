//! Checks on the last seconds of a stage while it runs: what ends a climb before it does harm.

use std::collections::VecDeque;
use std::time::Duration;

use super::check::Rule;
use super::judge::judge;
use crate::result::{CheckResult, StageStatus};
use crate::sample::Phase;
use crate::stage::{ClientLook, Intervals, StageFrame, StageRecorder};
use crate::{Offset, Outcome, Sample};

/// How far back is looked.
pub const WINDOW: Duration = Duration::from_secs(10);
/// Fewer ended requests than this in the window say nothing.
pub const LEAST: usize = 20;

/// The requests of a stage that ended in the last ten seconds, ramp included.
#[derive(Debug, Clone)]
pub struct Rolling {
    rules: Vec<Rule>,
    frame: StageFrame,
    recent: VecDeque<Sample>,
}

/// A check that does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    /// As written.
    pub check: String,
    /// What was measured over the window, in the metric's unit.
    pub value: f64,
    /// What was allowed.
    pub limit: f64,
}

impl Rolling {
    /// Watches a stage by absolute checks.
    pub fn new(rules: Vec<Rule>, frame: StageFrame) -> Self {
        Self { rules, frame, recent: VecDeque::new() }
    }

    /// Goes on in another stage.
    pub fn enter(&mut self, frame: StageFrame) {
        self.frame = frame;
    }

    /// Takes in a request that ended.
    pub fn take(&mut self, sample: &Sample) {
        if sample.outcome() != Outcome::Cancelled {
            // In a window of its own every request is measured.
            self.recent.push_back(Sample { phase: Phase::Measure, ..sample.clone() });
        }
    }

    /// The first check that the last ten seconds break.
    pub fn breach(&mut self, now: Offset) -> Option<Breach> {
        let from = Offset::from_nanos(now.nanos().saturating_sub(WINDOW.as_nanos() as u64));
        let ended = |sample: &Sample| sample.last().map_or(Offset::ORIGIN, |attempt| attempt.at.end);
        self.recent.retain(|sample| ended(sample) >= from);
        if self.recent.len() < LEAST {
            return None;
        }
        let frame = StageFrame {
            window_start: from,
            duration: Some(now.since(from)),
            intervals: Intervals::default(),
            round: None,
            ..self.frame.clone()
        };
        let mut recorder = StageRecorder::new(frame);
        self.recent.iter().for_each(|sample| recorder.record(sample));
        let stage = recorder.finish(StageStatus::Complete, &ClientLook::default());
        let lines = judge(&self.rules, &[stage], None).checks;
        let broken = lines.into_iter().find(|line| line.result == CheckResult::Fail)?;
        Some(Breach { check: broken.check, value: broken.value?, limit: broken.limit? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{Check, Level};
    use crate::sample::{ArrivalClock, Attempt, Instants, Tokens};
    use crate::{ErrorClass, Flags};

    fn rolling(checks: &[&str]) -> Rolling {
        let rule =
            |text: &&str| Rule { check: Check::parse(text).unwrap(), level: Level::Strict, min_change: None };
        let frame = StageFrame {
            name: "c5".into(),
            level: crate::Level::Users(5),
            ramp_from: None,
            open_loop: None,
            ramp_up: Some(Duration::ZERO),
            think_time: None,
            duration: None,
            requests: None,
            begins: Offset::ORIGIN,
            window_start: Offset::ORIGIN,
            keys: 0,
            stall_after: Duration::ZERO,
            reading_speed: 10.0,
            objectives: [None; 3],
            intervals: Intervals::default(),
            round: None,
        };
        Rolling::new(checks.iter().map(rule).collect(), frame)
    }

    /// A request that ended at so many milliseconds.
    fn sample(end_ms: u64, outcome: Outcome, status: u16) -> Sample {
        let at = |ms: u64| Offset::from_nanos(ms * 1_000_000);
        let start = at(end_ms.saturating_sub(100));
        let attempt = Attempt {
            request_id: String::new(),
            at: Instants { start, sent: Some(start), end: at(end_ms), ..Instants::default() },
            outcome,
            status: Some(status),
            flags: Flags::default(),
            tokens: Tokens::default(),
            events: Vec::new(),
            finish_reason: None,
            error: None,
            reused: false,
            address: None,
            clock: ArrivalClock::default(),
        };
        Sample {
            stage: Some(0),
            phase: Phase::Ramp,
            seq: 0,
            user: 0,
            row: 0,
            key: None,
            due: start,
            free: start,
            in_flight: 1,
            attempts: vec![attempt],
        }
    }

    const LIMITED: Outcome = Outcome::Failed(ErrorClass::RateLimited);

    #[test]
    fn a_breach_needs_twenty_ended_requests_and_names_value_and_limit() {
        let mut rolling = rolling(&["error_rate <= 50%", "http_429_ratio <= 20%"]);
        for n in 0..19 {
            rolling.take(&sample(
                1000 + n,
                if n < 5 { LIMITED } else { Outcome::Ok },
                if n < 5 { 429 } else { 200 },
            ));
        }
        let now = Offset::from_nanos(2_000_000_000);
        rolling.take(&sample(1100, Outcome::Cancelled, 200));
        assert_eq!(rolling.breach(now), None, "nineteen, and one that was cancelled");
        rolling.take(&sample(1101, Outcome::Ok, 200));
        let breach = rolling.breach(now).unwrap();
        assert_eq!((breach.check.as_str(), breach.value, breach.limit), ("http_429_ratio <= 20%", 0.25, 0.2));
    }

    #[test]
    fn what_ended_more_than_ten_seconds_ago_is_forgotten() {
        let mut rolling = rolling(&["http_429_ratio <= 20%"]);
        (0..30).for_each(|n| rolling.take(&sample(1000 + n, LIMITED, 429)));
        (0..30).for_each(|n| rolling.take(&sample(9000 + n, Outcome::Ok, 200)));
        assert!(rolling.breach(Offset::from_nanos(9_100_000_000)).is_some());
        assert_eq!(rolling.breach(Offset::from_nanos(11_100_000_000)), None);
        assert_eq!(rolling.recent.len(), 30, "and takes no memory");
    }

    #[test]
    fn distributions_can_be_watched_as_well() {
        let mut rolling = rolling(&["e2e.p95 <= 50ms"]);
        (0..40).for_each(|n| rolling.take(&sample(1000 + n, Outcome::Ok, 200)));
        assert!(rolling.breach(Offset::from_nanos(2_000_000_000)).unwrap().value > 99.0);
    }
}
