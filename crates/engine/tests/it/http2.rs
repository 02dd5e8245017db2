//! HTTP/2: shared connections, the server's limit of streams, stamps per stream, and every way a stream can end.

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use engine::Clock;
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use measure::sample::Attempt;
use measure::{ErrorClass, Flag, Offset, Outcome};

use crate::run::{attempts, run, run_alone, scenario};
use crate::script::{DONE, STOP, text, usage};

/// What the server does with the n-th request of the run.
#[derive(Clone, Copy)]
enum Act {
    /// Streams so many tokens, so many milliseconds apart, after that first wait.
    Stream { first: u64, gap: u64, tokens: usize },
    /// Streams three tokens, then resets the stream.
    ResetAfterTokens(Reason),
    /// Resets the stream before an answer.
    Reset(Reason),
    /// Answers, and takes no further stream on this connection.
    AnswerAndLeave,
    /// Ends the connection without a word.
    Vanish,
}

/// What a server saw.
struct Served {
    port: u16,
    /// From a request's arrival to its first and its last token, as they were handed to the connection.
    times: Arc<Mutex<Vec<[Duration; 2]>>>,
    connections: Arc<AtomicUsize>,
    open_max: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

struct Shared {
    times: Arc<Mutex<Vec<[Duration; 2]>>>,
    act: Box<dyn Fn(usize) -> Act + Send + Sync>,
    open: AtomicUsize,
    open_max: Arc<AtomicUsize>,
    requests: Arc<AtomicUsize>,
}

/// A server that allows so many streams per connection.
fn server(streams: u32, act: impl Fn(usize) -> Act + Send + Sync + 'static) -> Served {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let (open_max, requests) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let times = Arc::new(Mutex::new(Vec::new()));
    let served = Served {
        times: Arc::clone(&times),
        port,
        connections: Arc::clone(&connections),
        open_max: Arc::clone(&open_max),
        requests: Arc::clone(&requests),
    };
    let shared =
        Arc::new(Shared { times, act: Box::new(act), open: AtomicUsize::new(0), open_max, requests });
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, streams, Arc::clone(&shared)));
            }
        });
    });
    served
}

