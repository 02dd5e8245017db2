//! Stages as a server of log-normal times would give them: users who send one request after the other, no socket, no clock.

use std::time::Duration;

use fastrand::Rng;
use measure::gate::{Baseline, BaselineStage, Check, Differences, Level, Reference, Rule, judge};
use measure::result::{CheckResult, SCHEMA_VERSION, StageResult, StageStatus};
use measure::sample::{ArrivalClock, Attempt, Instants, Phase, Sample, TokenEvent, TokenSource, Tokens};
use measure::stage::{ClientLook, Intervals, StageFrame, StageRecorder};
use measure::{Flags, Level as Load, Offset, Outcome};

/// A server, and the load on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    /// Users of the stage.
    pub(crate) users: u32,
    /// Requests of the stage, all users together.
    pub(crate) requests: u32,
    /// Tokens of an answer.
    pub(crate) tokens: u64,
    /// Median time to the first token, ms.
    pub(crate) ttft: f64,
    /// Median time between tokens, ms.
    pub(crate) gap: f64,
    /// Spread of both, as that of the logarithm.
    pub(crate) sigma: f64,
}

/// 400 answers of 64 tokens, 10 users.
pub(crate) const USUAL: Model =
    Model { users: 10, requests: 400, tokens: 64, ttft: 300.0, gap: 20.0, sigma: 0.3 };

/// A check that can fail the run.
pub(crate) fn rule(text: &str) -> Rule {
    Rule { check: Check::parse(text).unwrap(), level: Level::Strict, min_change: None }
}

/// A run of a server against a baseline of the same one, then so many times slower: what came of each check.
pub(crate) fn pair(model: Model, slower: f64, rules: &[Rule], seed: u64) -> Vec<CheckResult> {
    // Neighbouring seeds of this generator begin alike.
    let [first, second] = {
        let mut seeds = Rng::with_seed(seed);
        [seeds.u64(..), seeds.u64(..)]
    };
    let before = model.stage(rules, first);
    let after = model.slower(slower).stage(rules, second);
    let baseline = Baseline {
        schema_version: SCHEMA_VERSION,
        test_name: String::new(),
        api: String::new(),
        model: None,
        testbed: String::new(),
        workload: None,
        stages: [(before.name.clone(), BaselineStage::of(&before))].into(),
        differences: Differences::default(),
    };
    judge(rules, &[after], Some(Reference::Baseline(&baseline)))
        .checks
        .iter()
        .map(|line| line.result)
        .collect()
}

impl Model {
    /// The same with times so many times as long.
    pub(crate) fn slower(self, times: f64) -> Self {
        Self { ttft: self.ttft * times, gap: self.gap * times, ..self }
    }

    /// One stage, with intervals for these checks.
    pub(crate) fn stage(self, rules: &[Rule], seed: u64) -> StageResult {
        let mut rng = Rng::with_seed(seed);
        let mut recorder = StageRecorder::new(self.frame(rules, seed));
        let mut free = vec![0.0; self.users as usize];
        for seq in 0..self.requests {
            let user = seq % self.users;
            let at = &mut free[user as usize];
            let sample = self.request(seq, user, *at, &mut rng);
            *at = sample.attempts[0].at.end.seconds() * 1e3;
            recorder.record(&sample);
        }
        recorder.finish(StageStatus::Complete, &ClientLook::default())
    }

    fn frame(self, rules: &[Rule], seed: u64) -> StageFrame {
        StageFrame {
            name: "c".to_owned(),
            level: Load::Users(self.users),
            ramp_from: None,
            open_loop: None,
            ramp_up: Some(Duration::ZERO),
            think_time: None,
            duration: None,
            requests: Some(self.requests.into()),
            begins: Offset::ORIGIN,
            window_start: Offset::ORIGIN,
            keys: 0,
            stall_after: Duration::from_millis(500),
            reading_speed: 10.0,
            objectives: [None; 3],
            intervals: Intervals {
                of: rules.iter().map(|rule| rule.check.statistic()).collect(),
                confidence: 0.95,
                seed,
            },
            round: None,
        }
    }

    fn request(self, seq: u32, user: u32, start: f64, rng: &mut Rng) -> Sample {
        let mut drawn = |median: f64| median * (self.sigma * normal(rng)).exp();
        let mut now = start + drawn(self.ttft);
        let first = now;
        let mut events = vec![event(first)];
        for _ in 1..self.tokens {
            now += drawn(self.gap);
            events.push(event(now));
        }
        let [start, first, end] = [start, first, now].map(at);
        let attempt = Attempt {
            request_id: String::new(),
            at: Instants {
                start,
                connected: None,
                sent: Some(start),
                headers: Some(first),
                first_event: Some(first),
                first_token: Some(first),
                first_generated: None,
                first_answer: Some(first),
                last_token: Some(end),
                end,
            },
            outcome: Outcome::Ok,
            status: Some(200),
            flags: Flags::default(),
            tokens: Tokens { output: Some(self.tokens), source: TokenSource::Usage, ..Tokens::default() },
            events,
            finish_reason: None,
            error: None,
            reused: true,
            address: None,
            clock: ArrivalClock::Kernel,
        };
        Sample {
            stage: Some(0),
            phase: Phase::Measure,
            seq: seq.into(),
            user,
            row: 0,
            key: None,
            due: start,
            free: start,
            in_flight: self.users,
            attempts: vec![attempt],
        }
    }
}

fn at(ms: f64) -> Offset {
    Offset::from_nanos((ms * 1e6) as u64)
}

fn event(ms: f64) -> TokenEvent {
    TokenEvent { at: at(ms), choice: 0 }
}

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}
