//! The load is what the file says: users, phases, counts, caps.

use measure::result::{RunStatus, StageStatus};
use measure::sample::Phase;

use crate::run::{mock, run, scenario};

#[test]
fn load_01_a_hundred_and_fifty_users_are_a_hundred_and_fifty_streams_at_once() {
    let server = mock("ttft=1500ms&itl=1ms&tokens=2");
    let load = "[load]\nstages = [150]\nstage_requests = 150\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = &outcome.recording.stages[0];
    assert_eq!((stage.counts.ok, server.ledger().open_max), (150, 150));
    assert_eq!(stage.in_flight_max, 150);
    assert!(stage.window_s < 2.9, "all at once, not in turns: {} s", stage.window_s);
}

#[test]
fn the_older_form_with_duration_zero_sends_one_request_per_thread_and_ends() {
    let server = mock("ttft=5ms&itl=1ms&tokens=3");
    let load = "[load]\nthreads = 5\nramp_up = 0.2\nduration = 0\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = &outcome.recording.stages[0];
    assert_eq!((stage.counts.planned, stage.counts.ok, stage.status), (5, 5, StageStatus::Complete));
    assert_eq!(server.ledger().requests, 5);
    let users: std::collections::BTreeSet<u32> = outcome.samples.iter().map(|sample| sample.user).collect();
    assert_eq!(users.len(), 5, "each thread sends its own");
}

#[test]
fn a_request_belongs_to_the_phase_and_stage_in_which_it_started() {
    let server = mock("ttft=30ms&itl=5ms&tokens=10");
    let load = "[load]\nstages = [2, 4]\nstage_duration = \"600ms\"\nramp_up = \"300ms\"\nwarm_up = { requests = 3 }\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let count = |phase| outcome.samples.iter().filter(|sample| sample.phase == phase).count() as u64;
    let stages = &outcome.recording.stages;
    let measured: u64 = stages.iter().map(|stage| stage.counts.started).sum();
    let warmed_up: Vec<u64> = stages.iter().map(|stage| stage.phase_counts.warm_up).collect();
    assert_eq!(warmed_up, [3, 0], "counted with the stage it comes before");
    let ramp: u64 = stages.iter().map(|stage| stage.phase_counts.ramp).sum();
    assert_eq!((count(Phase::Preflight), count(Phase::WarmUp)), (1, 3));
    assert_eq!((count(Phase::Measure), count(Phase::Ramp)), (measured, ramp));
    assert_eq!(server.ledger().requests, outcome.samples.len() as u64, "the phases sum to the run");
    for stage in stages {
        assert!(stage.counts.balance(), "{:?}", stage.counts);
        assert!(stage.phase_counts.ramp > 0);
        assert_eq!(
            stage.drained,
            u64::from(stage.concurrency.unwrap()),
            "each user's last request ends after the window"
        );
        let busy = stage.concurrency_effective.unwrap() / f64::from(stage.concurrency.unwrap());
        assert!((0.8..=1.001).contains(&busy), "{busy}");
        assert_eq!(
            stage.timeline.iter().map(|second| second.started).sum::<u64>(),
            stage.counts.started + stage.phase_counts.ramp + stage.phase_counts.warm_up
        );
    }
}

#[test]
fn without_a_ramp_every_second_of_the_window_is_measured_from_the_first_on() {
    let server = mock("ttft=30ms&itl=5ms&tokens=10");
    let load = "[load]\nstages = [2, 4]\nstage_duration = \"1400ms\"\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    for stage in &outcome.recording.stages {
        let phases: Vec<&str> = stage.timeline.iter().map(|second| second.phase.as_str()).collect();
        assert_eq!(phases[0], "measure", "{phases:?}");
        assert!(phases.iter().all(|phase| ["measure", "drain"].contains(phase)), "{phases:?}");
    }
}

#[test]
fn throughput_counts_tokens_that_arrive_inside_the_window_and_no_tail() {
    let server = mock("ttft=50ms&itl=10ms&tokens=20");
    let load = "[load]\nstages = [10]\nstage_duration = \"1s\"\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = &outcome.recording.stages[0];
    // 10 users, each 20 tokens in 240 ms: 833 tokens/s in steady state; the first 50 ms bring none.
    let rate = stage.output_tokens_per_s.unwrap();
    assert!((500.0..860.0).contains(&rate), "{rate}");
    assert!(
        stage.tokens.output.unwrap() as f64 > rate * stage.window_s,
        "the drained tail is in the total only"
    );
}

