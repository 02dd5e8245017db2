//! One HTTP/1.1 connection. Its future is driven in the user's own task, by whoever waits for something from it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};

use super::connect::Connected;
use super::socket::{Stamps, Wire};
use crate::guard::Guard;
use measure::ErrorClass;

/// A usable connection.
pub(crate) struct Link {
    sender: SendRequest<Full<Bytes>>,
    connection: Pin<Box<Connection<Wire, Full<Bytes>>>>,
    closed: bool,
    stamps: Arc<Stamps>,
}

/// What came of sending a request.
pub(crate) enum Sent {
    /// The response head is complete.
    Head(Response<Incoming>),
    /// The connection failed.
    Failed(hyper::Error),
    /// A timeout named so struck.
    TimedOut(ErrorClass),
}

impl Link {
    /// Prepares HTTP on a fresh connection; nothing is sent yet.
    pub(crate) async fn open(connected: Connected) -> Result<Self, hyper::Error> {
        let (sender, connection) = http1::handshake(connected.wire).await?;
        Ok(Self { sender, connection: Box::pin(connection), closed: false, stamps: connected.stamps })
    }

    /// The stamps of the socket.
    pub(crate) fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    /// Whether the connection is still usable: looks at the socket once, so that a close that came while the user was
    /// thinking is noticed before a request is spent on it.
    pub(crate) async fn is_alive(&mut self) -> bool {
        poll_fn(|cx| {
            self.closed = self.closed || self.connection.as_mut().poll(cx).is_ready();
            Poll::Ready(())
        })
        .await;
        !self.closed && self.sender.is_ready()
    }

    /// Sends a request and waits for the response head.
    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>, guard: &mut Guard) -> Sent {
        self.stamps.arm();
        let response = self.sender.send_request(request);
        match self.drive(response, guard).await {
            Ok(Ok(head)) => Sent::Head(head),
            Ok(Err(error)) => Sent::Failed(error),
            Err(class) => Sent::TimedOut(class),
        }
    }

    /// Waits for `future`, which depends on this connection, or for a timeout.
    pub(crate) async fn drive<F: Future>(
        &mut self,
        future: F,
        guard: &mut Guard,
    ) -> Result<F::Output, ErrorClass> {
        let mut future = pin!(future);
        poll_fn(|cx| {
            if !self.closed {
                self.closed = self.connection.as_mut().poll(cx).is_ready();
            }
            match future.as_mut().poll(cx) {
                Poll::Ready(output) => Poll::Ready(Ok(output)),
                Poll::Pending => guard.poll(cx).map(Err),
            }
        })
        .await
    }
}
