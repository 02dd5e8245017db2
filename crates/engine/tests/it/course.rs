//! The course of a run from outside: stopped, cut, given up.

use std::time::Duration;

use engine::{During, Urgency};
use measure::ErrorClass;
use measure::result::{RunStatus, StageStatus};
use measure::sample::Phase;

use crate::run::{mock, run, run_with, scenario};
use crate::script::{DONE, STOP, Script, Step, chunk, head, stream, text, usage, whole, write};

fn after(wait: Duration, action: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        std::thread::sleep(wait);
        action();
    });
}

#[test]
fn out_04_a_stop_lets_running_requests_finish_and_keeps_what_was_measured() {
    let server = mock("ttft=30ms&itl=10ms&tokens=10");
    let load = "[load]\nstages = [4, 8]\nstage_duration = \"30s\"\npreflight = false\n";
    let outcome = run_with(&scenario(server.addr().port(), "openai-chat", load), |stopper| {
        after(Duration::from_millis(700), move || stopper.request(Urgency::Drain));
    });
    let stages = &outcome.recording.stages;
    assert_eq!(outcome.recording.status, RunStatus::Interrupted);
    assert_eq!((stages[0].status, stages[1].status), (StageStatus::Incomplete, StageStatus::Skipped));
    assert!(stages[0].counts.ok >= 8 && stages[0].counts.cancelled == 0, "{:?}", stages[0].counts);
    assert!((0.6..2.0).contains(&stages[0].window_s), "{}", stages[0].window_s);
    assert_eq!(stages[0].drained, 4, "what ended after the stop was drained");
    assert!(stages[0].concurrency_effective.unwrap() <= 4.0, "{:?}", stages[0].concurrency_effective);
}

#[test]
fn out_04_a_second_stop_cuts_hanging_streams_at_once() {
    let script = Script::always(vec![Step::Hold]);
    let load = "[load]\nstages = [3]\nstage_duration = \"30s\"\npreflight = false\n";
    let outcome = run_with(&scenario(script.port, "openai-chat", load), |stopper| {
        after(Duration::from_millis(200), move || {
            stopper.request(Urgency::Drain);
            std::thread::sleep(Duration::from_millis(100));
            stopper.request(Urgency::Now);
        });
    });
    let stage = &outcome.recording.stages[0];
    assert_eq!((stage.counts.started, stage.counts.cancelled), (3, 3));
    assert!(stage.counts.balance());
}

#[test]
fn what_still_runs_when_the_drain_is_over_is_cancelled_and_not_a_failure() {
    let server = mock("ttft=5s&itl=1ms&tokens=2");
    let load =
        "[load]\nstages = [2]\nstage_duration = \"100ms\"\ndrain_timeout = \"100ms\"\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = &outcome.recording.stages[0];
    assert_eq!((stage.counts.cancelled, stage.counts.failed, stage.success_rate), (2, 0, None));
    assert_eq!(stage.status, StageStatus::Complete);
}

#[test]
fn a_stream_that_never_pauses_outlives_neither_its_timeout_nor_a_stop() {
    let flood = || {
        let chunks = chunk(&": x\n\n".repeat(200)).repeat(50);
        let mut steps = vec![write(&head("text/event-stream"))];
        steps.extend((0..100_000).map(|_| Step::Write(chunks.clone().into_bytes())));
        steps
    };
    let script = Script::always(flood());
    let load = "[target.timeouts]\nfirst_token = \"500ms\"\n[load]\nstages = [1]\nstage_requests = 1\npreflight = false\n";
    let outcome = run(&scenario(script.port, "openai-chat", load));
    let attempt = outcome.samples[0].last().unwrap();
    let after = attempt.at.end.since(attempt.at.sent.unwrap()).as_secs_f64();
    assert_eq!(attempt.outcome, measure::Outcome::Failed(ErrorClass::TimeoutFirstToken));
    assert!(after < 4.0, "{after}");
}

