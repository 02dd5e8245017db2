//! From an address to a usable connection: dial, tunnel, TLS.

use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::MaybeHttpsStream;
use measure::ErrorClass;
use rustls::ClientConfig;
use scenario::plan::{Endpoint, HttpVersion, Proxy, Scheme};

use super::dial::{TcpFailure, dial};
use super::proxy;
use super::socket::{StampedStream, Wire};
use super::stamps::Stamps;
use super::tls;
use crate::clock::Clock;
use crate::trace::{Step, Trace};

/// How a connection to the endpoint is made.
#[derive(Debug, Clone)]
pub(crate) struct Dial {
    pub(crate) endpoint: Endpoint,
    /// Name to verify and send as SNI.
    pub(crate) server_name: String,
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) http: HttpVersion,
    pub(crate) timeout: Duration,
    pub(crate) clock: Clock,
}

/// Why there is no connection.
#[derive(Debug)]
pub(crate) struct ConnectFailure {
    pub(crate) class: ErrorClass,
    pub(crate) message: String,
}

/// A connection, with the stamps of its socket.
pub(super) struct Connected {
    pub(super) wire: Wire,
    pub(super) stamps: Arc<Stamps>,
    pub(super) http: Spoken,
    pub(super) security: Security,
}

/// Whether TLS lies between the socket and HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    Plain,
    Tls,
}

/// The version of HTTP on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spoken {
    Http1,
    Http2,
}

impl Spoken {
    /// For people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http2 => "HTTP/2",
        }
    }
}

impl Dial {
    /// Connects, TLS included.
    pub(super) async fn connect(&self, trace: &Trace) -> Result<Connected, ConnectFailure> {
        let stamps = Arc::new(Stamps::default());
        let (host, port) = match &self.proxy {
            Some(proxy) => (proxy.host.as_str(), proxy.port),
            None => (self.endpoint.host.as_str(), self.endpoint.port),
        };
        let tcp = dial(host, port, trace).await.map_err(|failure| self.not_dialled(&failure))?;
        // Without it a small second write would wait 40 ms for the acknowledgement of the first.
        let _ = tcp.set_nodelay(true);
        let mut stream = StampedStream::new(tcp, Arc::clone(&stamps), self.clock);
        if let Some(proxy) = self.proxy.as_ref().filter(|_| !self.is_forwarded()) {
            stream = proxy::tunnel(proxy, &self.endpoint, stream).await?;
            trace.tell(|| Step::Tunnelled);
        }
        let wire = match self.endpoint.scheme {
            Scheme::Http => MaybeHttpsStream::Http(stream),
            Scheme::Https => tls::secure(&self.server_name, &self.tls, stream).await?,
        };
        let secured = tls::agreed(&wire);
        let security = if secured.is_some() { Security::Tls } else { Security::Plain };
        if let Some(secured) = &secured {
            let (version, alpn) = (secured.version.clone(), secured.alpn.clone());
            trace.tell(|| Step::Secured { version, alpn });
        }
        let alpn = secured.and_then(|secured| secured.alpn);
        Ok(Connected { wire, stamps, http: self.spoken(alpn.as_deref())?, security })
    }

    /// Whether plain requests are handed to the proxy itself, with the whole URL in the request line.
    pub(crate) fn is_forwarded(&self) -> bool {
        let plain = self.endpoint.scheme == Scheme::Http && self.http != HttpVersion::Two;
        self.proxy.is_some() && plain
    }

    /// Whether users may come to share connections.
    pub(super) fn may_share(&self) -> bool {
        match self.http {
            HttpVersion::One => false,
            HttpVersion::Two => true,
            HttpVersion::Auto => self.endpoint.scheme == Scheme::Https,
        }
    }

    fn spoken(&self, alpn: Option<&str>) -> Result<Spoken, ConnectFailure> {
        match (self.http, self.endpoint.scheme, alpn) {
            (HttpVersion::One, _, _) | (HttpVersion::Auto, Scheme::Http, _) => Ok(Spoken::Http1),
            (HttpVersion::Two, Scheme::Http, _) | (_, Scheme::Https, Some("h2")) => Ok(Spoken::Http2),
            (HttpVersion::Auto, Scheme::Https, _) => Ok(Spoken::Http1),
            (HttpVersion::Two, Scheme::Https, _) => Err(ConnectFailure {
                class: ErrorClass::ConnectFailed,
                message: "the server does not offer HTTP/2 over TLS (`http = \"2\"`)".to_owned(),
            }),
        }
    }

    pub(super) fn timed_out(&self) -> ConnectFailure {
        ConnectFailure {
            class: ErrorClass::TimeoutConnect,
            message: format!(
                "no {} to {}:{} within {:?} (timeouts.connect)",
                if self.may_share() { "HTTP/2 connection" } else { "connection" },
                self.endpoint.host,
                self.endpoint.port,
                self.timeout
            ),
        }
    }

    fn not_dialled(&self, failure: &TcpFailure) -> ConnectFailure {
        let message = match &self.proxy {
            Some(proxy) => format!("the proxy of `{}` cannot be reached: {failure}", proxy.source),
            None => failure.to_string(),
        };
        ConnectFailure { class: failure.class(), message }
    }
}
