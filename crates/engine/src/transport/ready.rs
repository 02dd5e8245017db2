//! A connector for layers that want to connect themselves: it hands over a stream that is already there.

use std::future::{Ready as Now, ready};
use std::io;
use std::task::{Context, Poll};

use hyper::Uri;
use tower_service::Service;

use super::socket::StampedStream;

/// One stream, for the one call to come.
pub(super) struct Ready(Option<StampedStream>);

impl Ready {
    pub(super) fn with(stream: StampedStream) -> Self {
        Self(Some(stream))
    }
}

impl Service<Uri> for Ready {
    type Response = StampedStream;
    type Error = io::Error;
    type Future = Now<io::Result<StampedStream>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        ready(self.0.take().ok_or_else(|| io::Error::other("the stream was handed over before")))
    }
}
