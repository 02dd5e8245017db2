//! A small run with one of everything: an answer, a refusal, a cut stream.

use std::collections::BTreeMap;
use std::time::Duration;

use measure::flag::{Flag, Flags};
use measure::gate::{Check, Level, Rule, judge};
use measure::ladder::ladder;
use measure::result::{
    Against, CancelLine, Difference, ErrorExample, Exit, Fingerprint, Interval, LoadLine, Machine, Override,
    Preflight, RetryLine, RunResult, RunStatus, SCHEMA_VERSION, StageDifference, StageResult, StageStatus,
    Tool, Unit, Warning,
};
use measure::sample::{Attempt, ErrorDetail, Instants, Phase, Sample, TokenEvent, TokenSource, Tokens};
use measure::stage::{ArrivalKind, ClientLook, Intervals, OpenLoop, StageFrame, StageRecorder};
use measure::{Amount, Distribution, ErrorClass, Offset, Outcome, Settings, Workload};

pub(crate) fn ms(ms: u64) -> Offset {
    Offset::from_nanos(ms * 1_000_000)
}

fn attempt(start: u64, outcome: Outcome, status: Option<u16>) -> Attempt {
    let tokens = if outcome == Outcome::Ok { 8 } else { 2 };
    let events: Vec<TokenEvent> = match status {
        Some(200) => (0..tokens).map(|i| TokenEvent { at: ms(start + 100 + 20 * i), choice: 0 }).collect(),
        _ => Vec::new(),
    };
    let first = events.first().map(|event| event.at);
    Attempt {
        request_id: format!("id-{start}"),
        at: Instants {
            start: ms(start),
            connected: Some(ms(start + 1)),
            sent: Some(ms(start + 2)),
            headers: status.map(|_| ms(start + 50)),
            first_event: first,
            first_token: first,
            first_generated: None,
            first_answer: first,
            last_token: events.last().map(|event| event.at),
            end: ms(start + 300),
        },
        outcome,
        status,
        flags: [Flag::Keepalives].into_iter().collect::<Flags>(),
        tokens: Tokens {
            output: first.map(|_| tokens),
            input: Some(3),
            source: TokenSource::Usage,
            ..Tokens::default()
        },
        events,
        finish_reason: None,
        error: (outcome != Outcome::Ok)
            .then(|| ErrorDetail { message: "busy".into(), ..ErrorDetail::default() }),
        reused: false,
        address: None,
        clock: measure::sample::ArrivalClock::Kernel,
    }
}

/// An answer that began and ended so, in ms, as a measured request.
pub(crate) fn answer(start: u64, e2e: u64) -> Sample {
    let mut answer = attempt(start, Outcome::Ok, Some(200));
    answer.at.end = ms(start + e2e);
    sample(1, Phase::Measure, answer)
}

fn sample(seq: u64, phase: Phase, attempt: Attempt) -> Sample {
    Sample {
        stage: Some(0),
        phase,
        seq,
        user: 0,
        row: 0,
        key: Some(0),
        due: attempt.at.start,
        free: attempt.at.start,
        in_flight: 1,
        attempts: vec![attempt],
    }
}

fn frame() -> StageFrame {
    StageFrame {
        name: "c2".into(),
        level: measure::Level::Users(2),
        ramp_from: None,
        open_loop: None,
        ramp_up: Some(Duration::from_secs(1)),
        think_time: Some([Duration::from_millis(50), Duration::from_millis(200)]),
        begins: Offset::ORIGIN,
        duration: Some(Duration::from_secs(2)),
        requests: None,
        window_start: ms(1000),
        keys: 1,
        stall_after: Duration::from_millis(500),
        reading_speed: 10.0,
        objectives: [Some(Duration::from_secs(1)), None, None],
        intervals: Intervals::default(),
        round: None,
    }
}

/// One rung of two seconds.
pub(crate) fn stage() -> StageResult {
    stage_with_ramp_at(500)
}

/// One rung whose every send was so late, in ms, while its workers' timers were not.
pub(crate) fn stage_of_late_sends(sends: u64, late: u64) -> StageResult {
    let mut recorder = StageRecorder::new(frame());
    for seq in 0..sends {
        let one = sample(seq, Phase::Measure, attempt(1000 + late, Outcome::Ok, Some(200)));
        recorder.record(&Sample { due: ms(1000), free: ms(1000), ..one });
    }
    let mut lag = Distribution::default();
    (0..200).for_each(|_| lag.record(Duration::from_micros(80)));
    recorder.finish(StageStatus::Complete, &ClientLook { lag_ms: lag.summary(), cpu_percent: Some(12.5) })
}

/// One rung of so many requests, the last of which failed.
pub(crate) fn stage_of_failures(requests: u64, failed: u64) -> StageResult {
    let mut recorder = StageRecorder::new(frame());
    for seq in 0..requests {
        let one = match seq < requests - failed {
            true => attempt(1000, Outcome::Ok, Some(200)),
            false => attempt(1000, Outcome::Failed(ErrorClass::StreamInterrupted), Some(200)),
        };
        recorder.record(&sample(seq, Phase::Measure, one));
    }
    recorder.finish(StageStatus::Complete, &ClientLook::default())
}

