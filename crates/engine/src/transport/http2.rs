//! HTTP/2 connections that users share: each is driven by a task of its own on the worker's thread, and holds as many
//! streams as the server allows.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Poll, Waker};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, Connection, SendRequest};
use hyper::rt::Executor;
use hyper::{Request, Response};
use tokio::task::spawn_local;

use super::connect::{ConnectFailure, Connected};
use super::socket::Wire;
use measure::ErrorClass;

/// Flow-control windows: wide enough that no stream of tokens ever waits for us to open them.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 64 << 20;

/// The connection's own future while it runs. Kept where its limit of streams can be asked for; gone with its end, or
/// requests would be taken that nobody sends.
type Driver = Rc<RefCell<Option<Connection<Wire, Full<Bytes>, Tasks>>>>;

/// A connection that users share.
pub(super) struct Http2 {
    sender: SendRequest<Full<Bytes>>,
    driver: Driver,
    /// Users that hold a place for a stream.
    places: Cell<usize>,
}

/// A user's place for one stream at a time.
pub(super) struct Place {
    connection: Rc<Http2>,
    sender: SendRequest<Full<Bytes>>,
}

impl Http2 {
    /// Prepares HTTP/2 on a fresh connection, and waits for the server's settings: they say how many streams it takes.
    pub(super) async fn open(connected: Connected) -> Result<Rc<Self>, ConnectFailure> {
        connected.stamps.share();
        let tasks = Tasks::default();
        let (sender, connection) = Builder::new(tasks.clone())
            .initial_max_send_streams(UNKNOWN)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .handshake(connected.wire)
            .await
            .map_err(|error| not_spoken(&error.to_string()))?;
        let driver = Rc::new(RefCell::new(Some(connection)));
        // It ends with the last sender, or with the connection.
        spawn_local(drive(Rc::clone(&driver), tasks.clone()));
        let this = Self { sender, driver, places: Cell::new(0) };
        tasks.until(|| this.streams() != UNKNOWN || this.sender.is_closed()).await;
        match this.sender.is_closed() {
            true => Err(not_spoken("it ended the connection before its settings")),
            false => Ok(Rc::new(this)),
        }
    }

    /// A place on the connection, unless it is full or at its end.
    pub(super) fn place(self: &Rc<Self>) -> Option<Place> {
        if !self.is_open() || self.places.get() >= self.streams() {
            return None;
        }
        self.places.set(self.places.get() + 1);
        Some(Place { connection: Rc::clone(self), sender: self.sender.clone() })
    }

    pub(super) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// How many streams the server allows.
    fn streams(&self) -> usize {
        self.driver.borrow().as_ref().map_or(UNKNOWN, Connection::current_max_send_streams)
    }
}

async fn drive(driver: Driver, tasks: Tasks) {
    poll_fn(|cx| {
        let mut connection = driver.borrow_mut();
        let ended = connection.as_mut().is_none_or(|connection| Pin::new(connection).poll(cx).is_ready());
        if ended {
            *connection = None;
            tasks.tell();
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

impl Place {
    pub(super) fn is_alive(&self) -> bool {
        self.connection.is_open()
    }

    /// The response to come.
    pub(super) fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> impl Future<Output = hyper::Result<Response<Incoming>>> + use<> {
        self.sender.send_request(request)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connection.places.set(self.connection.places.get() - 1);
    }
}

/// Whether the request never reached the server, or came after the last one that a departing server still answers. A stream
/// that it refuses was looked at, and is an answer.
pub(super) fn is_unprocessed(error: &hyper::Error) -> bool {
    if error.is_canceled() {
        return true;
    }
    let h2 = std::error::Error::source(error).and_then(|source| source.downcast_ref::<h2::Error>());
    h2.is_some_and(|error| {
        error.is_remote() && error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR)
    })
}

/// No server's limit: its settings have not come yet.
const UNKNOWN: usize = 0;

fn not_spoken(reason: &str) -> ConnectFailure {
    ConnectFailure {
        class: ErrorClass::ConnectFailed,
        message: format!("the server does not speak HTTP/2 here (`http = \"2\"`): {reason}"),
    }
}

/// Runs the tasks of a connection on the worker's thread, and tells one waiter when they did something.
#[derive(Clone, Default)]
struct Tasks(Rc<RefCell<Option<Waker>>>);

impl Tasks {
    /// Something was done: whoever waits may look.
    fn tell(&self) {
        if let Some(waker) = self.0.take() {
            waker.wake();
        }
    }

    /// Waits until something about the connection holds.
    async fn until(&self, holds: impl Fn() -> bool) {
        poll_fn(|cx| {
            if holds() {
                return Poll::Ready(());
            }
            self.0.replace(Some(cx.waker().clone()));
            Poll::Pending
        })
        .await;
    }
}

impl<F: Future + 'static> Executor<F> for Tasks {
    fn execute(&self, task: F) {
        let waiter = self.clone();
        spawn_local(async move {
            let mut task = pin!(task);
            poll_fn(|cx| {
                let polled = task.as_mut().poll(cx).map(|_| ());
                waiter.tell();
                polled
            })
            .await;
        });
    }
}
