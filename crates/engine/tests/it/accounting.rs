//! A thousand requests to a server with every fault there is, each accounted for against the server's own ledger.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use measure::sample::Attempt;
use measure::{ErrorClass, Flag, Outcome};
use mock::{Fault, Row};

use crate::run::{Outcome as Ran, run, scenario};

const REQUESTS: u64 = 1000;
const USERS: u32 = 50;
/// A third of the requests meets a fault.
const FAULTS: &str = "reset=8%&close=5%&stall=3%&rate_limited=5%&unavailable=4%&truncated=4%&inband_error=4%";
/// A connection that ends later than this after a request was not dead before it, and is not dialled again.
const DEAD_WITHIN: Duration = Duration::from_millis(500);

/// What one api makes of silence and of a body that ends too soon.
struct Expected {
    api: &'static str,
    timeouts: &'static str,
    /// A stall before the head.
    stall_before_head: ErrorClass,
    /// A stall after the head, before a token.
    stall_at_first: ErrorClass,
    /// A stall after a token.
    stall_later: ErrorClass,
    /// A body that ends before a token.
    truncated_at_first: ErrorClass,
}

#[test]
fn openai_every_request_is_accounted_for() {
    accounted(&Expected {
        api: "openai-chat",
        timeouts: "first_token = \"2s\"\nstall = \"1500ms\"\nidle = \"10s\"",
        stall_before_head: ErrorClass::TimeoutFirstToken,
        stall_at_first: ErrorClass::TimeoutFirstToken,
        stall_later: ErrorClass::TimeoutStall,
        truncated_at_first: ErrorClass::Truncated,
    });
}

#[test]
fn anthropic_every_request_is_accounted_for() {
    accounted(&Expected {
        api: "anthropic-messages",
        timeouts: "first_token = \"10s\"\nidle = \"1500ms\"\ntotal = \"3s\"",
        stall_before_head: ErrorClass::TimeoutTotal,
        stall_at_first: ErrorClass::TimeoutIdle,
        stall_later: ErrorClass::TimeoutIdle,
        truncated_at_first: ErrorClass::Truncated,
    });
}

#[test]
fn dify_every_request_is_accounted_for() {
    accounted(&Expected {
        api: "dify-chat",
        timeouts: "first_token = \"1500ms\"\nidle = \"10s\"\ntotal = \"2500ms\"",
        stall_before_head: ErrorClass::TimeoutFirstToken,
        stall_at_first: ErrorClass::TimeoutFirstToken,
        stall_later: ErrorClass::TimeoutTotal,
        // Nothing opens these streams: the body is empty.
        truncated_at_first: ErrorClass::EmptyOutput,
    });
}

#[test]
fn ollama_every_request_is_accounted_for() {
    accounted(&Expected {
        api: "ollama-chat",
        timeouts: "first_token = \"3s\"\nidle = \"1500ms\"",
        stall_before_head: ErrorClass::TimeoutFirstToken,
        stall_at_first: ErrorClass::TimeoutIdle,
        stall_later: ErrorClass::TimeoutIdle,
        truncated_at_first: ErrorClass::EmptyOutput,
    });
}

fn accounted(expected: &Expected) {
    let config = mock::Config::from_query(&format!("ttft=4ms~0.3&itl=2ms~0.3&tokens=6&seed=11&{FAULTS}"));
    let server = mock::Server::start(config.unwrap(), 0).unwrap();
    let load = format!(
        "[target.timeouts]\n{}\n[load]\nstages = [{USERS}]\nstage_requests = {REQUESTS}\npreflight = false\n",
        expected.timeouts
    );
    let ran = run(&scenario(server.addr().port(), expected.api, &load));
    let rows = rows(&server);
    let books = Books::of(&ran, &rows);
    assert_eq!(ran.samples.len() as u64, REQUESTS);
    for (attempt, rows) in &books.entries {
        is_as_the_ledger_says(attempt, rows, expected);
    }
    books.balance_class_by_class(&ran, &server.ledger(), expected);
    books.hold_every_kind();
}

/// Every row, once the server has noticed that all clients have left.
fn rows(server: &mock::Server) -> Vec<Arc<Row>> {
    for _ in 0..500 {
        if server.ledger().open == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(server.ledger().open, 0, "{:?}", server.ledger());
    server.rows(usize::MAX)
}

/// Each request as the client tells it, with its rows in the ledger: two when it was sent again on another connection.
struct Books<'a> {
    entries: Vec<(&'a Attempt, Vec<&'a Row>)>,
}

impl<'a> Books<'a> {
    /// Matched by request id: nothing is left over on either side.
    fn of(ran: &'a Ran, rows: &'a [Arc<Row>]) -> Self {
        let mut by_id: HashMap<&str, Vec<&Row>> = HashMap::new();
        for row in rows {
            by_id.entry(row.id.as_deref().unwrap()).or_default().push(row);
        }
        let entries = ran.samples.iter().map(|sample| {
            let [attempt] = &sample.attempts[..] else { panic!("nothing is retried: {sample:?}") };
            let mut rows = by_id.remove(attempt.request_id.as_str()).unwrap_or_default();
            rows.sort_by_key(|row| row.ordinal);
            (attempt, rows)
        });
        let books = Self { entries: entries.collect() };
        assert!(by_id.is_empty(), "requests that the client does not know of: {by_id:?}");
        books
    }

