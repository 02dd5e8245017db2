//! A/B runs over real sockets: two servers, blocks by turns.

use std::time::Duration;

use engine::{During, Urgency};
use measure::ErrorClass;
use measure::result::{RunStatus, StageStatus};
use measure::sample::Phase;
use measure::stage::Side;

use crate::run::{Outcome, mock, run, run_with, scenario};

/// A scenario against one server and, as B, another.
fn versus(a: &mock::Server, b: &mock::Server, rest: &str) -> String {
    let b = format!("[target.b]\nport = {}\nhost = \"127.0.0.1\"\n", b.addr().port());
    scenario(a.addr().port(), "openai-chat", &(b + rest))
}

fn turns(outcome: &Outcome) -> String {
    let side =
        |(_, frame): &(usize, measure::stage::StageFrame)| frame.round.unwrap().side().name().to_owned();
    outcome.passages.iter().map(side).collect()
}

#[test]
fn the_sides_take_turns_and_what_differs_is_measured() {
    let (a, b) = (mock("ttft=30ms&itl=1ms&tokens=4"), mock("ttft=20ms&itl=1ms&tokens=4"));
    let load = "[load]\nstages = [2, 4]\nstage_requests = 80\nwarm_up = { requests = 3 }\n";
    let outcome = run(&versus(&a, &b, load));
    assert_eq!(turns(&outcome), "ABBAABBAABBAABBAABBA".repeat(2));
    let against = outcome.recording.against.as_ref().unwrap();
    for (stages, server) in [(&outcome.recording.stages, &a), (&against.stages, &b)] {
        let counts: Vec<_> = stages.iter().map(|stage| (stage.counts.planned, stage.counts.ok)).collect();
        assert_eq!(counts, [(80, 80), (80, 80)]);
        assert!(stages.iter().all(|stage| stage.status == StageStatus::Complete));
        assert_eq!(stages[0].phase_counts.warm_up, 3);
        // Preflight, warm-up, and both stages: nobody else's requests.
        assert_eq!(server.ledger().requests, 1 + 3 + 160);
    }
    for (stage, name) in against.differences.iter().zip(["c2", "c4"]) {
        assert_eq!((stage.stage.as_str(), stage.pairs), (name, 10));
        let ttft = stage.of["ttft.p50"];
        let [low, high] = ttft.share_interval.unwrap();
        assert!(low > 0.1 && high < 1.2 && (low..=high).contains(&ttft.share.unwrap()), "{ttft:?}");
    }
    assert_eq!(outcome.recording.unaccounted, None);
}

#[test]
fn each_block_is_a_passage_of_its_own_and_the_first_ones_have_the_indices_of_the_plan() {
    let (a, b) = (mock("ttft=1ms&itl=1ms&tokens=2"), mock("ttft=1ms&itl=1ms&tokens=2"));
    let load = "[load]\nstages = [1, 2]\nstage_requests = 12\npreflight = false\n";
    let outcome = run(&versus(&a, &b, load));
    let indices = |wanted: Side| -> Vec<usize> {
        let of = |(_, frame): &&(usize, measure::stage::StageFrame)| frame.round.unwrap().side() == wanted;
        outcome.passages.iter().filter(of).map(|(index, _)| *index).collect()
    };
    // Of one user six blocks, of two users three; 4 is the first passage that the plan does not list.
    assert_eq!(indices(Side::A), [0, 5, 6, 9, 10, 13, 1, 15, 16]);
    assert_eq!(indices(Side::B), [2, 4, 7, 8, 11, 12, 3, 14, 17]);
    for (index, frame) in &outcome.passages {
        let sent = outcome.samples.iter().filter(|sample| sample.stage == Some(*index)).count() as u64;
        assert_eq!(Some(sent), frame.requests, "{index}");
    }
}

#[test]
fn both_blocks_of_a_pair_send_the_same_rows() {
    let (a, b) = (mock("ttft=1ms&itl=1ms&tokens=2"), mock("ttft=1ms&itl=1ms&tokens=2"));
    let load = "[load]\nstages = [1, 2]\nstage_requests = 20\nwarm_up = { requests = 3 }\n";
    let text = versus(&a, &b, load);
    let queries = "queries = [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\"]";
    let outcome = run(&text.replace("query = \"hi\"", queries));
    let rows = |index: usize| -> Vec<usize> {
        let of = outcome.samples.iter().filter(|sample| sample.stage == Some(index));
        let mut rows: Vec<_> =
            of.filter(|sample| sample.phase == Phase::Measure).map(|sample| sample.row).collect();
        rows.sort_unstable();
        rows
    };
    let mut all = Vec::new();
    for pair in outcome.passages.chunks(2) {
        let [one, other] = [rows(pair[0].0), rows(pair[1].0)];
        assert_eq!(one, other, "{:?}", pair[0].1.round);
        all.extend(one);
    }
    // Pair by pair through the file, none left out: two stages of twenty.
    let times = |row: usize| all.iter().filter(|other| **other == row).count();
    assert_eq!((0..7).map(times).collect::<Vec<_>>(), [6, 6, 6, 6, 6, 5, 5]);
}

#[test]
fn an_open_loop_offers_its_rate_also_in_blocks() {
    for arrival in ["constant", "poisson"] {
        let (a, b) = (mock("ttft=1ms&itl=1ms&tokens=2"), mock("ttft=1ms&itl=1ms&tokens=2"));
        let stage = format!(
            "[[load.stage]]\nrate = 22\narrival = \"{arrival}\"\nmax_in_flight = 50\nduration = \"5s\"\n"
        );
        let outcome = run(&versus(&a, &b, &format!("[load]\npreflight = false\n{stage}")));
        let against = outcome.recording.against.as_ref().unwrap();
        let [of_a, of_b] =
            [&outcome.recording.stages[0], &against.stages[0]].map(|stage| stage.counts.started);
        assert_eq!(of_a, of_b, "{arrival}: both blocks of a pair get the same arrivals");
        let most = if arrival == "constant" { 1 } else { 40 };
        assert!(of_a.abs_diff(110) <= most, "{arrival}: {of_a}");
    }
}

