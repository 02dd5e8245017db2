//! The server's thread: its own runtime, its listener, one task per connection.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use thiserror::Error;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::config::Config;
use crate::http::{Connection, KeepAlive, ReadError, Reply, ask_for_stamps};
use crate::ledger::{LedgerSnapshot, Row};
use crate::problem::Problem;
use crate::protocol::Protocol;
use crate::route;
use crate::state::State;

/// A running mock server. It stops, open streams included, when this is dropped.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    state: Arc<State>,
    /// Dropping it tells the thread to stop.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Why a mock server could not start.
#[derive(Debug, Error)]
pub enum StartError {
    /// The port is taken, or may not be used.
    #[error("the mock server cannot listen on 127.0.0.1:{port}: {source}")]
    Listen {
        /// The port asked for; 0 is any.
        port: u16,
        /// What the system said.
        source: io::Error,
    },
    /// No thread or no runtime for it.
    #[error("the mock server's thread cannot start: {0}")]
    Thread(#[source] io::Error),
}

impl Server {
    /// Starts a server on 127.0.0.1, on a thread of its own; port 0 is any free one.
    ///
    /// # Errors
    /// When the port cannot be listened on, or the thread cannot be started.
    pub fn start(config: Config, port: u16) -> Result<Self, StartError> {
        let state = Arc::new(State::new(config));
        let (stop, stopped) = oneshot::channel();
        let (started, starting) = mpsc::sync_channel(1);
        let shared = Arc::clone(&state);
        let thread = std::thread::Builder::new()
            .name("mock".to_owned())
            .spawn(move || run(shared, port, &started, stopped))
            .map_err(StartError::Thread)?;
        let gone = |_| StartError::Thread(io::Error::other("it ended before it listened"));
        let addr = starting.recv().map_err(gone)??;
        Ok(Self { addr, state, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// What it did since its start or the last reset.
    pub fn ledger(&self) -> LedgerSnapshot {
        let excerpt = self.state.ledger().excerpt();
        excerpt.snapshot()
    }

    /// The newest `most` rows of the ledger, oldest first.
    pub fn rows(&self, most: usize) -> Vec<Arc<Row>> {
        self.state.ledger().newest(most)
    }

    /// Empties the ledger. Requests that are open now enter it when they end.
    pub fn reset_ledger(&self) {
        self.state.ledger().reset();
    }

    /// Blocks for as long as the server runs.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already reported by the panic hook.
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread: listens, says so, accepts until told to stop.
fn run(
    state: Arc<State>,
    port: u16,
    started: &mpsc::SyncSender<Result<SocketAddr, StartError>>,
    stopped: oneshot::Receiver<()>,
) {
    // The other side is still waiting: it hears exactly one answer.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(source) => return drop(started.send(Err(StartError::Thread(source)))),
    };
    runtime.block_on(async {
        let listening = listen(port).and_then(|listener| Ok((listener.local_addr()?, listener)));
        match listening {
            Ok((addr, listener)) => {
                let _ = started.send(Ok(addr));
                accept_until(stopped, &listener, &state).await;
            }
            Err(source) => drop(started.send(Err(StartError::Listen { port, source }))),
        }
    });
}

/// A listener with room for a thousand users who connect at once.
fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    ask_for_stamps(&socket);
    socket.listen(BACKLOG)
}

/// Serves connections until `stopped`; the ones still open then are cut.
async fn accept_until(mut stopped: oneshot::Receiver<()>, listener: &TcpListener, state: &Arc<State>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(serve(stream, Arc::clone(state)))),
                // Out of descriptors, most likely: closing connections give some back.
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves one connection until either side closes it.
async fn serve(stream: TcpStream, state: Arc<State>) {
    state.ledger().connected();
    let mut connection = Connection::new(stream, state.clock);
    loop {
        let request = match connection.read_request().await {
            Ok(request) => request,
            Err(error) => return refuse(error, &mut connection, &state).await,
        };
        let keep_alive = request.head.keep_alive;
        let served = route::serve(&state, &mut connection, request).await;
        if served.is_err() || keep_alive == KeepAlive::Close {
            return;
        }
    }
}

/// Answers what is not a request, unless there is nobody left to answer.
async fn refuse(error: ReadError, connection: &mut Connection, state: &State) {
    let problem = match error {
        ReadError::Ended => return,
        ReadError::Malformed => Problem::NotHttp,
        ReadError::TooLarge => Problem::TooLarge,
    };
    let reply = Reply {
        status: problem.status(),
        keep_alive: KeepAlive::Close,
        date: state.clock.http_date(),
        request_id: None,
        retry_after: None,
    };
    // The connection is closed next, whether the client reads this or not.
    let _ = connection.write(&reply.json(&Protocol::OpenAiChat.error(&problem))).await;
}

const BACKLOG: u32 = 4096;
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);