    /// The same, in sums: of the stage, of the samples and of the ledger.
    fn balance_class_by_class(&self, ran: &Ran, ledger: &mock::LedgerSnapshot, expected: &Expected) {
        let stage = &ran.recording.stages[0];
        let counts = &stage.counts;
        assert!(counts.balance(), "{counts:?}");
        assert_eq!((counts.planned, counts.started, counts.cancelled), (REQUESTS, REQUESTS, 0));
        assert_eq!(counts.ok + counts.failed, REQUESTS);
        assert_eq!(stage.outcomes.values().sum::<u64>(), REQUESTS, "{:?}", stage.outcomes);

        let redials = self.entries.iter().filter(|(_, rows)| rows.len() == 2).count() as u64;
        assert_eq!(stage.flags.get("redial").copied().unwrap_or(0), redials);
        assert_eq!(ledger.requests, REQUESTS + redials);

        let mut from_ledger: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, rows) in &self.entries {
            *from_ledger.entry(outcome_of(rows[rows.len() - 1], expected).name()).or_default() += 1;
        }
        let told = stage.outcomes.iter().filter(|(_, count)| **count > 0);
        assert_eq!(
            told.map(|(class, count)| (class.as_str(), *count)).collect::<BTreeMap<_, _>>(),
            from_ledger
        );
        let told = |class: ErrorClass| stage.outcomes.get(class.name()).copied().unwrap_or(0);
        let met = |fault| ledger.faults.get(&fault).copied().unwrap_or(0);
        assert_eq!(
            (told(ErrorClass::RateLimited), stage.http_429),
            (met(Fault::RateLimited), ledger.statuses[&429])
        );
        assert_eq!(
            (told(ErrorClass::ServerError), stage.http_5xx),
            (met(Fault::Unavailable), ledger.statuses[&503])
        );
        assert_eq!(told(ErrorClass::InbandError), met(Fault::InbandError));
        assert_eq!(
            told(ErrorClass::StreamInterrupted) + told(ErrorClass::ConnectionClosed),
            met(Fault::Reset) + met(Fault::Close) - redials,
        );
    }

    /// The draw of this seed holds every fault before the head, before the first token and later, as far as it can be there.
    fn hold_every_kind(&self) {
        let rows = || self.entries.iter().flat_map(|(_, rows)| rows);
        for fault in Fault::ALL {
            assert!(rows().any(|row| row.fault == Some(fault)), "{fault:?}");
        }
        for fault in [Fault::Reset, Fault::Stall] {
            assert!(rows().any(|row| row.fault == Some(fault) && row.head.is_none()), "{fault:?}");
        }
        for fault in [Fault::Reset, Fault::Stall, Fault::Truncated, Fault::InbandError] {
            let met = || rows().filter(|row| row.fault == Some(fault) && row.head.is_some());
            assert!(
                met().any(|row| row.tokens.is_empty()) && met().any(|row| !row.tokens.is_empty()),
                "{fault:?}"
            );
        }
        let redials = self.entries.iter().filter(|(_, rows)| rows.len() == 2).count();
        assert!(
            redials > 0 && self.entries.iter().any(|(_, rows)| rows.len() == 1 && is_unanswered(rows[0]))
        );
    }
}

/// One request told by the client against what the server did for it.
fn is_as_the_ledger_says(attempt: &Attempt, rows: &[&Row], expected: &Expected) {
    let context = || format!("{attempt:?}\n{rows:?}");
    let last = match rows {
        [only] => {
            assert!(!attempt.flags.contains(Flag::Redial), "{}", context());
            let took = attempt.at.end.since(attempt.at.sent.unwrap());
            let was_fresh = !attempt.reused || took >= DEAD_WITHIN;
            assert!(!is_unanswered(only) || was_fresh, "a kept connection is dialled again: {}", context());
            only
        }
        [dead, again] => {
            assert!(attempt.flags.contains(Flag::Redial) && is_unanswered(dead), "{}", context());
            again
        }
        _ => panic!("sent {} times: {}", rows.len(), context()),
    };
    assert_eq!(attempt.outcome, outcome_of(last, expected), "{}", context());
    assert_eq!(attempt.status, last.status, "{}", context());
    assert_eq!(attempt.events.len(), last.tokens.len(), "every token that was sent was seen: {}", context());
    assert_eq!(last.aborted, last.fault == Some(Fault::Stall), "only from a stall one leaves: {}", context());
    assert_eq!(attempt.at.headers.is_some(), last.head.is_some(), "{}", context());
}

/// The connection ended before a byte of the answer.
fn is_unanswered(row: &Row) -> bool {
    row.head.is_none() && matches!(row.fault, Some(Fault::Close | Fault::Reset))
}

/// What a client must call this.
fn outcome_of(row: &Row, expected: &Expected) -> Outcome {
    let (has_head, has_tokens) = (row.head.is_some(), !row.tokens.is_empty());
    let Some(fault) = row.fault else { return Outcome::Ok };
    Outcome::Failed(match fault {
        Fault::Close => ErrorClass::ConnectionClosed,
        Fault::Reset if has_head => ErrorClass::StreamInterrupted,
        Fault::Reset => ErrorClass::ConnectionClosed,
        Fault::Stall if has_tokens => expected.stall_later,
        Fault::Stall if has_head => expected.stall_at_first,
        Fault::Stall => expected.stall_before_head,
        Fault::RateLimited => ErrorClass::RateLimited,
        Fault::Unavailable => ErrorClass::ServerError,
        Fault::Truncated if has_tokens => ErrorClass::Truncated,
        Fault::Truncated => expected.truncated_at_first,
        Fault::InbandError => ErrorClass::InbandError,
    })
}
