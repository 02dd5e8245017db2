//! Retries: off unless asked for, never early, never after a token; every attempt is in the sample.

use std::sync::Mutex;
use std::time::Duration;

use measure::{ErrorClass, Flag, Outcome, Sample};

use crate::run::{run, scenario};
use crate::script::{DONE, STOP, Script, Step, stream, text, usage, whole};

fn good() -> Vec<Step> {
    stream(&[&text("a"), &text("b"), STOP, &usage(2), DONE])
}

fn refused(status: &str, headers: &str) -> Vec<Step> {
    whole(status, "application/json", headers, r#"{"error":{"message":"no"}}"#)
}

/// What a stage of so many requests and users brought, with up to three retries.
fn samples(script: &Script, users: u32, requests: u32, retry: &str) -> crate::run::Outcome {
    let load = format!(
        "[load]\nstages = [{users}]\nstage_requests = {requests}\npreflight = false\n[load.retry]\nmax = 3\n{retry}\n"
    );
    run(&scenario(script.port, "openai-chat", &load))
}

fn attempts(sample: &Sample) -> Vec<Outcome> {
    sample.attempts.iter().map(|attempt| attempt.outcome).collect()
}

#[test]
fn ret_06_each_attempt_is_counted_and_nothing_is_sent_again_after_a_token() {
    let script = Script::each(|n| match n {
        0 => good(),
        1 => {
            let mut cut = stream(&[&text("a"), &text("b"), &text("c")]);
            cut.pop();
            cut.push(Step::Close);
            cut
        }
        2 | 3 => refused("503 Service Unavailable", ""),
        _ => good(),
    });
    let outcome = samples(&script, 1, 3, "base = \"20ms\"\non = [\"server_error\", \"stream_interrupted\"]");
    let stage = &outcome.recording.stages[0];
    assert_eq!(script.requests().len(), 5, "1 + 1 + 3");
    let counts = &stage.counts;
    assert_eq!((counts.started, counts.attempts, counts.ok, counts.failed), (3, 5, 2, 1));
    assert_eq!(stage.tokens.output, Some(4), "tokens are counted once");
    assert_eq!((stage.http_5xx, stage.http_5xx_ratio), (2, Some(0.4)));
    let [one, cut, thrice] = outcome.samples.as_slice() else { panic!() };
    assert_eq!(attempts(one), [Outcome::Ok]);
    assert_eq!(attempts(cut), [Outcome::Failed(ErrorClass::StreamInterrupted)]);
    let busy = Outcome::Failed(ErrorClass::ServerError);
    assert_eq!(attempts(thrice), [busy, busy, Outcome::Ok]);
    let ids: std::collections::HashSet<&str> =
        thrice.attempts.iter().map(|attempt| attempt.request_id.as_str()).collect();
    assert_eq!(ids.len(), 3, "an id per attempt");
    let wait = thrice.retry_wait().unwrap();
    assert_eq!((stage.retry_wait_ms.n, stage.total_ms.n), (1, 1));
    assert!(stage.total_ms.max > stage.retry_wait_ms.max);
    assert!(thrice.total().unwrap() >= wait && one.retry_wait().is_none());
    assert!(
        stage.e2e_ms.max.unwrap() < thrice.total().unwrap().as_secs_f64() * 1e3,
        "latencies are the last attempt's"
    );
}

#[test]
fn ret_04_a_wait_over_the_cap_is_not_waited_and_named_ones_are_spread() {
    let script = Script::always(refused("429 Too Many Requests", "retry-after: 60\r\n"));
    let outcome = samples(&script, 1, 1, "cap = \"20s\"");
    let sample = &outcome.samples[0];
    assert_eq!(attempts(sample), [Outcome::Failed(ErrorClass::RateLimited)]);
    assert_eq!(sample.attempts[0].error.as_ref().unwrap().retry_after.as_deref(), Some("60"));
    // Fifty users who are refused at once: the first request of each, then its second.
    let seen = Mutex::new(std::collections::HashSet::new());
    let script = Script::each(move |_| {
        let first = seen.lock().unwrap().len() < 50;
        if first {
            let n = seen.lock().unwrap().len();
            seen.lock().unwrap().insert(n);
            return refused("429 Too Many Requests", "retry-after: 1\r\n");
        }
        good()
    });
    let outcome = samples(&script, 50, 50, "");
    let mut waits: Vec<Duration> =
        outcome.samples.iter().map(|sample| sample.retry_wait().unwrap()).collect();
    waits.sort();
    assert!(
        outcome.samples.iter().all(|sample| sample.outcome() == Outcome::Ok && sample.attempts.len() == 2)
    );
    assert!(waits[0] >= Duration::from_secs(1), "{:?}", waits[0]);
    assert!(waits[49] - waits[0] >= Duration::from_millis(200), "{:?}", waits[49] - waits[0]);
}

#[test]
fn quota_and_configuration_are_never_retried_and_without_the_table_nothing_is() {
    let quota = || {
        whole(
            "429 Too Many Requests",
            "application/json",
            "",
            r#"{"error":{"code":"insufficient_quota","message":"no"}}"#,
        )
    };
    for steps in [quota(), refused("400 Bad Request", ""), refused("401 Unauthorized", "")] {
        let script = Script::always(steps);
        assert_eq!(samples(&script, 1, 1, "").samples[0].attempts.len(), 1);
    }
    let script = Script::always(refused("503 Service Unavailable", ""));
    let load = "[load]\nstages = [1]\nstage_requests = 1\npreflight = false\n";
    assert_eq!(run(&scenario(script.port, "openai-chat", load)).samples[0].attempts.len(), 1);
    let outcome = samples(&script, 1, 1, "base = \"1ms\"");
    assert_eq!(outcome.samples[0].attempts.len(), 4, "the first and three more");
}

#[test]
fn ret_07_a_dead_kept_connection_is_redialled_once_and_a_fresh_one_that_closes_is_counted() {
    let closing = Script::each(|_| [good(), vec![Step::Close]].concat());
    let load = "[load]\nstages = [1]\nstage_requests = 2\nthink_time = \"50ms\"\npreflight = false\n";
    let outcome = run(&scenario(closing.port, "openai-chat", load));
    let second = &outcome.samples[1].attempts[0];
    assert_eq!((second.outcome, second.flags.contains(Flag::Redial)), (Outcome::Ok, true));
    assert_eq!((closing.requests().len(), outcome.samples[1].attempts.len()), (2, 1));
    assert!(second.at.connected.is_some() && second.at.sent > second.at.connected);
    let dead = Script::always(vec![Step::Close]);
    let outcome = run(&scenario(
        dead.port,
        "openai-chat",
        "[load]\nstages = [1]\nstage_requests = 2\npreflight = false\n",
    ));
    assert!(outcome.samples.iter().all(|s| s.outcome() == Outcome::Failed(ErrorClass::ConnectionClosed)));
}

#[test]
fn who_leaves_while_waiting_to_try_again_does_not_try_again() {
    let script = Script::always(refused("429 Too Many Requests", "retry-after: 5\r\n"));
    let outcome = samples(&script, 2, 4, "[load.cancel]\nratio = 1\nafter = \"200ms\"\n");
    let attempts: Vec<usize> = outcome.samples.iter().map(|sample| sample.attempts.len()).collect();
    assert_eq!((attempts, script.requests().len()), (vec![1; 4], 4));
    assert!(
        outcome.samples.iter().all(|sample| sample.outcome() == Outcome::Failed(ErrorClass::RateLimited))
    );
}
