//! What setting up a connection costs is no part of a request's times, and nothing small waits for an acknowledgement.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::Clock;
use measure::Outcome;
use measure::sample::Attempt;
use rustix::io::Errno;
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use socket2::SockRef;

use crate::run::{Outcome as Ran, run_alone_on, scenario};
use crate::script::{DONE, STOP, text};

const REQUESTS: u32 = 10;
/// How long the server lets a client wait for its part of the handshake.
const HANDSHAKE: Duration = Duration::from_millis(80);
/// From the last byte of a request to the answer.
const THINKS: Duration = Duration::from_millis(30);
/// More than TLS hands to the socket in one write, and not by a whole number of anything.
const PROMPT: usize = 70_001;
/// Attempts at a quiet moment of the machine.
const TRIES: usize = 5;
/// How far the times of two requests may lie apart; an acknowledgement is delayed by 40 ms.
const APART: Duration = Duration::from_millis(5);

/// A server that sees when the first and the last byte of each request came.
struct Slow {
    port: u16,
    /// From the first to the last byte of each request.
    spans: Arc<Mutex<Vec<Duration>>>,
    /// Whether the client's socket sends small writes at once.
    nodelay: Arc<Mutex<Option<Result<bool, Errno>>>>,
}

#[test]
fn load_05_a_slow_handshake_is_paid_once_and_is_no_part_of_ttft() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let config = crate::tls::config(&ca);
    let target = format!("scheme = \"https\"\n[target.tls]\nca_file = \"{}\"\n", ca.display());
    let best = best(|| ten_of_one_user(&Slow::start(Some(Arc::clone(&config))), &target));
    let connect = best.connect;
    assert!((HANDSHAKE..HANDSHAKE * 2).contains(&connect), "{connect:?}");
}

#[test]
fn load_05_without_tls_the_body_follows_the_head_at_once_too() {
    let best = best(|| ten_of_one_user(&Slow::start(None), ""));
    assert!(best.connect < HANDSHAKE, "{:?}", best.connect);
}

/// The times of ten requests on one connection.
struct Times {
    connect: Duration,
    ttft: Vec<Duration>,
    /// From the first to the last byte of each request, at the server.
    spans: Vec<Duration>,
}

impl Times {
    /// Each time at its best. A busy machine delays one request or another, and seldom the same twice; what the client
    /// itself does late, it does every time.
    fn or_better(self, other: &Self) -> Self {
        let best = |ours: Vec<Duration>, other: &[Duration]| {
            ours.into_iter().zip(other).map(|(ours, other)| ours.min(*other)).collect()
        };
        Self {
            connect: self.connect.min(other.connect),
            ttft: best(self.ttft, &other.ttft),
            spans: best(self.spans, &other.spans),
        }
    }

    /// Every request takes as long as any other, on its way there and to its first token.
    fn are_steady(&self) -> bool {
        let least = self.ttft.iter().min().copied().unwrap_or_default();
        let together = self.ttft.iter().all(|ttft| ttft.saturating_sub(least) <= APART);
        together && self.spans.iter().all(|span| *span <= APART)
    }
}

fn best(run: impl Fn() -> Times) -> Times {
    let mut best = run();
    for _ in 1..TRIES {
        if best.are_steady() {
            break;
        }
        best = best.or_better(&run());
    }
    assert!(best.are_steady(), "TTFT {:?}, requests that arrived over {:?}", best.ttft, best.spans);
    best
}

