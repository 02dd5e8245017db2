//! Faults on purpose: what a client meets, and what the ledger says of it.

use std::io::ErrorKind;
use std::thread;
use std::time::Duration;

use mock::{Config, Fault, Protocol, Row, Server};

use crate::client::{Client, now};

const TOKENS: usize = 4;
/// Enough to meet every cut of a fault.
const REQUESTS: usize = 40;

/// A path and a body that asks for a stream, and what marks a token.
const STREAMED: [(Protocol, &str, &str, &str); 8] = [
    (
        Protocol::OpenAiChat,
        "/v1/chat/completions",
        r#"{"messages":[{}],"stream":true}"#,
        "\"delta\":{\"content\"",
    ),
    (Protocol::OpenAiCompletions, "/v1/completions", r#"{"prompt":"hi","stream":true}"#, "\"text\""),
    (Protocol::OpenAiResponses, "/v1/responses", r#"{"input":"hi","stream":true}"#, "output_text.delta"),
    (Protocol::AnthropicMessages, "/v1/messages", r#"{"messages":[{}],"stream":true}"#, "text_delta"),
    (Protocol::DifyChat, "/v1/chat-messages", r#"{"query":"hi","response_mode":"streaming"}"#, "\"answer\""),
    (
        Protocol::DifyWorkflow,
        "/v1/workflows/run",
        r#"{"inputs":{},"response_mode":"streaming"}"#,
        "text_chunk",
    ),
    (Protocol::OllamaChat, "/api/chat", r#"{"messages":[{}]}"#, "\"message\""),
    (Protocol::OllamaGenerate, "/api/generate", r#"{"prompt":"hi"}"#, "\"response\""),
];
const CHAT: &str = "/v1/chat/completions";
const STREAM: &str = r#"{"messages":[{"role":"user","content":"hi"}],"stream":true}"#;
const WHOLE: &str = r#"{"messages":[{"role":"user","content":"hi"}]}"#;

/// A server of which every request meets the fault.
fn server(fault: Fault) -> Server {
    let query = format!("ttft=2ms&itl=1ms&tokens={TOKENS}&{}=100%", fault.name());
    Server::start(Config::from_query(&query).unwrap(), 0).unwrap()
}

/// The rows of so many requests, once all of them are there.
fn rows(server: &Server, requests: usize) -> Vec<std::sync::Arc<Row>> {
    let begin = now();
    while server.ledger().requests < requests as u64 {
        assert!(now() - begin < Duration::from_secs(5), "{:?}", server.ledger());
        thread::sleep(Duration::from_millis(1));
    }
    server.rows(requests)
}

/// How many tokens were sent, in every row: none in some, all in some, and some in between.
fn assert_cut_everywhere(rows: &[std::sync::Arc<Row>]) {
    let sent = |tokens| rows.iter().any(|row| row.head.is_some() && row.tokens.len() == tokens);
    assert!((0..=TOKENS).all(sent), "{rows:?}");
}

#[test]
fn refusals_come_whatever_the_load_and_leave_the_connection_open() {
    for (fault, status, retry_after) in
        [(Fault::RateLimited, 429, Some("1")), (Fault::Unavailable, 503, None)]
    {
        let server = server(fault);
        let mut client = Client::connect(server.addr());
        for (protocol, path, body, _) in STREAMED {
            let response = client.post(path, body);
            assert_eq!(
                (response.status, response.header("retry-after")),
                (status, retry_after),
                "{protocol:?}"
            );
            assert!(response.json().is_object(), "{protocol:?}");
        }
        let ledger = server.ledger();
        assert_eq!((ledger.statuses[&status], ledger.faults[&fault], ledger.connections), (8, 8, 1));
    }
}

#[test]
fn a_truncated_stream_ends_in_order_without_what_ends_an_answer() {
    let server = server(Fault::Truncated);
    for (protocol, path, body, _) in STREAMED {
        server.reset_ledger();
        let mut client = Client::connect(server.addr());
        let texts: Vec<String> = (0..REQUESTS).map(|_| client.post(path, body).text()).collect();
        let rows = rows(&server, REQUESTS);
        assert_cut_everywhere(&rows);
        for (text, row) in texts.iter().zip(&rows) {
            let ends = [
                "[DONE]",
                "message_stop",
                "message_delta",
                "message_end",
                "_finished",
                "completed\"",
                "\"done\":true",
            ];
            assert!(ends.iter().all(|end| !text.contains(end)), "{protocol:?} {text}");
            assert!(!text.contains("\"finish_reason\":\"stop\""), "{protocol:?} {text}");
            assert_eq!((row.status, row.fault, row.aborted), (Some(200), Some(Fault::Truncated), false));
        }
        assert_eq!(server.ledger().complete_rows, 0, "a faulty answer is in no distribution");
    }
}

#[test]
fn an_error_inside_the_stream_is_the_last_event_in_the_protocols_own_form() {
    let server = server(Fault::InbandError);
    for (protocol, path, body, token) in STREAMED {
        server.reset_ledger();
        let mut client = Client::connect(server.addr());
        let answers: Vec<Vec<String>> = (0..REQUESTS)
            .map(|_| client.post(path, body).chunks.into_iter().map(|(_, chunk)| chunk).collect())
            .collect();
        let rows = rows(&server, REQUESTS);
        assert_cut_everywhere(&rows);
        for (chunks, row) in answers.iter().zip(&rows) {
            let (last, others) = chunks.split_last().unwrap();
            let is_token = |chunk: &&String| chunk.contains(token);
            assert_eq!(others.iter().filter(is_token).count(), row.tokens.len(), "{protocol:?} {chunks:?}");
            let data = last.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(last);
            let event: serde_json::Value = serde_json::from_str(data).unwrap();
            let (pointer, expected) = match protocol {
                Protocol::OpenAiChat | Protocol::OpenAiCompletions => ("/error/type", "server_error"),
                Protocol::OpenAiResponses => ("/type", "error"),
                Protocol::AnthropicMessages => ("/error/type", "api_error"),
                Protocol::DifyChat => ("/event", "error"),
                Protocol::DifyWorkflow => ("/data/status", "failed"),
                Protocol::OllamaChat | Protocol::OllamaGenerate => {
                    ("/error", "The server had an error while it made the answer.")
                }
            };
            assert_eq!(
                event.pointer(pointer).and_then(|value| value.as_str()),
                Some(expected),
                "{protocol:?}"
            );
            if protocol == Protocol::OpenAiResponses {
                assert_eq!(event["sequence_number"], others.len(), "numbered on");
            }
        }
    }
}

#[test]
fn a_reset_comes_before_the_head_or_after_some_of_the_tokens() {
    let server = server(Fault::Reset);
    for (protocol, path, body, _) in STREAMED {
        server.reset_ledger();
        for _ in 0..REQUESTS {
            let mut client = Client::connect(server.addr());
            client.send("POST", path, &[], body);
            let (read, error) = client.until_it_breaks();
            assert_eq!(error, Some(ErrorKind::ConnectionReset), "{protocol:?}");
            let row = &rows(&server, 1)[0];
            assert_eq!(read.is_empty(), row.head.is_none(), "{protocol:?} {read}");
            assert!(!read.ends_with("0\r\n\r\n"), "{protocol:?} {read}");
        }
        let rows = rows(&server, REQUESTS);
        assert_cut_everywhere(&rows);
        assert!(rows.iter().any(|row| row.head.is_none() && row.status.is_none()));
        assert!(rows.iter().all(|row| row.fault == Some(Fault::Reset) && !row.aborted));
    }
}

#[test]
fn a_closed_connection_ends_in_order_without_a_byte() {
    let server = server(Fault::Close);
    for body in [STREAM, WHOLE] {
        let mut client = Client::connect(server.addr());
        client.send("POST", CHAT, &[], body);
        assert_eq!(client.until_it_breaks(), (String::new(), None));
    }
    let rows = rows(&server, 2);
    assert!(rows.iter().all(|row| row.fault == Some(Fault::Close) && row.status.is_none() && !row.aborted));
}

#[test]
fn a_stall_holds_its_connection_and_its_place_until_the_client_leaves() {
    let server = server(Fault::Stall);
    let mut clients: Vec<Client> = (0..REQUESTS)
        .map(|_| {
            let mut client = Client::connect(server.addr());
            client.send("POST", CHAT, &[], STREAM);
            client
        })
        .collect();
    thread::sleep(Duration::from_millis(100));
    let ledger = server.ledger();
    assert_eq!((ledger.requests, ledger.open), (0, REQUESTS), "nobody is let go");
    let silent = clients.iter_mut().map(Client::has_nothing_to_read).filter(|silent| *silent).count();
    drop(clients);
    let rows = rows(&server, REQUESTS);
    assert_cut_everywhere(&rows);
    assert_eq!(rows.iter().filter(|row| row.head.is_none()).count(), silent);
    assert!(rows.iter().all(|row| row.fault == Some(Fault::Stall) && row.aborted));
    assert_eq!(server.ledger().open, 0);
}

#[test]
fn an_answer_that_is_not_streamed_breaks_inside_its_document() {
    let truncated = server(Fault::Truncated);
    let response = Client::connect(truncated.addr()).post(CHAT, WHOLE);
    assert_eq!(response.status, 200);
    assert!(serde_json::from_str::<serde_json::Value>(&response.text()).is_err(), "{}", response.text());
    let inband = server(Fault::InbandError);
    let response = Client::connect(inband.addr()).post(CHAT, WHOLE);
    assert_eq!((response.status, &response.json()["error"]["type"]), (200, &"server_error".into()));
    let reset = server(Fault::Reset);
    for _ in 0..REQUESTS {
        let mut client = Client::connect(reset.addr());
        client.send("POST", CHAT, &[], WHOLE);
        let (read, error) = client.until_it_breaks();
        assert_eq!(error, Some(ErrorKind::ConnectionReset));
        assert!(!read.ends_with('}') || !read.contains("\r\n\r\n{"), "{read}");
    }
    assert!(rows(&reset, REQUESTS).iter().all(|row| row.whole_tokens.is_none()));
}

#[test]
fn the_ledger_names_the_fault_of_each_request_and_counts_them() {
    let query = "ttft=1ms&itl=0&tokens=2&truncated=30%&unavailable=30%&seed=4";
    let server = Server::start(Config::from_query(query).unwrap(), 0).unwrap();
    let mut client = Client::connect(server.addr());
    for _ in 0..REQUESTS {
        client.post(CHAT, STREAM);
    }
    let ledger = client.get("/ledger?rows=40").json();
    let rows = ledger["rows"].as_array().unwrap();
    for name in ["truncated", "unavailable"] {
        let named = rows.iter().filter(|row| row["fault"] == name).count();
        assert!(named > 0);
        assert_eq!(ledger["faults"][name], named, "{name}");
    }
    let spared = rows.iter().filter(|row| row["fault"].is_null()).count();
    assert_eq!(ledger["complete_rows"], spared);
    assert!(spared > 0);
}

#[test]
fn a_request_that_is_refused_anyway_meets_no_fault() {
    let config = Config::from_query("key=sk-1&truncated=100%").unwrap();
    let server = Server::start(config, 0).unwrap();
    assert_eq!(Client::connect(server.addr()).post(CHAT, STREAM).status, 401);
    assert_eq!((server.ledger().faults.len(), server.rows(1)[0].fault), (0, None));
}
