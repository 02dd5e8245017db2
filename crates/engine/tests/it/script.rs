//! A server that writes exactly the bytes it is told, when it is told: it parses nothing but where a request ends.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::Clock;
use measure::Offset;

/// One thing the server does after it has read a request.
#[derive(Clone)]
pub(crate) enum Step {
    /// Writes bytes.
    Write(Vec<u8>),
    /// Waits so many milliseconds.
    Wait(u64),
    /// Waits until so many milliseconds after the request was read.
    At(u64),
    /// Ends the connection in order.
    Close,
    /// Ends the connection by a reset.
    Reset,
    /// Keeps the connection open without a byte until the client is gone.
    Hold,
}

/// What a running script has seen.
pub(crate) struct Script {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
    /// What the server's stamps are read from.
    pub(crate) clock: Clock,
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    requests: Vec<String>,
    /// Per request: when each write began.
    writes: Vec<Vec<Offset>>,
}

impl Script {
    /// Every request is answered by the same steps.
    pub(crate) fn always(steps: Vec<Step>) -> Self {
        Self::each(move |_| steps.clone())
    }

    /// The `n`-th request (from 0) is answered by `steps(n)`.
    pub(crate) fn each(steps: impl Fn(usize) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), steps)
    }

    /// As [`Self::each`], on a socket of the test's own.
    pub(crate) fn on(
        listener: TcpListener,
        steps: impl Fn(usize) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let log = Arc::new(Mutex::new(Log::default()));
        let clock = Clock::start();
        let (steps, seen, kept) = (Arc::new(steps), Arc::clone(&connections), Arc::clone(&log));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                seen.fetch_add(1, Ordering::SeqCst);
                let (steps, log) = (Arc::clone(&steps), Arc::clone(&kept));
                std::thread::spawn(move || serve(stream, clock, &*steps, &log));
            }
        });
        Self { port, connections, clock, log }
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Heads and bodies, as they came.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.log.lock().unwrap().requests.clone()
    }

    /// When each write of the `n`-th answer began, by `clock`: the head is a write of its own.
    pub(crate) fn writes(&self, n: usize) -> Vec<Offset> {
        self.log.lock().unwrap().writes[n].clone()
    }
}

fn serve(mut stream: TcpStream, clock: Clock, steps: &dyn Fn(usize) -> Vec<Step>, log: &Mutex<Log>) {
    let _ = stream.set_nodelay(true);
    while let Some(request) = read_request(&mut stream) {
        let read = clock.now();
        let n = {
            let mut log = log.lock().unwrap();
            log.requests.push(request);
            log.writes.push(Vec::new());
            log.requests.len() - 1
        };
        for step in steps(n) {
            match step {
                Step::Write(bytes) => {
                    log.lock().unwrap().writes[n].push(clock.now());
                    if stream.write_all(&bytes).is_err() {
                        return;
                    }
                }
                Step::At(ms) => {
                    std::thread::sleep(Duration::from_millis(ms).saturating_sub(clock.now().since(read)));
                }
                Step::Wait(ms) => std::thread::sleep(Duration::from_millis(ms)),
                Step::Close => return,
                Step::Reset => {
                    // An unread byte in the receive buffer would do it too; linger zero does it by order.
                    let socket = socket2::SockRef::from(&stream);
                    let _ = socket.set_linger(Some(Duration::ZERO));
                    return;
                }
                Step::Hold => {
                    let _ = stream.read(&mut [0; 1]);
                    return;
                }
            }
        }
    }
}

fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(head) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
            let length =
                text.split("content-length: ").nth(1)?.split("\r\n").next()?.parse::<usize>().ok()?;
            if bytes.len() >= head + 4 + length {
                return Some(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
        }
    }
}

/// A chunked event stream: the head, then each piece as one chunk.
pub(crate) fn stream(pieces: &[&str]) -> Vec<Step> {
    let mut steps = vec![write(&head("text/event-stream"))];
    steps.extend(pieces.iter().map(|piece| write(&chunk(piece))));
    steps.push(write("0\r\n\r\n"));
    steps
}

/// A chunked event stream in which each piece is written so many milliseconds after the request was read; the head
/// comes with the first piece, the end of the body with the last.
pub(crate) fn timeline(rows: &[(u64, String)]) -> Vec<Step> {
    let mut steps: Vec<Step> = rows.first().map(|(at, _)| Step::At(*at)).into_iter().collect();
    steps.push(write(&head("text/event-stream")));
    steps.extend(rows.iter().flat_map(|(at, piece)| [Step::At(*at), write(&chunk(piece))]));
    steps.push(write("0\r\n\r\n"));
    steps
}

/// The head of a chunked answer.
pub(crate) fn head(content_type: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ntransfer-encoding: chunked\r\n\r\n")
}

/// A whole answer with a length.
pub(crate) fn whole(status: &str, content_type: &str, extra: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n{extra}content-length: {length}\r\n\r\n"
    );
    vec![write(&(head + body))]
}

pub(crate) fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

pub(crate) fn write(text: &str) -> Step {
    Step::Write(text.as_bytes().to_vec())
}

/// An OpenAI chunk with text.
pub(crate) fn text(text: &str) -> String {
    delta(&format!("{{\"content\":{}}}", serde_json::to_string(text).unwrap()))
}

/// An OpenAI chunk with a delta as it stands.
pub(crate) fn delta(delta: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n")
}

/// An OpenAI chunk that ends the answer.
pub(crate) fn finish(reason: &str) -> String {
    STOP.replace("\"stop\"", &format!("\"{reason}\""))
}

/// An Anthropic event.
pub(crate) fn typed(kind: &str, data: &str) -> String {
    format!("event: {kind}\ndata: {data}\n\n")
}

/// An event with data as it stands: Dify's.
pub(crate) fn data(data: &str) -> String {
    format!("data: {data}\n\n")
}

pub(crate) const ROLE: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
pub(crate) const STOP: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// An OpenAI usage chunk.
pub(crate) fn usage(output: u64) -> String {
    format!("data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":10,\"completion_tokens\":{output}}}}}\n\n")
}
