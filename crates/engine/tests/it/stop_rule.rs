//! `[load.stop]`: the climb ends at the breach, what ran is kept, the rest is skipped.

use measure::result::{RunStatus, StageResult, StageStatus};

use crate::noise::{best_of_three, hold};
use crate::run::{mock, run, run_alone, scenario};

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

#[test]
fn a_search_finds_the_limit_within_its_resolution_and_uses_what_the_ladder_showed() {
    best_of_three(|| {
        let server = mock("ttft=60ms&itl=2ms&tokens=5&limit=80");
        let load = "[load]\nstages = [20, 100]\nstage_requests = 400\n[load.search]\nlow = 10\nhigh = 120\nresolution = 4\nchecks = [\"http_429_ratio <= 0%\"]\n";
        let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", load));
        let proved = outcome.recording.proved.unwrap();
        // On a machine that is too busy to generate the load, not to decide is right.
        if proved.undecided.is_some() && outcome.recording.stages.iter().any(|stage| stage.client.saturated) {
            return Ok(());
        }
        let (Some(holds), Some(breaks)) = (proved.holds, proved.breaks) else {
            return Err(format!("{proved:?}"));
        };
        // The 81st open request is refused.
        hold(holds <= 80 && 80 < breaks && breaks - holds <= 4, proved)?;
        let tried: Vec<u32> = outcome.recording.stages.iter().filter_map(|stage| stage.concurrency).collect();
        hold(tried[..4] == [20, 100, 60, 80], &tried)?;
        hold(outcome.recording.stages[2].name == "try-c60" && outcome.recording.breached.is_none(), &tried)
    });
}

#[test]
fn the_ladder_against_a_wall_shows_flat_then_queueing_then_429() {
    best_of_three(|| {
        let server = mock("ttft=100ms&itl=2ms&tokens=10&capacity=32&limit=80");
        let load = "[load]\nstages = [8, 32, 64, 100]\nstage_duration = \"2s\"\nramp_up = \"200ms\"\n";
        let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", load));
        let [low, full, queued, refused] = outcome.recording.stages.as_slice() else { panic!() };
        let ttft = |stage: &StageResult| stage.ttft_ms.p50.unwrap();
        let all = [ttft(low), ttft(full), ttft(queued)];
        hold(all[1] < all[0] * 1.2 && all[2] > all[1] * 1.5, all)?;
        let limited = [low.http_429, full.http_429, queued.http_429];
        hold(limited == [0, 0, 0] && refused.http_429 > 0, limited)
    });
}
