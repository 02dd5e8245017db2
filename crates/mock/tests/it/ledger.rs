//! Pace, and the ledger against what a client sees.

use std::time::Duration;

use mock::{Config, Server};

use crate::client::Client;

const CHAT: &str = "/v1/chat/completions";
const BODY: &str = r#"{"messages":[{"role":"user","content":"hi"}],"stream":true}"#;

fn server(query: &str) -> Server {
    Server::start(Config::from_query(query).unwrap(), 0).unwrap()
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn no_token_comes_early_and_lateness_does_not_add_up() {
    let server = server("ttft=30ms&itl=4ms&tokens=50");
    Client::connect(server.addr()).post(CHAT, BODY);
    let row = &server.rows(1)[0];
    assert_eq!(row.tokens.len(), 50);
    for (index, token) in row.tokens.iter().enumerate() {
        let due = ms(30 + 4 * index as u64);
        assert!(token.since(row.received) >= due, "token {index}");
    }
    // A schedule that slept between tokens would be late by the sum of all timer ticks, some 50 ms.
    let last = row.tokens[49].since(row.received);
    assert!(last < ms(30 + 4 * 49 + 30), "{last:?}");
}

#[test]
fn the_head_comes_at_once_and_a_client_sees_what_the_ledger_says() {
    let server = server("ttft=60ms&itl=10ms&tokens=10");
    let response = Client::connect(server.addr()).post_with(CHAT, &["x-request-id: r-7"], BODY);
    assert_eq!(response.header("x-request-id"), Some("r-7"));
    let role = response.arrivals("\"role\"")[0];
    assert!(role < ms(40), "the role chunk does not wait for the first token: {role:?}");
    let seen = response.arrivals("\"delta\":{\"content\"");
    let row = &server.rows(1)[0];
    assert_eq!(row.id.as_deref(), Some("r-7"));
    for (index, (seen, wrote)) in seen.iter().zip(&row.tokens).enumerate() {
        let wrote = wrote.since(row.received);
        let apart = seen.abs_diff(wrote);
        assert!(apart < ms(15), "token {index}: seen {seen:?}, written {wrote:?}");
    }
}

#[test]
fn the_same_seed_paces_the_same_way() {
    let due = |seed: u64| {
        let server = server(&format!("ttft=20ms~0.8&itl=5ms~0.8&tokens=10&seed={seed}"));
        Client::connect(server.addr()).post(CHAT, BODY);
        server.rows(1)[0].e2e()
    };
    let (first, again, other) = (due(1), due(1), due(5));
    assert!(first.abs_diff(again) < ms(10), "{first:?} {again:?}");
    assert!(first.abs_diff(other) > ms(10), "{first:?} {other:?}");
}

#[test]
fn the_ledger_is_served_as_json_and_can_be_reset() {
    let server = server("ttft=5ms&itl=1ms&tokens=4");
    let mut client = Client::connect(server.addr());
    client.post_with(CHAT, &["x-request-id: a"], BODY);
    client.post_with("/v1/messages", &["x-request-id: b"], BODY);
    let ledger = client.get("/ledger?rows=1").json();
    assert_eq!(
        (&ledger["requests"], &ledger["statuses"]["200"], &ledger["tokens"]),
        (&2.into(), &2.into(), &8.into())
    );
    assert_eq!((&ledger["ttft_ms"]["n"], &ledger["gap_ms"]["n"]), (&2.into(), &6.into()));
    assert!(ledger["ttft_ms"]["p50"].as_f64().unwrap() >= 5.0);
    assert_eq!(ledger["rows"][0]["id"], "b");
    assert_eq!(ledger["rows"][0]["protocol"], "anthropic-messages");
    assert_eq!(ledger["rows"][0]["tokens"].as_array().map(Vec::len), Some(4));

    assert_eq!(client.post("/reset", "").status, 200);
    let ledger = client.get("/ledger").json();
    assert_eq!(
        (&ledger["requests"], &ledger["ttft_ms"], &ledger["rows"]),
        (&0.into(), &().into(), &().into())
    );
}

#[test]
fn an_answer_sent_whole_takes_as_long_as_its_stream_would() {
    let server = server("ttft=20ms&itl=5ms&tokens=5");
    let response =
        Client::connect(server.addr()).post(CHAT, r#"{"messages":[{"role":"user","content":"hi"}]}"#);
    assert!(response.chunks[0].0 >= ms(40) - ms(2), "{:?}", response.chunks[0].0);
    let row = &server.rows(1)[0];
    assert!(row.e2e() >= ms(40));
    assert_eq!((row.ttft(), row.whole_tokens), (None, Some(5)));
}

#[test]
fn a_hundred_streams_keep_their_pace() {
    let server = server("ttft=50ms&itl=10ms&tokens=20");
    std::thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| Client::connect(server.addr()).post(CHAT, BODY));
        }
    });
    let ledger = server.ledger();
    assert_eq!((ledger.statuses[&200], ledger.tokens, ledger.connections), (100, 2000, 100));
    let gap = ledger.gap.unwrap();
    assert!(gap.p50.abs_diff(ms(10)) < ms(2), "{gap:?}");
}
