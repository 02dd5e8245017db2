//! Where a user gets its connection from: a fresh one in HTTP/1.1; in HTTP/2 a place on one of the worker's, and a further
//! connection when the server's limit of streams is reached.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::time::timeout;

use super::connect::{ConnectFailure, Connected, Dial, Security, Spoken};
use super::http1::Http1;
use super::http2::Http2;
use super::link::{Link, Way};
use super::stamps::Stamps;
use crate::trace::{Step, Trace};
use measure::ErrorClass;

/// The connections that the users of one worker share.
#[derive(Default)]
pub(crate) struct Lines {
    shared: RefCell<Vec<Shared>>,
    /// One user dials, the others wait for what comes of it.
    dialling: Mutex<()>,
    /// What the server was found to speak.
    spoken: Cell<Option<Spoken>>,
}

struct Shared {
    connection: Rc<Http2>,
    stamps: Arc<Stamps>,
    security: Security,
}

/// A link, and whether it cost a wait.
pub(crate) enum Taken {
    /// The user waited for it.
    Fresh(Link),
    /// It was there.
    Reused(Link),
}

impl Lines {
    /// A link to the endpoint, within the time for connecting.
    pub(crate) async fn take(
        &self,
        dial: &Dial,
        reuse: Reuse,
        trace: &Trace,
    ) -> Result<Taken, ConnectFailure> {
        timeout(dial.timeout, self.find(dial, reuse, trace)).await.unwrap_or_else(|_| Err(dial.timed_out()))
    }

    async fn find(&self, dial: &Dial, reuse: Reuse, trace: &Trace) -> Result<Taken, ConnectFailure> {
        let shares = dial.may_share() && self.spoken.get() != Some(Spoken::Http1) && reuse == Reuse::Allowed;
        if !shares {
            return Ok(Taken::Fresh(self.connect(dial, reuse, trace).await?));
        }
        if let Some(link) = self.place() {
            return Ok(Taken::Reused(link));
        }
        let turn = self.dialling.lock().await;
        if let Some(link) = self.place() {
            return Ok(Taken::Fresh(link));
        }
        if self.spoken.get() == Some(Spoken::Http1) {
            drop(turn);
        }
        Ok(Taken::Fresh(self.connect(dial, reuse, trace).await?))
    }

    async fn connect(&self, dial: &Dial, reuse: Reuse, trace: &Trace) -> Result<Link, ConnectFailure> {
        let connected = dial.connect(trace).await?;
        self.spoken.set(Some(connected.http));
        let link = match connected.http {
            Spoken::Http1 => own(connected).await?,
            Spoken::Http2 => self.share(connected, reuse).await?,
        };
        trace.tell(|| Step::Usable { http: link.spoken().name() });
        Ok(link)
    }

    async fn share(&self, connected: Connected, reuse: Reuse) -> Result<Link, ConnectFailure> {
        let (stamps, security) = (Arc::clone(&connected.stamps), connected.security);
        let connection = Http2::open(connected).await?;
        let shared = Shared { connection, stamps, security };
        let link = shared.place().ok_or_else(|| ConnectFailure {
            class: ErrorClass::ConnectFailed,
            message: "the server ended the connection before its first stream".to_owned(),
        })?;
        // A connection for one request ends with its place.
        if reuse == Reuse::Allowed {
            self.shared.borrow_mut().push(shared);
        }
        Ok(link)
    }

    /// A free place on a connection that is there.
    fn place(&self) -> Option<Link> {
        let mut shared = self.shared.borrow_mut();
        shared.retain(|one| one.connection.is_open());
        shared.iter().find_map(Shared::place)
    }
}

impl Shared {
    fn place(&self) -> Option<Link> {
        let place = self.connection.place()?;
        Some(Link::new(Way::Shared(place), Arc::clone(&self.stamps), self.security))
    }
}

/// Whether a connection may serve more than one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// As many as it can.
    Allowed,
    /// One request, one connection.
    Never,
}

async fn own(connected: Connected) -> Result<Link, ConnectFailure> {
    let security = connected.security;
    let http1 = Http1::open(connected.wire)
        .await
        .map_err(|error| ConnectFailure { class: ErrorClass::ConnectFailed, message: error.to_string() })?;
    Ok(Link::new(Way::Own(http1), connected.stamps, security))
}