/// One rung of two seconds whose ramp sent one request at this moment, in ms.
pub(crate) fn stage_with_ramp_at(ramp: u64) -> StageResult {
    let mut recorder = StageRecorder::new(frame());
    recorder.record(&sample(1, Phase::Ramp, attempt(ramp, Outcome::Ok, Some(200))));
    recorder.record(&sample(2, Phase::Measure, attempt(1000, Outcome::Ok, Some(200))));
    recorder.record(&sample(3, Phase::Measure, attempt(1400, Outcome::Ok, Some(200))));
    let refused = Outcome::Failed(ErrorClass::RateLimited);
    recorder.record(&sample(4, Phase::Measure, attempt(1800, refused, Some(429))));
    let cut = Outcome::Failed(ErrorClass::StreamInterrupted);
    recorder.record(&sample(5, Phase::Measure, attempt(2200, cut, Some(200))));
    let mut lag = Distribution::default();
    lag.record(Duration::from_micros(80));
    recorder.finish(StageStatus::Complete, &ClientLook { lag_ms: lag.summary(), cpu_percent: Some(12.5) })
}

/// The whole run.
pub(crate) fn result() -> RunResult {
    let skipped = StageRecorder::new(StageFrame {
        name: "c5".into(),
        level: measure::Level::Rate(5.5),
        ramp_from: Some(Amount(0.5)),
        open_loop: Some(OpenLoop { arrival: ArrivalKind::Gamma, burstiness: Some(0.5), max_in_flight: 9 }),
        ramp_up: None,
        think_time: None,
        begins: Offset::ORIGIN,
        duration: None,
        requests: Some(10),
        window_start: Offset::ORIGIN,
        keys: 0,
        stall_after: Duration::from_millis(500),
        reading_speed: 10.0,
        objectives: [None; 3],
        intervals: Intervals::default(),
        round: None,
    });
    let stages = vec![stage(), skipped.finish(StageStatus::Skipped, &ClientLook::default())];
    let rule = |text: &str, level| Rule { check: Check::parse(text).unwrap(), level, min_change: None };
    let rules =
        [rule("success_rate >= 40%", Level::Strict), rule("ttft.p95 <= baseline + 20%", Level::Advisory)];
    RunResult {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "rungs".into(), version: "0.0.0".into() },
        status: RunStatus::Interrupted,
        exit: Exit { code: 130, reasons: vec!["interrupted by SIGINT".into()] },
        test_name: "form".into(),
        provider: Some("P".into()),
        base_url: "https://h/api".into(),
        url: "https://h/api/chat/completions".into(),
        proxy: None,
        api: "openai-chat".into(),
        model: Some("m".into()),
        stream: true,
        auth_header: Some("Authorization: Bearer ***".into()),
        headers: BTreeMap::from([("content-type".into(), "application/json".into())]),
        started_at: "2026-01-01T00:00:00Z".into(),
        finished_at: "2026-01-01T00:00:03Z".into(),
        seed: 1,
        scenario: Fingerprint {
            path: "form.toml".into(),
            sha256: "0".repeat(64),
            profile: None,
            overrides: vec![Override {
                key: "load.stages".into(),
                value: "[2, 5]".into(),
                source: "--stages".into(),
                changes_workload: true,
            }],
            workload: Some(workload()),
        },
        machine: Machine { os: "linux".into(), cpus: 2, workers: 1 },
        preflight: Some(Preflight {
            outcome: Outcome::Failed(ErrorClass::Unauthorized),
            ttft_ms: None,
            e2e_ms: None,
            error: Some(ErrorExample::of(&attempt(0, Outcome::Failed(ErrorClass::Unauthorized), Some(401)))),
        }),
        ladder: ladder(&stages, [None; 3]),
        load: Some(load()),
        gate: judge(&rules, &stages, None),
        stages,
        search: None,
        stop: None,
        against: Some(against()),
        warnings: vec![Warning {
            code: "short_window".into(),
            stage: Some("c2".into()),
            text: "short".into(),
        }],
        cost: None,
        currency: None,
        conclusion: "It held.".into(),
        notes: None,
    }
}

fn load() -> LoadLine {
    LoadLine {
        warm_up: Some("10 requests".into()),
        distinct_prompts: 5,
        cool_down_s: 0.0,
        drain_timeout_s: 60.0,
        max_requests: Some(1000),
        cancel: Some(CancelLine { ratio: 0.05, after_s: 2.0 }),
        retry: Some(RetryLine { max: 3, on: vec!["rate_limited".into()], base_s: 0.5, cap_s: 30.0 }),
        stop: vec!["error_rate <= 50%".into()],
        search: Vec::new(),
    }
}

pub(crate) fn against() -> Against {
    let interval = Interval {
        low: 20.0,
        high: 180.0,
        confidence: 0.95,
        standard_error: 40.0,
        unit: Unit::Pairs,
        units: 10,
    };
    let difference = Difference {
        a: 300.0,
        b: 200.0,
        absolute: 100.0,
        interval: Some(interval),
        share: Some(0.5),
        share_interval: Some([0.1, 0.9]),
    };
    Against {
        provider: None,
        base_url: "https://other/api".into(),
        url: "https://other/api/chat/completions".into(),
        proxy: None,
        api: "openai-chat".into(),
        model: Some("m".into()),
        stream: true,
        auth_header: None,
        headers: BTreeMap::new(),
        preflight: None,
        stages: vec![stage()],
        differences: vec![StageDifference {
            stage: "c2".into(),
            pairs: 10,
            of: BTreeMap::from([("ttft.p50".into(), difference)]),
        }],
    }
}

fn workload() -> Workload {
    let settings = |pairs: &[(&str, &str)]| -> Settings {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    };
    Workload {
        bodies: "4941c5735516b81f".into(),
        data: "69509417d49829ee".into(),
        settings: settings(&[("order", "round-robin"), ("warm_up", "10 requests")]),
        yardsticks: settings(&[("objectives", "ttft 0.8s"), ("reading_speed", "10")]),
        stages: ["c2", "c5"].map(|name| (name.to_owned(), settings(&[("length", "60s")]))).into(),
    }
}
