//! A client that cannot keep up says so: its times are the server's own, or the stage is marked.

use std::collections::HashMap;

use crate::run::{run_alone_on, scenario};
use crate::script::{DONE, ROLE, STOP, Script, Step, chunk, head, text, write};

const USERS: usize = 64;
/// Bytes of the first event of each answer.
const FIRST_EVENT: usize = 4 << 20;
const PROMPT: usize = 200_000;
/// Small events, 10 ms apart: long enough for the client to know its own lag.
const SMALL_EVENTS: u64 = 120;
const FIRST_AT: u64 = 100;
/// Share by which a TTFT may lie off, unless the stage is marked.
const OFF: f64 = 0.1;

#[test]
fn load_04_first_tokens_of_huge_events_are_timed_right_or_the_stage_is_marked() {
    for workers in [1, 2] {
        let script = Script::always(answer());
        let body = format!(
            "body = '{{\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}}],\"stream\":true}}'\n",
            "p".repeat(PROMPT)
        );
        let load = format!("[load]\nstages = [{USERS}]\nstage_requests = {USERS}\npreflight = false\n");
        let outcome = run_alone_on(workers, &(scenario(script.port, "openai-chat", &load) + &body));
        let stage = &outcome.recording.stages[0];
        assert_eq!(stage.counts.ok as usize, USERS, "{:?}", stage.outcomes);

        let served: HashMap<String, usize> =
            script.requests().iter().enumerate().map(|(n, request)| (request_id(request), n)).collect();
        // From the server's clock to that of the run.
        let ahead = outcome.clock.now().seconds() - script.clock.now().seconds();
        let off = outcome.samples.iter().map(|sample| {
            let attempt = &sample.attempts[0];
            let sent = attempt.at.sent.unwrap().seconds();
            let wrote = script.writes(served[&attempt.request_id])[1].seconds() + ahead;
            (attempt.at.first_token.unwrap().seconds() - wrote) / (wrote - sent)
        });
        let off = off.fold(0.0, |worst: f64, off| worst.max(off.abs()));
        assert!(
            off <= OFF || stage.client.saturated,
            "off by {:.0} %, lag {:?}",
            off * 100.0,
            stage.client.lag_ms
        );
    }
}

fn answer() -> Vec<Step> {
    let mut steps = vec![write(&(head("text/event-stream") + &chunk(ROLE)))];
    steps.extend([Step::At(FIRST_AT), write(&chunk(&text(&"x".repeat(FIRST_EVENT))))]);
    for n in 1..=SMALL_EVENTS {
        steps.extend([Step::At(FIRST_AT + 10 * n), write(&chunk(&text("a")))]);
    }
    steps.push(write(&(chunk(STOP) + &chunk(DONE) + "0\r\n\r\n")));
    steps
}

fn request_id(request: &str) -> String {
    let id = request.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("x-request-id").then_some(value)
    });
    id.unwrap().to_owned()
}
