//! Answers and connections that refuse: status by status, and what is kept of them.

use std::net::TcpListener;

use measure::{ErrorClass, Flag, Outcome};

use crate::run::{attempts, run, scenario};
use crate::script::{DONE, STOP, Script, Step, stream, text, whole, write};

#[test]
fn a_refusal_keeps_status_message_and_code_and_no_key() {
    let key = "sk-SENTINEL0123456789";
    let body = format!(
        "{{\"error\":{{\"message\":\"Incorrect API key provided: {key}\",\"type\":\"invalid_request_error\",\"code\":\"invalid_api_key\"}}}}"
    );
    let script = Script::always(whole("401 Unauthorized", "application/json", "", &body));
    let attempt = attempts(script.port, "openai-chat", 1, &format!("api_key = \"{key}\"")).remove(0);
    assert_eq!((attempt.outcome, attempt.status), (Outcome::Failed(ErrorClass::Unauthorized), Some(401)));
    let error = attempt.error.clone().unwrap();
    assert_eq!(error.message, "Incorrect API key provided: ***");
    assert_eq!(error.code.as_deref(), Some("invalid_api_key"));
    assert!(!format!("{attempt:?}").contains("SENTINEL"));
    assert!(script.requests()[0].contains(&format!("authorization: Bearer {key}\r\n")));
}

#[test]
fn out_08_no_text_of_the_servers_carries_a_key() {
    let key = "sk-SENTINEL0123456789";
    let echo = format!("{{\"error\":{{\"message\":\"m\",\"code\":\"{key}\"}}}}");
    let refuse = whole("401 Unauthorized", "application/json", &format!("retry-after: {key}\r\n"), &echo);
    let reason = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"a\"}},\"finish_reason\":\"{key}\"}}]}}\n\n"
    );
    let script = Script::each(move |n| if n == 0 { refuse.clone() } else { stream(&[&reason, DONE]) });
    let all = attempts(script.port, "openai-chat", 2, &format!("api_key = \"{key}\""));
    assert_eq!(all[0].error.as_ref().unwrap().code.as_deref(), Some("***"));
    assert_eq!(all[1].finish_reason.as_deref(), Some("***"));
    assert!(!format!("{all:?}").contains("SENTINEL"));
}

#[test]
fn a_429_keeps_retry_after_and_a_used_up_account_is_no_rate_limit() {
    let limited =
        Script::always(whole("429 Too Many Requests", "application/json", "retry-after: 7\r\n", "{}"));
    let attempt = attempts(limited.port, "openai-chat", 1, "").remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::RateLimited));
    assert_eq!(attempt.error.unwrap().retry_after.as_deref(), Some("7"));
    let body = "{\"error\":{\"message\":\"pay\",\"code\":\"insufficient_quota\"}}";
    let quota = Script::always(whole("429 Too Many Requests", "application/json", "", body));
    let attempt = attempts(quota.port, "openai-chat", 1, "").remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::Quota));
}

#[test]
fn nobody_listening_is_a_failed_connection_with_the_address_in_it() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let attempt = attempts(free, "openai-chat", 1, "").remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::ConnectFailed));
    assert!(attempt.error.unwrap().message.contains(&format!("127.0.0.1:{free}")));
    assert_eq!((attempt.at.sent, attempt.at.connected), (None, None));
}

#[test]
fn a_fresh_connection_closed_before_a_byte_is_counted_and_not_tried_again() {
    let script = Script::always(vec![Step::Close]);
    let attempt = attempts(script.port, "openai-chat", 1, "").remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::ConnectionClosed));
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn ret_07_a_kept_connection_that_turns_out_dead_is_dialled_once_more() {
    let good = || stream(&[&text("a"), STOP, DONE]);
    let script = Script::each(move |n| match n {
        // Closed while idle: the next request finds it dead.
        0 => [good(), vec![Step::Close]].concat(),
        _ => good(),
    });
    let all = attempts(script.port, "openai-chat", 2, "");
    assert!(all.iter().all(|attempt| attempt.outcome == Outcome::Ok), "{all:?}");
    assert_eq!(all.iter().filter(|attempt| attempt.flags.contains(Flag::Redial)).count(), 1);
    assert_eq!(script.connections(), 2);
}

#[test]
fn a_server_that_had_the_request_and_closed_is_a_failure_and_is_not_asked_again() {
    let good = || stream(&[&text("a"), STOP, DONE]);
    let slow = Script::each(move |n| if n == 1 { vec![Step::Wait(700), Step::Close] } else { good() });
    let all = attempts(slow.port, "openai-chat", 2, "");
    assert_eq!(all[1].outcome, Outcome::Failed(ErrorClass::ConnectionClosed));
    assert_eq!(slow.requests().len(), 2);
    let partial = || vec![write("HTTP/1.1 200 OK\r\ncontent-"), Step::Wait(30), Step::Reset];
    let cut = Script::each(move |n| if n == 1 { partial() } else { stream(&[&text("a"), STOP, DONE]) });
    let all = attempts(cut.port, "openai-chat", 2, "");
    assert_eq!(all[1].outcome, Outcome::Failed(ErrorClass::ConnectionClosed), "a byte was answered");
    assert_eq!(cut.requests().len(), 2);
}

#[test]
fn a_busy_server_is_asked_three_times_before_it_is_given_up() {
    let script = Script::always(whole("503 Service Unavailable", "application/json", "", "{}"));
    let outcome = run(&scenario(script.port, "openai-chat", "[load]\nstages = [1]\nstage_requests = 1\n"));
    assert_eq!(script.requests().len(), 3);
    assert_eq!(outcome.recording.aborted.unwrap().class, ErrorClass::ServerError);
}