#[test]
fn a_server_that_refuses_at_once_is_not_flooded() {
    let script = Script::always(whole("429 Too Many Requests", "application/json", "", "{}"));
    let load = "[load]\nstages = [2]\nstage_duration = \"1s\"\npreflight = false\n";
    let outcome = run(&scenario(script.port, "openai-chat", load));
    assert!((4..=24).contains(&outcome.samples.len()), "{}", outcome.samples.len());
    assert_eq!(outcome.recording.stages[0].http_429, outcome.samples.len() as u64);
}

#[test]
fn a_server_that_is_down_is_not_hammered() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let load = "[load]\nstages = [2]\nstage_duration = \"1s\"\npreflight = false\n";
    let outcome = run(&scenario(free, "openai-chat", load));
    assert!((4..=24).contains(&outcome.samples.len()), "{}", outcome.samples.len());
}

#[test]
fn a_key_that_dies_under_load_ends_the_run() {
    let script = Script::each(|n| match n {
        0..5 => stream(&[&text("a"), STOP, DONE]),
        _ => whole("401 Unauthorized", "application/json", "", "{\"error\":{\"message\":\"expired\"}}"),
    });
    let load = "[load]\nstages = [1, 1]\nstage_duration = \"20s\"\n";
    let outcome = run(&scenario(script.port, "openai-chat", load));
    let aborted = outcome.recording.aborted.unwrap();
    assert_eq!((aborted.during, aborted.class), (During::Load, ErrorClass::Unauthorized));
    assert_eq!(outcome.recording.status, RunStatus::Aborted);
    // Five answers and twenty refusals; a few more may be under way before the twentieth is counted.
    assert!((25..=100).contains(&script.requests().len()), "{}", script.requests().len());
}

#[test]
fn stat_06_a_cold_start_stays_in_the_warm_up_and_prompts_that_come_again_are_counted() {
    let script = Script::each(|n| {
        let late = Step::Wait(if n < 2 { 960 } else { 50 });
        [vec![late], stream(&[&text("a"), STOP, &usage(2), DONE])].concat()
    });
    let load = "[load]\nstages = [1]\nstage_requests = 20\nwarm_up = { requests = 2 }\npreflight = false\n";
    let five = "queries = [\"a\", \"b\", \"c\", \"d\", \"e\"]";
    let text = scenario(script.port, "openai-chat", load).replace("query = \"hi\"", five);
    let plan = crate::run::load(&text, Default::default()).unwrap();
    assert_eq!((plan.bodies.rows(), plan.bodies.distinct()), (5, 5));
    let outcome = run(&text);
    let [stage] = outcome.recording.stages.as_slice() else { panic!() };
    assert_eq!((stage.ttft_ms.n, stage.phase_counts.warm_up), (20, 2));
    assert!(stage.ttft_ms.max.unwrap() < 500.0, "{:?}", stage.ttft_ms.max);
    // Their time and tokens are outside the window, and they stay in the samples with their phase.
    assert!((1.0..1.9).contains(&stage.window_s), "{}", stage.window_s);
    let phases: Vec<Phase> = outcome.samples.iter().map(|sample| sample.phase).collect();
    assert_eq!((phases[1], phases[2], phases.len()), (Phase::WarmUp, Phase::Measure, 22));
    let per_second = stage.output_tokens_per_s.unwrap() * stage.window_s;
    assert!((per_second - 20.0 * 2.0).abs() < 0.5, "{per_second}");
}

#[test]
fn stat_06_a_warm_up_that_fails_stops_the_run_with_its_cause() {
    let script = Script::each(|n| match n {
        0 => stream(&[&text("a"), STOP, DONE]),
        _ => whole("401 Unauthorized", "application/json", "", "{}"),
    });
    let load = "[load]\nstages = [1]\nstage_requests = 5\nwarm_up = { requests = 2 }\n";
    let outcome = run(&scenario(script.port, "openai-chat", load));
    let aborted = outcome.recording.aborted.unwrap();
    assert_eq!((aborted.during, aborted.class), (During::WarmUp, ErrorClass::Unauthorized));
    assert_eq!(script.requests().len(), 3);
}