#[test]
fn the_stop_rule_sees_all_blocks_of_a_side() {
    let (a, b) = (mock("ttft=1ms&itl=1ms&tokens=2"), mock("unavailable=60%&ttft=1ms&itl=1ms&tokens=2"));
    // Six requests a block: twenty of B are there after four of its blocks.
    let load = "[load]\nstages = [1, 2]\nstage_duration = \"6s\"\npreflight = false\nstop = { checks = [\"error_rate <= 30%\"] }\n";
    let outcome = run(&versus(&a, &b, load));
    let breached = outcome.recording.breached.as_ref().expect("B fails too often");
    assert_eq!((breached.side, breached.stage), (Side::B, 0));
    let against = outcome.recording.against.as_ref().unwrap();
    for stages in [&outcome.recording.stages, &against.stages] {
        let statuses: Vec<_> = stages.iter().map(|stage| stage.status).collect();
        assert_eq!(statuses, [StageStatus::Stopped, StageStatus::Skipped]);
    }
}

#[test]
fn users_of_a_short_block_spread_over_an_answer_before_it_counts() {
    let (a, b) = (mock("ttft=60ms&itl=10ms&tokens=5"), mock("ttft=20ms&itl=10ms&tokens=5"));
    let load = "[load]\nstages = [4]\nstage_duration = \"2s\"\n";
    let outcome = run(&versus(&a, &b, load));
    for (index, frame) in &outcome.passages {
        let ramp_up = frame.ramp_up.unwrap();
        // As long as an answer of the slower side, on both.
        assert!((90..200).contains(&ramp_up.as_millis()), "{ramp_up:?}");
        assert_eq!(frame.duration, Some(Duration::from_millis(200)));
        let early = |sample: &&measure::Sample| sample.stage == Some(*index) && sample.phase == Phase::Ramp;
        assert!(outcome.samples.iter().filter(early).count() >= 3, "{index}");
    }
    let stage = &outcome.recording.stages[0];
    assert_eq!((stage.duration.as_deref(), stage.window_s), (Some("2s"), 2.0));
}

#[test]
fn a_stop_leaves_the_pairs_that_both_sides_ran() {
    let (a, b) = (mock("ttft=2ms&itl=1ms&tokens=2"), mock("ttft=2ms&itl=1ms&tokens=2"));
    let load = "[load]\nstages = [2, 3]\nstage_duration = \"4s\"\npreflight = false\n";
    let outcome = run_with(&versus(&a, &b, load), |stopper| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(1_500));
            stopper.request(Urgency::Drain);
        });
    });
    let against = outcome.recording.against.as_ref().unwrap();
    assert_eq!(outcome.recording.status, RunStatus::Interrupted);
    for stages in [&outcome.recording.stages, &against.stages] {
        let statuses: Vec<_> = stages.iter().map(|stage| stage.status).collect();
        assert_eq!(statuses, [StageStatus::Incomplete, StageStatus::Skipped]);
        assert_eq!(stages[1].duration.as_deref(), Some("4s"));
    }
    let pairs = against.differences[0].pairs;
    assert!((1..=3).contains(&pairs), "{pairs}");
    assert_eq!(outcome.recording.unaccounted, None);
}

#[test]
fn a_stop_before_the_other_side_had_its_turn_loses_no_request() {
    let (a, b) = (mock("ttft=300ms&itl=1ms&tokens=2"), mock("ttft=1ms&itl=1ms&tokens=2"));
    let load =
        "[load]\nstages = [1]\nstage_duration = \"20s\"\npreflight = false\nwarm_up = { requests = 2 }\n";
    let outcome = run_with(&versus(&a, &b, load), |stopper| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(1_200));
            stopper.request(Urgency::Drain);
        });
    });
    let against = outcome.recording.against.as_ref().unwrap();
    assert_eq!(against.stages[0].status, StageStatus::Skipped);
    assert_eq!(against.stages[0].phase_counts.warm_up, 2);
    assert_eq!(outcome.recording.unaccounted, None);
}

#[test]
fn the_cap_on_requests_is_one_for_both_sides() {
    let (a, b) = (mock("ttft=1ms&itl=1ms&tokens=2"), mock("ttft=1ms&itl=1ms&tokens=2"));
    let load = "[load]\nstages = [2]\nstage_requests = 40\nmax_requests = 50\n";
    let outcome = run(&versus(&a, &b, load));
    assert_eq!(outcome.samples.len(), 50);
    assert_eq!((outcome.recording.spent_cap, &outcome.recording.unaccounted), (Some(50), &None));
    assert_eq!(outcome.recording.stages[0].status, StageStatus::Incomplete);
}

#[test]
fn a_side_that_refuses_ends_the_run_and_is_named() {
    let (a, b) = (mock("ttft=1ms&itl=1ms&tokens=2"), mock("key=sk-right"));
    let load = "[load]\nstages = [2]\nstage_requests = 40\n";
    let outcome = run(&versus(&a, &b, load));
    let aborted = outcome.recording.aborted.as_ref().unwrap();
    assert_eq!(
        (aborted.side, aborted.during, aborted.class),
        (Side::B, During::Preflight, ErrorClass::Unauthorized)
    );
    assert_eq!(outcome.recording.status, RunStatus::Aborted);
    assert!(outcome.recording.against.unwrap().preflight.is_some());
    assert_eq!(outcome.samples.len(), 2, "one request to each, and no load");
}