#[test]
fn the_cap_on_requests_ends_the_run_and_is_said() {
    let server = mock("ttft=1ms&itl=1ms&tokens=2");
    let load = "[load]\nstages = [2, 3]\nstage_requests = 10\nmax_requests = 7\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    assert_eq!(server.ledger().requests, 7);
    assert_eq!(outcome.recording.spent_cap, Some(7));
    let statuses: Vec<_> = outcome.recording.stages.iter().map(|stage| stage.status).collect();
    assert_eq!(statuses, [StageStatus::Incomplete, StageStatus::Skipped]);
    let skipped = &outcome.recording.stages[1];
    assert_eq!((skipped.window_s, skipped.qps, skipped.concurrency_effective), (0.0, None, None));
}

#[test]
fn a_cap_that_ends_a_timed_stage_ends_its_window() {
    let server = mock("ttft=20ms&itl=1ms&tokens=2");
    let load = "[load]\nstages = [2]\nstage_duration = \"20s\"\nmax_requests = 20\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = &outcome.recording.stages[0];
    assert_eq!((stage.counts.ok, stage.status), (20, StageStatus::Incomplete));
    assert!(stage.window_s < 2.0, "{}", stage.window_s);
    let busy = stage.concurrency_effective.unwrap();
    assert!((1.5..=2.0).contains(&busy), "{busy}");
}

#[test]
fn a_limit_answers_429_and_is_counted_apart() {
    let server = mock("ttft=50ms&itl=5ms&tokens=10&limit=3");
    let load = "[load]\nstages = [3, 6]\nstage_duration = \"500ms\"\npreflight = false\n[target.timeouts]\ntotal = \"5s\"\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let [calm, limited] = &outcome.recording.stages[..] else { panic!() };
    assert_eq!((calm.http_429, calm.success_rate), (0, Some(1.0)));
    assert!(limited.http_429 > 0 && limited.http_5xx == 0);
    assert_eq!(limited.outcomes["rate_limited"], limited.http_429);
    assert!(limited.ttft_ms.n == limited.counts.ok, "failures give no latency");
    assert_eq!(outcome.recording.status, RunStatus::Completed);
}

#[test]
fn users_who_leave_end_their_requests_as_cancelled_and_close_the_connection() {
    let server = mock("ttft=20ms&itl=20ms&tokens=20");
    let load = "[load]\nstages = [4]\nstage_requests = 40\npreflight = false\ncancel = { ratio = \"50%\", after = \"100ms\" }\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = &outcome.recording.stages[0];
    let counts = &stage.counts;
    assert!(counts.balance() && counts.started == 40 && counts.failed == 0, "{counts:?}");
    assert!((8..=32).contains(&counts.cancelled), "about half: {counts:?}");
    assert_eq!(stage.success_rate, Some(1.0), "who leaves is neither ok nor failed");
    let left = outcome.samples.iter().filter(|sample| sample.outcome() == measure::Outcome::Cancelled);
    for sample in left {
        let attempt = &sample.attempts[0];
        let stayed = attempt.at.end.since(attempt.at.start).as_millis();
        assert!((95..2000).contains(&stayed), "{stayed} ms");
        assert!(!attempt.events.is_empty(), "what had come is kept");
    }
    assert!(server.ledger().connections >= counts.cancelled, "each left connection was closed");
    let again = run(&scenario(server.addr().port(), "openai-chat", load));
    assert_eq!(again.recording.stages[0].counts.cancelled, counts.cancelled, "seeded");
}

#[test]
fn an_answer_that_was_complete_before_its_user_left_is_ok() {
    let mut steps = crate::script::stream(&[
        &crate::script::text("a"),
        crate::script::STOP,
        &crate::script::usage(1),
        crate::script::DONE,
    ]);
    steps.pop();
    // The rest of the body is waited for 100 ms, and the user leaves in them.
    steps.push(crate::script::Step::Hold);
    let script = crate::script::Script::always(steps);
    let load = "[load]\nstages = [1]\nstage_requests = 2\npreflight = false\ncancel = { ratio = 1.0, after = \"60ms\" }\n";
    let outcome = run(&scenario(script.port, "openai-chat", load));
    assert_eq!(outcome.recording.stages[0].counts.ok, 2, "{:?}", outcome.recording.stages[0].outcomes);
}