fn ten_of_one_user(slow: &Slow, target: &str) -> Times {
    let load = format!("{target}\n[load]\nstages = [1]\nstage_requests = {REQUESTS}\npreflight = false\n");
    let body = format!(
        "{{\"messages\":[{{\"role\":\"user\",\"content\":\"{}\"}}],\"stream\":true}}",
        "p".repeat(PROMPT)
    );
    let Ran { samples, .. } =
        run_alone_on(1, &(scenario(slow.port, "openai-chat", &load) + &format!("body = '{body}'\n")));
    let attempts: Vec<Attempt> = samples.into_iter().flat_map(|sample| sample.attempts).collect();
    assert_eq!(attempts.len(), REQUESTS as usize);
    for (n, attempt) in attempts.iter().enumerate() {
        assert_eq!(attempt.outcome, Outcome::Ok, "{n}: {:?}", attempt.error);
        assert_eq!((attempt.reused, attempt.at.connected.is_some()), (n > 0, n == 0), "{n}");
    }
    let nodelay = slow.nodelay.lock().unwrap();
    // Not every system lets a process look at its own sockets so.
    assert!(matches!(*nodelay, Some(Ok(true) | Err(Errno::PERM | Errno::NOSYS))), "TCP_NODELAY: {nodelay:?}");
    let ttft = |attempt: &Attempt| attempt.at.first_token.unwrap().since(attempt.at.sent.unwrap());
    let ttft: Vec<Duration> = attempts.iter().map(ttft).collect();
    assert!(ttft.iter().all(|ttft| *ttft >= THINKS), "{ttft:?}");
    let connect = attempts[0].at.connected.unwrap().since(attempts[0].at.start);
    Times { connect, ttft, spans: slow.spans.lock().unwrap().clone() }
}

impl Slow {
    fn start(tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (spans, nodelay) = (Arc::default(), Arc::<Mutex<_>>::default());
        let (kept, seen) = (Arc::clone(&spans), Arc::clone(&nodelay));
        std::thread::spawn(move || {
            let Ok((stream, _)) = listener.accept() else { return };
            stream.set_nodelay(true).unwrap();
            let client = stream.peer_addr().unwrap();
            let look = move || *seen.lock().unwrap() = Some(nodelay_of(client));
            match tls {
                None => serve(stream, &kept, look),
                Some(config) => {
                    std::thread::sleep(HANDSHAKE);
                    serve(StreamOwned::new(ServerConnection::new(config).unwrap(), stream), &kept, look);
                }
            }
        });
        Self { port, spans, nodelay }
    }
}

/// Whether the socket of this process that is bound to `address` has `TCP_NODELAY`.
fn nodelay_of(address: SocketAddr) -> Result<bool, Errno> {
    let process = pidfd_open(getpid(), PidfdFlags::empty())?;
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    for fd in open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()) {
        // A second handle, for a moment: the first is the engine's.
        let handle = match pidfd_getfd(&process, fd, PidfdGetfdFlags::empty()) {
            // Closed meanwhile.
            Err(Errno::BADF) => continue,
            handle => handle?,
        };
        let socket = SockRef::from(&handle);
        if socket.local_addr().is_ok_and(|local| local.as_socket() == Some(address)) {
            return Ok(socket.tcp_nodelay().unwrap());
        }
    }
    Err(Errno::NOENT)
}

/// Answers requests; `look` is called while the first is under way.
fn serve(mut stream: impl Read + Write, spans: &Mutex<Vec<Duration>>, look: impl FnOnce()) {
    let mut look = Some(look);
    let clock = Clock::start();
    let body = text("a") + STOP + DONE;
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut buffer = vec![0; 1 << 16];
    loop {
        let (mut request, mut first) = (Vec::new(), None);
        while !request.ends_with(b"}") {
            let Some(n) = stream.read(&mut buffer).ok().filter(|n| *n > 0) else { return };
            first.get_or_insert(clock.now());
            request.extend_from_slice(&buffer[..n]);
        }
        let last = clock.now();
        spans.lock().unwrap().extend(first.map(|first| last.since(first)));
        std::thread::sleep(THINKS);
        if let Some(look) = look.take() {
            look();
        }
        if stream.write_all((head.clone() + &body).as_bytes()).and_then(|()| stream.flush()).is_err() {
            return;
        }
    }
}
