//! One HTTP/1.1 connection. Its future is driven in the user's own task, by whoever waits for something from it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::Poll;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::{Request, Response};
use measure::ErrorClass;

use super::socket::Wire;
use crate::guard::Guard;

/// A connection of one user.
pub(super) struct Http1 {
    sender: SendRequest<Full<Bytes>>,
    connection: Pin<Box<Connection<Wire, Full<Bytes>>>>,
    closed: bool,
}

impl Http1 {
    /// Prepares HTTP on a fresh connection; nothing is sent yet.
    pub(super) async fn open(wire: Wire) -> Result<Self, hyper::Error> {
        let (sender, connection) = http1::handshake(wire).await?;
        Ok(Self { sender, connection: Box::pin(connection), closed: false })
    }

    /// Whether the connection is still usable: looks at the socket once, so that a close that came while the user was
    /// thinking is noticed before a request is spent on it.
    pub(super) async fn is_alive(&mut self) -> bool {
        poll_fn(|cx| {
            self.closed = self.closed || self.connection.as_mut().poll(cx).is_ready();
            Poll::Ready(())
        })
        .await;
        !self.closed && self.sender.is_ready()
    }

    /// The response to come; [`Self::drive`] makes it come.
    pub(super) fn send(
        &mut self,
        request: Request<Full<Bytes>>,
    ) -> impl Future<Output = hyper::Result<Response<Incoming>>> + use<> {
        self.sender.send_request(request)
    }

    /// Waits for `future`, which depends on this connection, or for a timeout.
    pub(super) async fn drive<F: Future>(
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
