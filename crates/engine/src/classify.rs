//! The only mapping from what happened on the wire to an outcome.

use hyper::StatusCode;
use measure::{ErrorClass, Flag, Outcome};

use crate::answer::Answer;
use crate::protocol::Failure;

/// The class of a response that is not a success; what the body says is `failure`.
pub(crate) fn status(status: StatusCode, failure: Option<&Failure>) -> ErrorClass {
    let quota = failure.is_some_and(Failure::is_quota);
    match status.as_u16() {
        402 => ErrorClass::Quota,
        403 | 429 if quota => ErrorClass::Quota,
        401 => ErrorClass::Unauthorized,
        403 => ErrorClass::Forbidden,
        404 => ErrorClass::NotFound,
        408 => ErrorClass::ServerError,
        429 => ErrorClass::RateLimited,
        529 => ErrorClass::Overloaded,
        300..=399 => ErrorClass::Redirect,
        500..=599 => ErrorClass::ServerError,
        _ => ErrorClass::BadRequest,
    }
}

/// The class of an error object under a success status.
pub(crate) fn inband(failure: &Failure) -> ErrorClass {
    match failure.is_overload() {
        true => ErrorClass::Overloaded,
        false => ErrorClass::InbandError,
    }
}

/// How an answer whose body ended cleanly ended, and the flags that belong to that. `residue` is what belonged to no
/// event. The rules stand in order: the first that fits decides.
pub(crate) fn clean_end(answer: &mut Answer, residue: &[u8]) -> Outcome {
    let residue = residue.trim_ascii();
    if answer.failure.is_none() && !residue.is_empty() {
        answer.failure = Failure::in_residue(residue);
    }
    if let Some(failure) = &answer.failure {
        return Outcome::Failed(inband(failure));
    }
    if !answer.any_event {
        let class = if residue.is_empty() { ErrorClass::EmptyOutput } else { ErrorClass::Malformed };
        return Outcome::Failed(class);
    }
    if let Some(class) = answer.finish_reason.as_deref().and_then(failed_reason) {
        // A filter that let text through ended the answer; one that let nothing through withheld it.
        if class != ErrorClass::ContentFiltered || !answer.has_text {
            return Outcome::Failed(class);
        }
    }
    let reported = answer.reported_output().unwrap_or(0);
    // A document is never cut: one without an answer is of some other kind.
    let is_document = answer.is_whole && answer.events.is_empty();
    let is_complete = answer.is_finished() || (is_document && answer.has_text);
    if !is_complete {
        return Outcome::Failed(if is_document { ErrorClass::Malformed } else { ErrorClass::Truncated });
    }
    if !answer.has_text && reported == 0 {
        return Outcome::Failed(ErrorClass::EmptyOutput);
    }
    if !answer.has_text {
        answer.flags.insert(Flag::NoVisibleTokens);
    }
    if !residue.is_empty() {
        answer.flags.insert(Flag::Residue);
    }
    if answer.done.is_none() && !answer.is_whole {
        answer.flags.insert(Flag::NoDone);
    }
    if !answer.has_finish_reason() {
        answer.flags.insert(Flag::NoFinishReason);
    }
    Outcome::Ok
}

