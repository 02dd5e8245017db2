//! Levels that change evenly, without a drain between the stages.

use measure::result::StageStatus;
use measure::sample::Phase;

use crate::noise::{best_of_three, hold};
use crate::run::{mock, run, run_alone, scenario};

const UP_AND_DOWN: &str = r#"
[load]
preflight = false
shape = "ramp"
[[load.stage]]
concurrency = 20
duration = "1s"
[[load.stage]]
concurrency = 20
duration = "1s"
[[load.stage]]
concurrency = 0
duration = "1s"
"#;

#[test]
fn users_come_and_go_evenly_and_nobody_drains_between_the_stages() {
    best_of_three(|| {
        let server = mock("ttft=20ms&itl=5ms&tokens=7");
        let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", UP_AND_DOWN));
        let stages = &outcome.recording.stages;
        assert_eq!(outcome.recording.unaccounted, None);
        assert!(stages.iter().all(|stage| stage.status == StageStatus::Complete && stage.counts.balance()));
        let levels: Vec<_> =
            stages.iter().map(|stage| (stage.ramp_from.unwrap().get(), stage.concurrency.unwrap())).collect();
        assert_eq!(levels, [(0.0, 20), (20.0, 20), (20.0, 0)]);
        assert!(outcome.samples.iter().all(|sample| sample.phase == Phase::Measure));
        assert_eq!(server.ledger().requests, stages.iter().map(|stage| stage.counts.started).sum::<u64>());
        // Half as many users on average while they come or go, and the flat part has no gap at its ends.
        let busy: Vec<f64> = stages.iter().map(|stage| stage.concurrency_effective.unwrap()).collect();
        hold((busy[0] - 10.5).abs() < 1.5 && busy[1] > 19.0 && (busy[2] - 10.5).abs() < 1.5, &busy)?;
        hold(stages[1].in_flight_max == 20, stages[1].in_flight_max)
    });
}

#[test]
fn what_runs_on_into_the_next_stage_is_counted_where_it_started_and_seen_where_it_ran() {
    let server = mock("ttft=1500ms&tokens=1");
    let load = "[load]\npreflight = false\n[[load.stage]]\nconcurrency = 4\nduration = \"1s\"\n[[load.stage]]\nconcurrency = 4\nshape = \"ramp\"\nduration = \"1s\"\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let [first, second] = outcome.recording.stages.as_slice() else { panic!() };
    assert_eq!((first.counts.started, second.counts.started), (4, 4));
    assert_eq!((first.drained, second.drained), (4, 4));
    // Four requests were open all the time, whichever stage they are counted in.
    for stage in [first, second] {
        let busy = stage.concurrency_effective.unwrap();
        assert!((3.7..=4.01).contains(&busy), "{busy}");
    }
    assert!(first.qps == Some(0.0) && second.qps == Some(4.0), "{:?} {:?}", first.qps, second.qps);
}

#[test]
fn a_rate_rises_and_falls_evenly() {
    best_of_three(|| {
        let server = mock("ttft=5ms&tokens=1");
        let load = "[load]\npreflight = false\nshape = \"ramp\"\n[[load.stage]]\nrate = 100\nduration = \"1s\"\n[[load.stage]]\nrate = 0\nduration = \"1s\"\n";
        let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", load));
        let started: Vec<u64> = outcome.recording.stages.iter().map(|stage| stage.counts.started).collect();
        assert_eq!(started.iter().sum::<u64>(), 100);
        hold(started[0].abs_diff(50) <= 1, &started)?;
        // In quarters of a second: the area under the slope.
        let first = outcome.samples.iter().map(|sample| sample.due).min().unwrap();
        let mut quarters = [0; 8];
        for sample in &outcome.samples {
            let at = sample.attempts[0].at.start.since(first).as_secs_f64();
            quarters[((at * 4.0) as usize).min(7)] += 1;
        }
        let expected = [3, 9, 16, 22, 22, 16, 9, 3];
        hold(quarters.iter().zip(expected).all(|(sent, due): (&i32, i32)| (sent - due).abs() <= 2), quarters)
    });
}

#[test]
fn a_stop_rule_ends_the_ramp_in_the_stage_where_it_breaks_and_the_rest_is_skipped() {
    let server = mock("ttft=20ms&tokens=1&limit=10");
    let load = "[load]\npreflight = false\nshape = \"ramp\"\n[[load.stage]]\nconcurrency = 8\nduration = \"2s\"\n[[load.stage]]\nconcurrency = 40\nduration = \"4s\"\n[[load.stage]]\nconcurrency = 0\nduration = \"2s\"\n[load.stop]\nchecks = [\"http_429_ratio <= 1%\"]\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let status: Vec<StageStatus> = outcome.recording.stages.iter().map(|stage| stage.status).collect();
    assert_eq!(status, [StageStatus::Complete, StageStatus::Stopped, StageStatus::Skipped]);
    assert_eq!(outcome.recording.breached.as_ref().unwrap().stage, 1);
    assert_eq!(outcome.recording.unaccounted, None);
}

#[test]
fn a_stop_in_the_middle_leaves_the_later_stages_out() {
    let server = mock("ttft=20ms&tokens=1");
    let outcome =
        crate::run::run_with(&scenario(server.addr().port(), "openai-chat", UP_AND_DOWN), |stopper| {
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(1500));
                stopper.request(engine::Urgency::Drain);
            });
        });
    let status: Vec<StageStatus> = outcome.recording.stages.iter().map(|stage| stage.status).collect();
    assert_eq!(status, [StageStatus::Complete, StageStatus::Incomplete, StageStatus::Skipped]);
    let last = &outcome.recording.stages[2];
    assert_eq!((last.counts.started, last.window_s), (0, 0.0));
    assert!((outcome.recording.stages[1].window_s - 0.5).abs() < 0.2);
}
