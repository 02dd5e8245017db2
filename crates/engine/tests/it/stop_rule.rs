//! `[load.stop]`: the climb ends at the breach, what ran is kept, the rest is skipped.

use measure::result::{RunStatus, StageStatus};

use crate::run::{run, scenario};

fn mock(settings: &str) -> mock::Server {
    mock::Server::start(mock::Config::from_query(settings).unwrap(), 0).unwrap()
}

#[test]
fn the_climb_ends_at_the_breach_and_the_rest_is_skipped() {
    let server = mock("ttft=20ms&itl=2ms&tokens=5&limit=8");
    let load = "[load]\nstages = [4, 16, 32]\nstage_duration = \"4s\"\n[load.stop]\nchecks = [\"http_429_ratio <= 20%\"]\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stages = &outcome.recording.stages;
    let statuses: Vec<_> = stages.iter().map(|stage| stage.status).collect();
    assert_eq!(statuses, [StageStatus::Complete, StageStatus::Stopped, StageStatus::Skipped]);
    assert_eq!(outcome.recording.status, RunStatus::Completed);
    let breached = outcome.recording.breached.unwrap();
    assert_eq!((breached.stage, breached.breach.check.as_str()), (1, "http_429_ratio <= 20%"));
    assert!(breached.breach.value > 0.2, "{}", breached.breach.value);
    assert!(stages[1].window_s < 3.0, "it ended early: {} s", stages[1].window_s);
    assert!(stages[1].counts.balance() && stages[1].http_429 > 0, "what ran is kept");
    assert_eq!(stages[1].counts.cancelled, 0, "running requests were let finish");
}

#[test]
fn a_climb_without_a_breach_goes_to_its_end() {
    let server = mock("ttft=5ms&itl=1ms&tokens=3");
    let load = "[load]\nstages = [2, 4]\nstage_duration = \"1500ms\"\n[load.stop]\nchecks = [\"error_rate <= 50%\"]\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    assert!(outcome.recording.breached.is_none());
    assert!(outcome.recording.stages.iter().all(|stage| stage.status == StageStatus::Complete));
}
