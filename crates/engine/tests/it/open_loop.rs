//! Requests that start at their own times, whatever becomes of the earlier ones.

use std::collections::BTreeMap;
use std::time::Duration;

use measure::Sample;
use measure::result::StageResult;
use measure::sample::Phase;

use crate::noise::{best_of_three, hold};
use crate::run::{Outcome, mock, run, run_alone, run_alone_on, scenario};

fn only(outcome: &Outcome) -> &StageResult {
    let [stage] = outcome.recording.stages.as_slice() else { panic!("one stage") };
    assert_eq!(outcome.recording.unaccounted, None);
    assert!(stage.counts.balance(), "{:?}", stage.counts);
    stage
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// From when a request was planned to start to when it did, ms.
fn queue(sample: &Sample) -> f64 {
    ms(sample.attempts[0].at.start.since(sample.due))
}

#[test]
fn stat_07_the_wait_for_a_slot_is_told_apart_from_the_answer() {
    best_of_three(|| {
        let server = mock("ttft=190ms&tokens=1");
        let load = "[load]\nrate = 40\nrequests = 40\nmax_in_flight = 4\npreflight = false\n";
        let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", load));
        let stage = only(&outcome);
        assert_eq!((stage.counts.planned, stage.counts.ok, stage.counts.dropped), (40, 40, 0));
        // The server may see one end a moment after the next has begun.
        hold(
            stage.in_flight_max == 4 && (4..=5).contains(&server.ledger().open_max),
            server.ledger().open_max,
        )?;
        let mut samples = outcome.samples.clone();
        samples.sort_by_key(|sample| sample.due);
        let (first, last) = (&samples[0], &samples[39]);
        // Due at 975 ms; its slot, the one of the request due at 75 ms, is free after nine answers of 190 ms.
        let due = ms(last.due.since(first.due));
        let ttft = last.attempts[0].at.first_token.unwrap().since(last.attempts[0].at.sent.unwrap());
        hold((due - 975.0).abs() < 1.0, ("due", due))?;
        hold((queue(last) - 810.0).abs() < 60.0, ("queue", queue(last)))?;
        hold((ms(ttft) - 190.0).abs() < 15.0, ("ttft", ttft))?;
        // The generator itself was never late: whoever waited, waited for a slot.
        hold(stage.client.send_lateness_ms.p99.unwrap() < 10.0, &stage.client)
    });
}

#[test]
fn stat_07_a_closed_loop_never_waits() {
    let server = mock("ttft=20ms&itl=1ms&tokens=3");
    let load = "[load]\nstages = [3]\nstage_requests = 30\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = only(&outcome);
    assert_eq!((stage.concurrency, stage.rate, stage.max_in_flight), (Some(3), None, None));
    assert!(stage.queue_ms.p50.unwrap() < 5.0, "{:?}", stage.queue_ms);
}

#[test]
fn what_still_waits_at_the_end_was_dropped_and_the_server_never_saw_it() {
    let server = mock("ttft=300ms&tokens=1");
    let load = "[load]\nrate = 50\nduration = \"1s\"\nmax_in_flight = 5\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = only(&outcome);
    let counts = stage.counts;
    assert_eq!(counts.planned, 50, "what was due in the window");
    // Five slots, an answer each 300 ms: 20 of them start within a second.
    assert!((15..=20).contains(&counts.started) && counts.dropped == 50 - counts.started, "{counts:?}");
    assert_eq!(server.ledger().requests, counts.started);
    assert_eq!((stage.rate.unwrap().get(), stage.concurrency, stage.max_in_flight), (50.0, None, Some(5)));
    assert_eq!(stage.arrival.as_deref(), Some("constant"));
}

#[test]
fn poisson_arrivals_are_sent_as_they_are_due() {
    best_of_three(|| {
        let server = mock("ttft=20ms&itl=2ms&tokens=5");
        let load = "[load]\nrate = 50\narrival = \"poisson\"\nduration = \"6s\"\nramp_up = \"1s\"\n";
        let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", load));
        let stage = only(&outcome);
        let sent = stage.counts.started as f64;
        hold((sent - 300.0).abs() < 4.0 * 300_f64.sqrt(), sent)?;
        let ramp = stage.phase_counts.ramp as f64;
        hold((ramp - 25.0).abs() < 4.0 * 25_f64.sqrt(), ramp)?;
        assert_eq!(stage.counts.dropped, 0);
        // As many as were due, when they were due.
        let mut late: Vec<f64> = outcome.samples[1..].iter().map(queue).collect();
        late.sort_by(f64::total_cmp);
        hold(late[late.len() * 99 / 100] < 5.0, ("p99 of the lateness", late[late.len() * 99 / 100]))
    });
}

#[test]
fn the_same_seed_sends_at_the_same_times_however_many_workers_there_are() {
    let due = |seed: u64, workers: usize| {
        let server = mock("ttft=20ms&tokens=1");
        let load = "[load]\nrate = 200\narrival = \"gamma\"\nburstiness = 0.5\nrequests = 60\nmax_in_flight = 3\npreflight = false\n";
        let text = format!("{}seed = {seed}\n", scenario(server.addr().port(), "openai-chat", load));
        let outcome = run_alone_on(workers, &text);
        assert!(
            server.ledger().open_max <= 4,
            "slots are shared by all workers; one may be seen to end a little late"
        );
        let first = outcome.samples.iter().map(|sample| sample.due).min().unwrap();
        let mut due: Vec<Duration> = outcome.samples.iter().map(|sample| sample.due.since(first)).collect();
        due.sort();
        assert_eq!(due.len(), 60);
        due
    };
    assert_eq!(due(3, 1), due(3, 2));
    assert_ne!(due(3, 1), due(4, 1));
}

#[test]
fn idle_connections_are_used_again_before_new_ones_are_made() {
    let server = mock("ttft=5ms&tokens=1");
    let load = "[load]\nrate = 50\nrequests = 50\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    assert_eq!(only(&outcome).counts.ok, 50);
    assert!(server.ledger().connections < 10, "{}", server.ledger().connections);
}

#[test]
fn a_cap_on_requests_ends_an_open_loop_as_well() {
    let server = mock("ttft=5ms&tokens=1");
    let load = "[load]\nrate = 100\nduration = \"2s\"\nmax_requests = 30\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    assert_eq!(outcome.recording.spent_cap, Some(30));
    // The thirty-first is due 300 ms into the stage, and nothing is waited for after that.
    let took = outcome.recording.finished_at.duration_since(outcome.recording.started_at);
    assert!(took.as_secs_f64() < 1.5, "{took:?}");
    assert_eq!(only(&outcome).counts.dropped, 0, "what the cap refused had a slot");
    assert_eq!((only(&outcome).counts.started, server.ledger().requests), (30, 30));
}

#[test]
fn a_warm_up_offers_the_rate_of_the_first_stage_outside_its_numbers() {
    let server = mock("ttft=5ms&tokens=1");
    let load = "[load]\nrate = 100\nduration = \"500ms\"\nwarm_up = { requests = 20 }\npreflight = false\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    let stage = only(&outcome);
    assert_eq!((stage.phase_counts.warm_up, stage.counts.started), (20, 50));
    let warm: Vec<&Sample> = outcome.samples.iter().filter(|sample| sample.phase == Phase::WarmUp).collect();
    let span = ms(warm[19].due.since(warm[0].due));
    assert!((span - 190.0).abs() < 1.0, "{span}");
}

#[test]
fn a_trace_starts_each_request_when_it_says_with_its_own_prompt() {
    let server = mock("ttft=5ms&tokens=50");
    let folder = tempfile::tempdir().unwrap();
    let trace = [(1000, 3), (1100, 5), (1100, 7), (1400, 9)].map(|(at, length)| {
        format!("{{\"timestamp\": {at}, \"input_length\": {length}, \"output_length\": {length}}}\n")
    });
    std::fs::write(folder.path().join("trace.jsonl"), trace.concat()).unwrap();
    let path = folder.path().join("trace.jsonl").display().to_string();
    let text = format!(
        "[target]\nhost = \"127.0.0.1\"\nport = {}\nmodel = \"m\"\n[load]\narrival = \"trace\"\nspeed = 2\n[data]\ntrace = \"{path}\"\n",
        server.addr().port()
    );
    let outcome = run(&text);
    let stage = only(&outcome);
    assert_eq!((stage.counts.planned, stage.counts.ok, stage.arrival.as_deref()), (4, 4, Some("trace")));
    let mut load: Vec<&Sample> =
        outcome.samples.iter().filter(|sample| sample.phase == Phase::Measure).collect();
    load.sort_by_key(|sample| (sample.due, sample.row));
    let after: Vec<u128> = load.iter().map(|sample| sample.due.since(load[0].due).as_millis()).collect();
    assert_eq!(after, [0, 50, 50, 200]);
    // The preflight took a row as well: the trace has its own all the same.
    let tokens: BTreeMap<usize, u64> =
        load.iter().map(|sample| (sample.row, sample.attempts[0].tokens.output.unwrap())).collect();
    assert_eq!(tokens, BTreeMap::from([(0, 3), (1, 5), (2, 7), (3, 9)]));
}

#[test]
fn a_search_over_rates_breaks_where_the_rate_cannot_be_offered() {
    best_of_three(|| {
        let server = mock("ttft=100ms&tokens=1");
        let load = "[load]\nmax_in_flight = 2\npreflight = false\nrate = 5\nduration = \"2s\"\n[load.search]\nlow = 10\nhigh = 60\nresolution = 40\nchecks = [\"http_429_ratio <= 0%\"]\n";
        let outcome = run_alone(&scenario(server.addr().port(), "openai-chat", load));
        assert_eq!(outcome.recording.unaccounted, None);
        let names: Vec<&str> = outcome.recording.stages.iter().map(|stage| stage.name.as_str()).collect();
        // Two slots of 100 ms take twenty a second at most.
        let proved = outcome.recording.proved.unwrap();
        hold(names.starts_with(&["r5", "try-r10", "try-r60"]), &names)?;
        hold((proved.holds, proved.undecided) == (Some(10), None), proved)?;
        hold(proved.breaks.is_some_and(|breaks| breaks <= 60), proved)
    });
}

#[test]
fn a_backlog_that_a_ramp_takes_over_is_counted_where_it_starts_and_the_step_has_not_held() {
    let server = mock("ttft=200ms&tokens=1");
    let load = "[load]\nmax_in_flight = 2\npreflight = false\n[[load.stage]]\nrate = 40\nduration = \"1s\"\n[[load.stage]]\nrate = 1\nshape = \"ramp\"\nduration = \"2s\"\n";
    let outcome = run(&scenario(server.addr().port(), "openai-chat", load));
    assert_eq!(outcome.recording.unaccounted, None);
    let stages = &outcome.recording.stages;
    let all: u64 = stages.iter().map(|stage| stage.counts.planned).sum();
    assert_eq!(all, 40 + 41, "the area under the rate");
    assert!(stages[0].counts.started < 15 && stages[1].counts.dropped > 0, "{:?}", stages[0].counts);
    let ladder = measure::ladder::ladder(stages, [None; 3]);
    assert_eq!((ladder.last_ok, ladder.first_breach.map(|rate| rate.get())), (None, Some(40.0)));
}