/// The class behind a finish reason that says the answer is none.
pub(crate) fn failed_reason(reason: &str) -> Option<ErrorClass> {
    match reason.to_ascii_lowercase().as_str() {
        "error" | "failed" | "model_error" | "abort" | "aborted" => Some(ErrorClass::GenerationError),
        "content_filter" | "sensitive" | "safety" => Some(ErrorClass::ContentFiltered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Protocol;
    use scenario::plan::Api;

    #[test]
    fn every_status_has_its_class() {
        let quota = Failure { codes: vec!["insufficient_quota".into()], ..Failure::default() };
        let rows = [
            (302, None, ErrorClass::Redirect),
            (400, None, ErrorClass::BadRequest),
            (401, None, ErrorClass::Unauthorized),
            (402, None, ErrorClass::Quota),
            (403, None, ErrorClass::Forbidden),
            (403, Some(&quota), ErrorClass::Quota),
            (404, None, ErrorClass::NotFound),
            (408, None, ErrorClass::ServerError),
            (422, None, ErrorClass::BadRequest),
            (429, None, ErrorClass::RateLimited),
            (429, Some(&quota), ErrorClass::Quota),
            (500, Some(&quota), ErrorClass::ServerError),
            (503, None, ErrorClass::ServerError),
            (529, None, ErrorClass::Overloaded),
        ];
        for (code, failure, class) in rows {
            assert_eq!(status(StatusCode::from_u16(code).unwrap(), failure), class, "{code}");
        }
    }

    /// The outcome of an OpenAI stream that holds these events and ends cleanly.
    fn outcome(events: &[&str], residue: &str) -> (Outcome, Vec<Flag>) {
        let mut answer = Answer::default();
        for data in events {
            let at = measure::Offset::from_nanos(1);
            answer.event(at);
            let event = crate::framing::Event { name: b"", data: data.as_bytes() };
            Protocol::of(Api::OpenAiChat).event(event, &mut |signal| answer.signal(signal, at));
        }
        let outcome = clean_end(&mut answer, residue.as_bytes());
        (outcome, answer.flags.iter().collect())
    }

    #[test]
    fn a_clean_end_is_judged_by_the_first_rule_that_fits() {
        let token = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
        let stop = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
        let error = r#"{"error":{"message":"m"}}"#;
        let busy = r#"{"error":{"type":"overloaded_error","message":"m"}}"#;
        let usage = r#"{"choices":[],"usage":{"completion_tokens":5}}"#;
        let document = r#"{"choices":[{"message":{"content":"a"}}]}"#;
        let filtered = r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#;
        let broken = r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#;
        let failed = Outcome::Failed;
        let rows: &[(&[&str], &str, Outcome, &[Flag])] = &[
            (&[token, stop, "[DONE]"], "", Outcome::Ok, &[]),
            (&[token, stop], "", Outcome::Ok, &[Flag::NoDone]),
            (&[token, "[DONE]"], "", Outcome::Ok, &[Flag::NoFinishReason]),
            (&[token, stop, "[DONE]"], "foo", Outcome::Ok, &[Flag::Residue]),
            (&[token, error, stop, "[DONE]"], "", failed(ErrorClass::InbandError), &[]),
            (&[busy], "", failed(ErrorClass::Overloaded), &[]),
            (&[], "", failed(ErrorClass::EmptyOutput), &[]),
            (&[], error, failed(ErrorClass::InbandError), &[]),
            (&[], "hello", failed(ErrorClass::Malformed), &[]),
            (&[token], "", failed(ErrorClass::Truncated), &[]),
            (&[stop, "[DONE]"], "", failed(ErrorClass::EmptyOutput), &[]),
            (&["[DONE]"], "", failed(ErrorClass::EmptyOutput), &[]),
            (&[stop, usage, "[DONE]"], "", Outcome::Ok, &[Flag::NoVisibleTokens]),
            (&[token, stop], "{\"error\": {\"code\": 503}}", failed(ErrorClass::InbandError), &[]),
            (&[filtered, "[DONE]"], "", failed(ErrorClass::ContentFiltered), &[]),
            (&[document], "", Outcome::Ok, &[Flag::NoFinishReason, Flag::NotStreamed]),
            (&[document, token], "", failed(ErrorClass::Truncated), &[Flag::NotStreamed]),
            (&[token, token, broken], "", failed(ErrorClass::GenerationError), &[]),
        ];
        for (events, residue, expected, flags) in rows {
            let (found, found_flags) = outcome(events, residue);
            assert_eq!((found, found_flags.as_slice()), (*expected, *flags), "{events:?} {residue:?}");
        }
    }
}
