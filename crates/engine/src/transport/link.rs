//! What a user sends its requests through: a connection of its own, or a place on one that users share.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Request, Response};
use measure::sample::ArrivalClock;
use measure::{ErrorClass, Offset};

use super::connect::{Security, Spoken};
use super::http1::Http1;
use super::http2::{Place, is_unprocessed};
use super::stamps::{Departure, Stamps};
use crate::guard::Guard;

/// A usable connection.
pub(crate) struct Link {
    way: Way,
    stamps: Arc<Stamps>,
    departure: Departure,
    /// Bytes that had been read when the latest request was sent.
    bytes_before: u64,
    /// So many bytes say goodbye and no more.
    farewell: u64,
}

/// The record in which a side says that it closes (24 bytes in TLS 1.3, 31 in 1.2): no answer is so short.
const CLOSE_NOTIFY: u64 = 31;

pub(super) enum Way {
    Own(Http1),
    Shared(Place),
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
    pub(super) fn new(way: Way, stamps: Arc<Stamps>, security: Security) -> Self {
        let farewell = match security {
            Security::Plain => 0,
            Security::Tls => CLOSE_NOTIFY,
        };
        Self { way, stamps, departure: Departure::default(), bytes_before: 0, farewell }
    }

    /// The version of HTTP that is spoken.
    pub(crate) fn spoken(&self) -> Spoken {
        match self.way {
            Way::Own(_) => Spoken::Http1,
            Way::Shared(_) => Spoken::Http2,
        }
    }

    /// When the latest request departed.
    pub(crate) fn departed(&self) -> Option<Offset> {
        self.departure.at()
    }

    /// Arrival of what was read last, in answer to the latest request.
    pub(crate) fn arrival(&self) -> Offset {
        self.stamps.arrival_after(&self.departure)
    }

    /// The other side: the server, or the proxy.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.stamps.address()
    }

    /// What stamps the arrivals.
    pub(crate) fn clock(&self) -> ArrivalClock {
        self.stamps.clock()
    }

    /// Whether the connection is still usable.
    pub(crate) async fn is_alive(&mut self) -> bool {
        match &mut self.way {
            Way::Own(own) => own.is_alive().await,
            Way::Shared(place) => place.is_alive(),
        }
    }

    /// Whether a request that failed so, or so soon, was never looked at: the connection had died before it.
    pub(crate) fn was_dead(&self, error: &hyper::Error, soon: impl Fn(Offset) -> bool) -> bool {
        let was_soon = self.departure.at().is_none_or(soon);
        match &self.way {
            Way::Own(_) => self.stamps.bytes() - self.bytes_before <= self.farewell && was_soon,
            // Others may have read meanwhile; of this stream not even the head came.
            Way::Shared(place) => is_unprocessed(error) || (!place.is_alive() && was_soon),
        }
    }

    /// Sends a request and waits for the response head.
    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>, guard: &mut Guard) -> Sent {
        self.departure = self.stamps.arm();
        self.bytes_before = self.stamps.bytes();
        let sent = match &mut self.way {
            Way::Own(own) => {
                let response = own.send(request);
                own.drive(response, guard).await
            }
            Way::Shared(place) => {
                let response = place.send(request);
                guarded(response, guard).await
            }
        };
        match sent {
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
        match &mut self.way {
            Way::Own(own) => own.drive(future, guard).await,
            Way::Shared(_) => guarded(future, guard).await,
        }
    }
}

/// Waits for `future` or for a timeout; the connection drives itself.
async fn guarded<F: Future>(future: F, guard: &mut Guard) -> Result<F::Output, ErrorClass> {
    let mut future = pin!(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Ok(output)),
        Poll::Pending => guard.poll(cx).map(Err),
    })
    .await
}
