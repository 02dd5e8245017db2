//! Slots, the limit, and clients who leave.

use std::thread;
use std::time::Duration;

use mock::{Config, LedgerSnapshot, Server};

use crate::client::{Client, now};

const CHAT: &str = "/v1/chat/completions";
const BODY: &str = r#"{"messages":[{"role":"user","content":"hi"}],"stream":true}"#;

fn server(query: &str) -> Server {
    Server::start(Config::from_query(query).unwrap(), 0).unwrap()
}

/// A client whose request the server has taken up as its `nth` open one.
fn open(server: &Server, nth: usize) -> Client {
    let mut client = Client::connect(server.addr());
    client.send("POST", CHAT, &[], BODY);
    until(server, |ledger| ledger.open == nth);
    client
}

fn until(server: &Server, reached: impl Fn(&LedgerSnapshot) -> bool) {
    let begin = now();
    while !reached(&server.ledger()) {
        assert!(now() - begin < Duration::from_secs(5), "{:?}", server.ledger());
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_request_above_the_capacity_waits_for_a_slot_in_order() {
    let server = server("ttft=40ms&itl=1ms&tokens=2&capacity=1");
    let clients: Vec<Client> = (1..=3).map(|nth| open(&server, nth)).collect();
    for mut client in clients {
        assert_eq!(client.receive(now()).status, 200);
    }
    let rows = server.rows(3);
    let ttfts: Vec<Duration> = rows.iter().map(|row| row.ttft().unwrap()).collect();
    assert_eq!(rows.iter().map(|row| row.ordinal).collect::<Vec<_>>(), [0, 1, 2], "first come, first served");
    for pair in rows.windows(2) {
        assert!(pair[1].slot >= Some(pair[0].end), "its slot is the one given back");
        let from_slot = pair[1].tokens[0].since(pair[1].slot.unwrap());
        assert!(from_slot >= Duration::from_millis(40), "TTFT begins with the slot, was {from_slot:?}");
        assert!(pair[1].head >= pair[1].slot, "no head before the slot");
    }
    assert!(ttfts[2] > ttfts[0] + Duration::from_millis(50), "waiting counts: {ttfts:?}");
    assert_eq!(server.ledger().open_max, 3);
}

#[test]
fn a_request_above_the_limit_is_told_when_to_come_back() {
    let server = server("ttft=200ms&itl=1ms&tokens=1&capacity=1&limit=2&retry_after=1500ms");
    let mut open: Vec<Client> = (1..=2).map(|nth| open(&server, nth)).collect();
    let table = [
        (CHAT, BODY, "/error/code", "rate_limit_exceeded"),
        ("/v1/messages", BODY, "/error/type", "rate_limit_error"),
        ("/v1/chat-messages", r#"{"query":"hi"}"#, "/code", "too_many_requests"),
    ];
    let mut third = Client::connect(server.addr());
    for (path, body, pointer, code) in table {
        let refused = third.post(path, body);
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("2")), "{path}");
        assert_eq!(refused.json().pointer(pointer).and_then(|code| code.as_str()), Some(code), "{path}");
    }
    for client in &mut open {
        assert_eq!(client.receive(now()).status, 200);
    }
    assert_eq!(third.post(CHAT, BODY).status, 200, "room again");
    let ledger = server.ledger();
    assert_eq!((ledger.statuses[&429], ledger.statuses[&200], ledger.open_max), (3, 3, 2));
}

#[test]
fn a_client_that_leaves_while_reading_is_recorded_and_frees_its_slot() {
    let server = server("ttft=5ms&itl=20ms&tokens=1000&capacity=1");
    let mut client = open(&server, 1);
    client.head();
    client.chunk();
    client.chunk();
    drop(client);
    until(&server, |ledger| ledger.aborted == 1 && ledger.open == 0);
    let row = &server.rows(1)[0];
    assert_eq!((row.status, row.aborted), (Some(200), true));
    assert!((1..10).contains(&row.tokens.len()), "{}", row.tokens.len());
    assert_eq!(server.ledger().ttft, None, "an aborted answer is in no distribution");
    let mut next = open(&server, 1);
    assert_eq!(next.head().0, 200);
}

#[test]
fn a_client_that_leaves_while_waiting_never_gets_a_slot() {
    let server = server("ttft=100ms&itl=1ms&tokens=1&capacity=1");
    let mut first = open(&server, 1);
    drop(open(&server, 2));
    until(&server, |ledger| ledger.aborted == 1);
    assert_eq!(first.receive(now()).status, 200);
    let rows = server.rows(2);
    assert_eq!((rows[0].status, rows[0].slot), (None, None));
}

#[test]
fn dropping_the_server_ends_it_while_streams_are_open() {
    let server = server("ttft=10s");
    let mut client = open(&server, 1);
    client.head();
    let (addr, begin) = (server.addr(), now());
    drop(server);
    assert!(now() - begin < Duration::from_secs(2));
    assert!(std::net::TcpStream::connect(addr).is_err());
}
