//! Errors under a success status, in every shape and place, and bodies that are no answer.

use measure::{ErrorClass, Flag, Outcome};

use crate::case::{Case, at_once, case, case_with, openai};
use crate::script::{
    DONE, STOP, Step, chunk, data, delta, finish, head, stream, text, typed, usage, whole, write,
};

fn code(case: &Case) -> Option<&str> {
    case.attempt().error.as_ref().unwrap().code.as_deref()
}

#[test]
fn err_02_an_error_as_the_only_frame_is_a_failure_and_a_null_error_is_none() {
    let only = openai(stream(&[&data(r#"{"error":{"message":"too long","type":"validation","code":422}}"#)]));
    assert_eq!(code(only.failed(ErrorClass::InbandError, "too long")), Some("validation"));
    let words = openai(stream(&[&data(r#"{"error":"too long","error_type":"validation"}"#), DONE]));
    assert_eq!(code(words.failed(ErrorClass::InbandError, "too long")), Some("validation"));
    assert_eq!((only.stage.outcomes["inband_error"], only.stage.counts.failed), (1, 1));
    assert_eq!(only.attempt().status, Some(200));
    for none in ["null", "false", "\"\"", "{}"] {
        let chunk = format!(r#"{{"error":{none},"choices":[{{"index":0,"delta":{{"content":"a"}}}}]}}"#);
        openai(stream(&[&data(&chunk), STOP, &usage(1), DONE])).is_ok(1, Some(1)).flags(&[]);
    }
    openai(stream(&[&text("error: {\"error\":{\"message\":\"no\"}}"), STOP, DONE])).is_ok(1, None).flags(&[]);
}

#[test]
fn err_02_an_error_is_found_whatever_its_shape_and_place() {
    let shapes = [
        r#"{"error":{"message":"boom"}}"#,
        r#"{"error":"boom"}"#,
        r#"{"error":["boom"]}"#,
        r#"{"error":{"code":500,"metadata":"boom"}}"#,
        r#"{"error":{"message":"boom"},"choices":[]}"#,
        r#"{"error":{"message":"boom"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"error":{"message":"boom","code":502}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"error":"boom"}}]}"#,
        r#"{"object":"error","message":"boom","type":"BadRequestError","code":400}"#,
        r#"{"type":"error","message":"boom"}"#,
        r#"{"code":"InvalidParameter","message":"boom","request_id":"r"}"#,
        r#"{"code":1301,"msg":"boom"}"#,
        r#"{"success":false,"message":"boom"}"#,
        r#"{"status":503,"message":"boom"}"#,
        r#"{"detail":"boom"}"#,
        r#"[{"error":{"code":503,"message":"boom","status":"UNAVAILABLE"}}]"#,
        "[{\n  \"error\": {\n    \"message\": \"boom\"\n  }\n}\n]",
    ];
    at_once(shapes.to_vec(), |shape| {
        let data = |shape: &str| data(&shape.replace('\n', ""));
        openai(stream(&[&data(shape)])).failed(ErrorClass::InbandError, "boom");
        openai(stream(&[&text("a"), &data(shape), STOP, DONE])).failed(ErrorClass::InbandError, "boom");
        openai(stream(&[&text("a"), STOP, &data(shape)])).failed(ErrorClass::InbandError, "boom");
        // The same as the whole body, whatever it is called.
        for kind in ["application/json", "text/event-stream", "text/plain"] {
            openai(whole("200 OK", kind, "", shape)).failed(ErrorClass::InbandError, "boom");
        }
    });
}

#[test]
fn err_02_a_frame_that_only_looks_like_an_error_is_none() {
    let frames = [
        r#"{"type":"status","message":"warming up"}"#,
        r#"{"code":0,"message":"success","choices":[]}"#,
        r#"{"code":200,"msg":"ok"}"#,
        r#"{"success":true,"message":"m"}"#,
        r#"{"message":"m"}"#,
        r#"{"status":"queued"}"#,
        r#"{"choices":[],"error":null,"code":null}"#,
        r#"{"type":"status","detail":"searching the web"}"#,
        r#"{"object":"status","code":"s1","message":"searching"}"#,
    ];
    for frame in frames {
        openai(stream(&[&data(frame), &text("a"), STOP, &usage(1), DONE])).is_ok(1, Some(1)).flags(&[]);
    }
}

#[test]
fn err_02_progress_of_other_apis_is_no_error() {
    let progress = data(r#"{"type":"progress","detail":"searching"}"#);
    let token = data(r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#);
    let stop = data(r#"{"type":"message_stop"}"#);
    let messages = case("anthropic-messages", stream(&[&progress, &token, &stop]));
    messages.is_ok(1, None).flags(&[Flag::NoFinishReason, Flag::UnknownTypes]);
    let step = data(r#"{"event":"human_step","code":"s1","message":"Searching"}"#);
    let (token, end) = (data(r#"{"event":"message","answer":"a"}"#), data(r#"{"event":"message_end"}"#));
    case("dify-chat", stream(&[&step, &token, &end])).is_ok(1, None).flags(&[Flag::UnknownTypes]);
}

#[test]
fn err_01_a_refusal_in_an_array_keeps_its_words_and_its_code() {
    let body = r#"[{"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]"#;
    for (status, class) in
        [("429 Too Many Requests", ErrorClass::RateLimited), ("503 Unavailable", ErrorClass::ServerError)]
    {
        let case = openai(whole(status, "application/json", "", body));
        assert_eq!(code(case.failed(class, "slow down")), Some("429"));
    }
}

#[test]
fn err_03_an_overload_told_in_the_stream_is_the_same_as_a_529() {
    let busy = typed("error", r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#);
    let first = case("anthropic-messages", stream(&[&busy]));
    first.failed(ErrorClass::Overloaded, "busy");
    assert_eq!((code(&first), first.attempt().status), (Some("overloaded_error"), Some(200)));
    assert_eq!((first.stage.status_codes["200"], first.stage.http_5xx), (1, 0));
    let start = typed(
        "message_start",
        r#"{"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}"#,
    );
    let token = typed(
        "content_block_delta",
        r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
    );
    let later = case("anthropic-messages", stream(&[&start, &token.repeat(3), &busy]));
    later.failed(ErrorClass::Overloaded, "busy");
    assert_eq!(
        (later.stage.tokens.partial_chunks, later.stage.tokens.chunks, later.script.requests().len()),
        (3, 0, 1)
    );
    let status = case(
        "anthropic-messages",
        whole(
            "529 Overloaded",
            "application/json",
            "",
            r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
        ),
    );
    status.failed(ErrorClass::Overloaded, "busy");
}

#[test]
fn err_03_an_event_named_error_is_one_whatever_it_holds() {
    let rows = [
        ("event: error\ndata: worker lost\n\n", "worker lost"),
        ("event: error\ndata: {\"message\":\"lost\"}\n\n", "lost"),
        ("event: error\ndata: \"lost\"\n\n", "lost"),
        ("event: error\ndata: {\"code\":\"lost\"}\n\n", "lost"),
        ("event: Error\ndata: lost\n\n", "lost"),
        ("event: error\ndata: {\"error\":{\"message\":\"lost\"}\n\n", "lost"),
        ("data: {\"error\":{\"message\":\"lost\"}}\n\n", "lost"),
    ];
    at_once(rows.to_vec(), |(event, words)| {
        for api in ["openai-chat", "anthropic-messages", "dify-chat"] {
            case(api, stream(&[event])).failed(ErrorClass::InbandError, words);
        }
    });
    for none in ["null", "{}"] {
        let stop = format!("{{\"type\":\"message_stop\",\"error\":{none}}}");
        let token = r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"},"error":null}"#;
        case("anthropic-messages", stream(&[&data(token), &data(&stop)])).is_ok(1, None);
        let message = format!("{{\"event\":\"message\",\"answer\":\"a\",\"error\":{none}}}");
        case("dify-chat", stream(&[&data(&message), &data(r#"{"event":"message_end"}"#)])).is_ok(1, None);
    }
}

#[test]
fn err_05_a_bare_error_after_the_frames_is_found() {
    let bare = "{\n  \"error\": {\n    \"code\": 503\n  }\n}\n";
    let case = openai(stream(&[&text("Ok"), STOP, &usage(1), bare]));
    assert_eq!(code(case.failed(ErrorClass::InbandError, "503")), Some("503"));
    let others = [
        "{\"error\":{\"message\":\"gone\"}}",
        "{\"error\":{\"message\":\"gone\"}}\n\n",
        "upstream failed\n{\"error\":{\"message\":\"gone\"}}\n",
        "{\"ok\":true}\n{\n\"error\": \"gone\"\n}\n",
        "{\"error\":{\"message\":\"gone\"}}\ntrailing words\n",
        "{\"detail\":\"gone\"}\n",
        "{\r\n  \"error\": {\r\n    \"message\": \"gone\"\r\n  }\r\n}\r\n",
    ];
    at_once(others.to_vec(), |bare| {
        openai(stream(&[&text("Ok"), STOP, bare])).failed(ErrorClass::InbandError, "gone");
        openai(stream(&[&text("Ok"), STOP, DONE, bare])).failed(ErrorClass::InbandError, "gone");
        openai(stream(&[bare])).failed(ErrorClass::InbandError, "gone");
    });
}

#[test]
fn err_05_other_left_over_bytes_only_set_a_flag() {
    for rest in
        ["trailing words\n", "{\"message\":\"bye\"}\n", "{\"error\":null}\n", "{\"cost\":1}", "<!-- end -->"]
    {
        let case = openai(stream(&[&text("Ok"), STOP, &usage(1), DONE, rest]));
        case.is_ok(1, Some(1)).flags(&[Flag::Residue]);
    }
}

#[test]
fn err_06_a_page_and_a_type_that_holds_no_answer_are_refused_with_an_excerpt() {
    for kind in ["text/html", "text/html; charset=utf-8", "TEXT/HTML", "image/png", "application/xml"] {
        let case = openai(whole("200 OK", kind, "", "<html>Sign in</html>"));
        case.failed(ErrorClass::BadContentType, kind.split(';').next().unwrap());
        assert_eq!(case.attempt().error.as_ref().unwrap().excerpt.as_deref(), Some("<html>Sign in</html>"));
    }
    let long = openai(whole("200 OK", "text/html", "", &"é".repeat(5000)));
    let excerpt = long.attempt().error.as_ref().unwrap().excerpt.clone().unwrap();
    assert!((500..=520).contains(&excerpt.len()), "{}", excerpt.len());
    let held = openai(vec![write(&head("text/html")), write(&chunk("<html>")), Step::Hold]);
    held.failed(ErrorClass::BadContentType, "text/html");
    assert_eq!(held.attempt().error.as_ref().unwrap().excerpt.as_deref(), Some("<html>"));
}

#[test]
fn err_06_nothing_at_all_is_an_empty_answer() {
    let nothing = [
        stream(&[]),
        whole("200 OK", "text/event-stream", "", ""),
        whole("200 OK", "application/json", "", ""),
        whole("200 OK", "application/json", "", " \n"),
        stream(&["\n\n\n"]),
        stream(&[": ping\n\n"]),
        vec![write("HTTP/1.1 204 No Content\r\n\r\n")],
    ];
    for steps in nothing {
        openai(steps).failed(ErrorClass::EmptyOutput, "no token");
    }
    for words in ["Bad gateway", "[1,2]", "\"text\"", "{\"choices\":["] {
        openai(whole("200 OK", "application/json", "", words)).failed(ErrorClass::Malformed, "not an answer");
    }
}

#[test]
fn err_07_every_spelling_of_an_event_streams_type_is_read() {
    let good = text("a") + STOP + &usage(1) + DONE;
    let kinds = [
        "content-type: text/event-stream\r\n",
        "content-type: text/event-stream;charset=UTF-8\r\n",
        "Content-Type: Text/Event-Stream ; charset=utf-8\r\n",
        "content-type:text/event-stream; charset=\"utf-8\"\r\n",
        "content-type: application/json\r\n",
        "content-type: text/plain; charset=utf-8\r\n",
        "content-type: application/octet-stream\r\n",
        "content-type:\r\n",
        "",
    ];
    for kind in kinds {
        let head = format!("HTTP/1.1 200 OK\r\n{kind}transfer-encoding: chunked\r\n\r\n");
        openai(vec![write(&head), write(&chunk(&good)), write("0\r\n\r\n")]).is_ok(1, Some(1)).flags(&[]);
    }
}

#[test]
fn a_failure_ends_the_answer_at_once_and_its_connection() {
    let error = data(r#"{"error":{"message":"boom"}}"#);
    let held = move |n| match n {
        0 => vec![write(&head("text/event-stream")), write(&chunk(&error)), Step::Hold],
        _ => stream(&[&text("a"), &finish("stop"), DONE]),
    };
    let case = case_with("openai-chat", 2, "", held);
    case.failed(ErrorClass::InbandError, "boom");
    assert_eq!((case.attempts[1].outcome, case.attempts[1].reused), (Outcome::Ok, false));
    // A token and an error in one event: the answer failed, and its token is known.
    let both = data(r#"{"error":{"message":"boom"},"choices":[{"delta":{"content":"a"}}]}"#);
    let both = openai(stream(&[&both, &delta("{}")]));
    assert_eq!(both.failed(ErrorClass::InbandError, "boom").stage.tokens.partial_chunks, 1);
}

#[test]
fn err_03_and_end_03_only_what_failed_before_its_first_token_is_asked_again() {
    let busy = || typed("error", r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#);
    let token = || data(r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#);
    let stop = || data(r#"{"type":"message_stop"}"#);
    let retry = "[load.retry]\nmax = 3\nbase = \"10ms\"\n";
    let asked = |first: Vec<Step>| {
        let good = stream(&[&token(), &stop()]);
        let answers = move |n| if n == 0 { first.clone() } else { good.clone() };
        let case = case_with("anthropic-messages", 1, retry, answers);
        let outcomes: Vec<&str> = case.attempts.iter().map(|attempt| attempt.outcome.name()).collect();
        outcomes.join(" ")
    };
    assert_eq!(asked(stream(&[&busy()])), "overloaded ok");
    assert_eq!(asked(stream(&[&token().repeat(3), &busy()])), "overloaded");
    let mut cut = stream(&[&token()]);
    *cut.last_mut().unwrap() = Step::Close;
    assert_eq!(asked(cut), "stream_interrupted");
    let filtered = data(r#"{"type":"message_delta","delta":{"stop_reason":"content_filter"}}"#);
    assert_eq!(asked(stream(&[&filtered, &stop()])), "content_filtered");
}