async fn serve(stream: tokio::net::TcpStream, streams: u32, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let mut connection = h2::server::Builder::new()
        .max_concurrent_streams(streams)
        .handshake::<_, Bytes>(stream)
        .await
        .unwrap();
    while let Some(Ok((request, respond))) = connection.accept().await {
        assert_eq!(request.uri().path(), "/v1/chat/completions");
        assert!(request.uri().authority().is_some() && !request.headers().contains_key("host"));
        let n = shared.requests.fetch_add(1, Ordering::SeqCst);
        let act = (shared.act)(n);
        match act {
            Act::AnswerAndLeave => connection.graceful_shutdown(),
            Act::Vanish => return,
            _ => {}
        }
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let open = shared.open.fetch_add(1, Ordering::SeqCst) + 1;
            shared.open_max.fetch_max(open, Ordering::SeqCst);
            answer(act, respond, &shared.times).await;
            shared.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn answer(act: Act, mut respond: SendResponse<Bytes>, times: &Mutex<Vec<[Duration; 2]>>) {
    let clock = Clock::start();
    if let Act::Reset(reason) = act {
        return respond.send_reset(reason);
    }
    let head = http::Response::builder().header("content-type", "text/event-stream").body(()).unwrap();
    let mut body = respond.send_response(head, false).unwrap();
    match act {
        Act::Stream { first, gap, tokens } => {
            let told = tell(&mut body, first, gap, tokens, clock).await;
            times.lock().unwrap().push(told);
        }
        Act::AnswerAndLeave => {
            tell(&mut body, 1, 1, 2, clock).await;
        }
        Act::ResetAfterTokens(reason) => {
            for _ in 0..3 {
                let _ = body.send_data(text("a").into(), false);
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
            body.send_reset(reason);
        }
        Act::Reset(_) | Act::Vanish => {}
    }
}

/// Gives the times of the first and the last token.
async fn tell(
    body: &mut SendStream<Bytes>,
    first: u64,
    gap: u64,
    tokens: usize,
    clock: Clock,
) -> [Duration; 2] {
    let mut told = [Duration::ZERO; 2];
    for n in 0..tokens {
        tokio::time::sleep(Duration::from_millis(if n == 0 { first } else { gap })).await;
        told[usize::from(n > 0)] = clock.now().since(Offset::ORIGIN);
        let _ = body.send_data(text("a").into(), false);
    }
    let end = STOP.to_owned() + &usage(tokens as u64) + DONE;
    let _ = body.send_data(end.into(), true);
    told
}

fn one(server: &Served, requests: u32, target: &str) -> Vec<Attempt> {
    one_at(server.port, requests, target)
}

fn one_at(port: u16, requests: u32, target: &str) -> Vec<Attempt> {
    attempts(port, "openai-chat", requests, &format!("http = \"2\"\n{target}"))
}

#[test]
fn load_02_more_users_than_the_server_allows_streams_get_more_connections() {
    let server = server(100, |_| Act::Stream { first: 1200, gap: 1, tokens: 2 });
    let load = "http = \"2\"\n[load]\nstages = [150]\nstage_requests = 150\npreflight = false\n";
    let outcome = run(&scenario(server.port, "openai-chat", load));
    let stage = &outcome.recording.stages[0];
    assert_eq!(stage.counts.ok, 150, "{:?}", stage.outcomes);
    assert_eq!(server.open_max.load(Ordering::SeqCst), 150, "all at once");
    assert_eq!(server.connections.load(Ordering::SeqCst), 2);
    assert!(stage.window_s < 2.3, "not in turns: {} s", stage.window_s);
}

#[test]
fn one_user_keeps_one_connection_and_streams_are_timed_each_by_itself() {
    let server = server(100, |_| Act::Stream { first: 80, gap: 20, tokens: 5 });
    let all = one(&server, 3, "");
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
    for (n, attempt) in all.iter().enumerate() {
        assert_eq!((attempt.outcome, attempt.tokens.output), (Outcome::Ok, Some(5)), "{:?}", attempt.error);
        assert_eq!((attempt.reused, attempt.at.connected.is_some()), (n > 0, n == 0));
        let sent = attempt.at.sent.unwrap();
        let ttft = attempt.at.first_token.unwrap().since(sent).as_secs_f64() * 1000.0;
        assert!((79.0..140.0).contains(&ttft), "{ttft}");
        assert!(
            attempt.at.headers.unwrap() >= sent
                && attempt.at.headers.unwrap() < attempt.at.first_token.unwrap()
        );
    }
}

#[test]
fn fifty_streams_on_one_connection_are_timed_as_the_server_sent_them() {
    let off: Vec<String> = (0..3).map_while(|_| deviation().err()).collect();
    assert!(off.len() < 3, "never within the bounds: {off:#?}");
}

/// Runs once; says by how much client and server are too far apart.
fn deviation() -> Result<(), String> {
    let server = server(100, |_| Act::Stream { first: 60, gap: 10, tokens: 20 });
    let load =
        "http = \"2\"\n[load]\nstages = [50]\nstage_requests = 200\nramp_up = \"300ms\"\npreflight = false\n";
    let outcome = run_alone(&scenario(server.port, "openai-chat", load));
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
    let theirs = server.times.lock().unwrap().clone();
    let ours: Vec<[Duration; 2]> = outcome.samples.iter().map(|sample| seen(&sample.attempts[0])).collect();
    assert_eq!((ours.len(), theirs.len()), (200, 200));
    for (which, name) in ["first", "last"].into_iter().enumerate() {
        for (percentile, bound) in [(50, 1.0), (95, 3.0)] {
            let at = |all: &[[Duration; 2]]| {
                let mut all: Vec<f64> = all.iter().map(|times| times[which].as_secs_f64() * 1e3).collect();
                all.sort_by(f64::total_cmp);
                all[all.len() * percentile / 100]
            };
            let (ours, theirs) = (at(&ours), at(&theirs));
            if (ours - theirs).abs() > bound {
                return Err(format!("{name} token p{percentile}: {ours:.3} ms, server {theirs:.3} ms"));
            }
        }
    }
    Ok(())
}

/// First and last token as the engine saw them.
fn seen(attempt: &Attempt) -> [Duration; 2] {
    assert_eq!(attempt.outcome, Outcome::Ok, "{:?}", attempt.error);
    [attempt.at.first_token, attempt.at.last_token].map(|at| at.unwrap().since(attempt.at.sent.unwrap()))
}

#[test]
fn without_keep_alive_each_request_has_a_connection() {
    let server = server(100, |_| Act::Stream { first: 1, gap: 1, tokens: 2 });
    let all = one(&server, 3, "keep_alive = false\n");
    assert!(all.iter().all(|attempt| attempt.outcome == Outcome::Ok && !attempt.reused));
    assert_eq!(server.connections.load(Ordering::SeqCst), 3);
}

#[test]
fn ret_07_a_stream_that_is_reset_fails_alone_and_by_where_it_was() {
    let server = server(100, |n| match n {
        0 => Act::Reset(Reason::REFUSED_STREAM),
        1 => Act::ResetAfterTokens(Reason::INTERNAL_ERROR),
        _ => Act::Stream { first: 1, gap: 1, tokens: 2 },
    });
    let all = one(&server, 3, "");
    let outcomes: Vec<Outcome> = all.iter().map(|attempt| attempt.outcome).collect();
    let failed = |class| Outcome::Failed(class);
    assert_eq!(
        outcomes,
        [failed(ErrorClass::ConnectionClosed), failed(ErrorClass::StreamInterrupted), Outcome::Ok]
    );
    assert!(all[0].error.as_ref().unwrap().message.contains("refused"), "{:?}", all[0].error);
    assert_eq!(all[1].events.len(), 3, "what had arrived is kept");
    assert_eq!(server.requests.load(Ordering::SeqCst), 3, "nothing is sent again behind anybody's back");
    assert_eq!(server.connections.load(Ordering::SeqCst), 1, "the connection lives on");
}

#[test]
fn ret_07_a_shared_connection_that_vanishes_just_as_it_is_used_is_redialled() {
    let server = server(100, |n| match n {
        1 => Act::Vanish,
        _ => Act::Stream { first: 1, gap: 1, tokens: 2 },
    });
    let all = one(&server, 2, "");
    assert!(all.iter().all(|attempt| attempt.outcome == Outcome::Ok), "{:?}", all[1].error);
    assert!(all[1].flags.contains(Flag::Redial) && !all[1].reused);
    assert_eq!(server.connections.load(Ordering::SeqCst), 2);
}

#[test]
fn a_departing_server_is_left_for_a_new_connection() {
    let server = server(100, |_| Act::AnswerAndLeave);
    let all = one(&server, 3, "");
    assert!(
        all.iter().all(|attempt| attempt.outcome == Outcome::Ok),
        "{:?}",
        all.iter().map(|a| &a.error).collect::<Vec<_>>()
    );
    assert_eq!(server.connections.load(Ordering::SeqCst), 3);
    assert!(all[1].flags.contains(Flag::Redial) || !all[1].reused);
}

#[test]
fn a_server_that_speaks_no_http2_is_told_so() {
    // One that takes the preface for a broken request, and one that waits for more of it.
    let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    for (answer, class) in [(&answer[..], ErrorClass::ConnectFailed), (&b""[..], ErrorClass::TimeoutConnect)]
    {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(answer);
            while answer.is_empty() && stream.read(&mut [0; 1024]).is_ok_and(|n| n > 0) {}
        });
        let attempt = one_at(port, 1, "[target.timeouts]\nconnect = \"400ms\"\n").remove(0);
        assert_eq!(attempt.outcome, Outcome::Failed(class));
        assert!(attempt.error.unwrap().message.contains("HTTP/2"));
    }
}
