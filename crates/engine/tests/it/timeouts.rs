//! Every timeout names itself, and counts from its own instant.

use measure::{ErrorClass, Outcome};

use crate::case::{at_once, case_with};
use crate::run::attempts;
use crate::script::{DONE, ROLE, STOP, Script, Step, chunk, head, stream, text, timeline, usage, write};

fn class(steps: Vec<Step>, timeouts: &str) -> (ErrorClass, f64, String) {
    let script = Script::always(steps);
    let attempt =
        attempts(script.port, "openai-chat", 1, &format!("[target.timeouts]\n{timeouts}")).remove(0);
    let Outcome::Failed(class) = attempt.outcome else { panic!("{:?}", attempt.outcome) };
    let after = attempt.at.end.since(attempt.at.sent.unwrap()).as_secs_f64() * 1e3;
    (class, after, attempt.error.unwrap().message)
}

fn started() -> Vec<Step> {
    vec![write(&head("text/event-stream")), write(&chunk(ROLE))]
}

#[test]
fn no_token_in_time_is_a_first_token_timeout_whatever_else_came() {
    for steps in [vec![Step::Hold], [started(), vec![Step::Hold]].concat()] {
        let (class, after, message) = class(steps, "first_token = \"150ms\"");
        assert_eq!(class, ErrorClass::TimeoutFirstToken);
        assert!((145.0..400.0).contains(&after), "{after}");
        assert!(message.contains("timeouts.first_token"), "{message}");
    }
}

#[test]
fn silence_is_an_idle_timeout_and_pings_do_not_hide_a_stall() {
    let token = || [started(), vec![write(&chunk(&text("a")))]].concat();
    let silent = [token(), vec![Step::Hold]].concat();
    assert_eq!(class(silent, "idle = \"150ms\"").0, ErrorClass::TimeoutIdle);
    let ping = || [Step::Wait(40), write(&chunk(": ping\n\n"))];
    let pings: Vec<Step> = token().into_iter().chain((0..30).flat_map(|_| ping())).collect();
    let (class, after, _) = class(pings, "idle = \"300ms\"\nstall = \"600ms\"");
    assert_eq!(class, ErrorClass::TimeoutStall);
    assert!((590.0..1100.0).contains(&after), "{after}");
}

#[test]
fn end_06_a_stream_that_goes_on_is_ended_only_by_total() {
    // A second of the case is 40 ms here: 75 tokens, each well within `idle`; the total strikes before the end.
    let mut healthy: Vec<(u64, String)> = (0..75).map(|i| (40 * (i + 1), text("a"))).collect();
    healthy.push((3000, STOP.to_owned() + &usage(75) + DONE));
    let limits = ["idle = \"1200ms\"\nfirst_token = \"1200ms\"", "idle = \"1200ms\"\ntotal = \"2400ms\""];
    at_once(limits.to_vec(), |limit| {
        let steps = timeline(&healthy);
        let case =
            case_with("openai-chat", 1, &format!("[target.timeouts]\n{limit}"), move |_| steps.clone());
        if !limit.contains("total") {
            case.is_ok(75, Some(75)).flags(&[]).at(case.metrics().e2e, 76, 3000);
            return;
        }
        case.failed(ErrorClass::TimeoutTotal, "timeouts.total");
        let after = case.metrics().time_to_error.unwrap().as_secs_f64();
        assert!((2.395..2.7).contains(&after), "{after}");
        assert_eq!(case.script.requests().len(), 1, "tokens were out: it is not asked again");
        assert!((50..=60).contains(&case.stage.tokens.partial_chunks), "{:?}", case.stage.tokens);
    });
}

#[test]
fn a_server_that_accepts_and_never_answers_does_not_hold_the_run() {
    let script = Script::each(|n| if n == 0 { vec![Step::Hold] } else { stream(&[&text("a"), STOP, DONE]) });
    let all = attempts(script.port, "openai-chat", 2, "[target.timeouts]\nfirst_token = \"100ms\"");
    let outcomes: Vec<_> = all.iter().map(|attempt| attempt.outcome.name()).collect();
    assert_eq!(outcomes, ["timeout_first_token", "ok"]);
}
