//! From an address to a usable connection: resolve, dial each address in turn, TLS.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_rustls::HttpsConnector;
use measure::ErrorClass;
use rustls::ClientConfig;
use scenario::plan::{Endpoint, Scheme};
use tokio::net::{TcpStream, lookup_host};
use tower_service::Service;

use super::socket::{StampedStream, Stamps, Wire};
use crate::clock::Clock;

/// How a connection to the endpoint is made.
#[derive(Debug, Clone)]
pub(crate) struct Dial {
    pub(crate) endpoint: Endpoint,
    /// Name to verify and send as SNI.
    pub(crate) server_name: String,
    pub(crate) tls: Arc<ClientConfig>,
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
pub(crate) struct Connected {
    pub(crate) wire: Wire,
    pub(crate) stamps: Arc<Stamps>,
}

impl Dial {
    /// Connects, TLS included, within the timeout.
    pub(crate) async fn connect(&self) -> Result<Connected, ConnectFailure> {
        let stamps = Arc::new(Stamps::default());
        let tcp = TcpConnector {
            host: self.endpoint.host.clone(),
            port: self.endpoint.port,
            stamps: Arc::clone(&stamps),
            clock: self.clock,
        };
        let mut connector = HttpsConnector::from((tcp, Arc::clone(&self.tls)));
        let uri = self.uri()?;
        match tokio::time::timeout(self.timeout, connector.call(uri)).await {
            Ok(Ok(wire)) => Ok(Connected { wire, stamps }),
            Ok(Err(error)) => Err(ConnectFailure::of(error.as_ref())),
            Err(_) => Err(ConnectFailure {
                class: ErrorClass::TimeoutConnect,
                message: format!(
                    "no connection to {}:{} within {:?} (timeouts.connect)",
                    self.endpoint.host, self.endpoint.port, self.timeout
                ),
            }),
        }
    }

    /// What the TLS layer goes by: the scheme and the name to verify. The address is the TCP connector's own.
    fn uri(&self) -> Result<Uri, ConnectFailure> {
        let scheme = match self.endpoint.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        let name = match self.server_name.contains(':') {
            true => format!("[{}]", self.server_name),
            false => self.server_name.clone(),
        };
        format!("{scheme}://{name}/").parse().map_err(|error| ConnectFailure {
            class: ErrorClass::Tls,
            message: format!("`{name}` is not a name that a certificate can carry: {error}"),
        })
    }
}

impl ConnectFailure {
    fn of(error: &(dyn std::error::Error + 'static)) -> Self {
        if let Some(failed) = error.downcast_ref::<TcpFailure>() {
            return Self { class: failed.class(), message: failed.to_string() };
        }
        match tls_error(error) {
            Some(rustls::Error::InvalidCertificate(reason)) => Self {
                class: ErrorClass::Tls,
                message: format!(
                    "the server's certificate is not accepted: {reason}; \
                     a private CA goes into `[target.tls] ca_file`"
                ),
            },
            Some(other) => Self {
                class: ErrorClass::ConnectFailed,
                message: format!("the TLS handshake failed: {other}"),
            },
            None => Self { class: ErrorClass::ConnectFailed, message: format!("no connection: {error}") },
        }
    }
}

/// The TLS error inside an error: each layer wraps it in an `io::Error` of its own.
fn tls_error<'a>(mut error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    loop {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return Some(tls);
        }
        error = error.downcast_ref::<io::Error>()?.get_ref()?;
    }
}

/// Dials the endpoint whatever the URI says: the URI carries the name to verify.
#[derive(Debug, Clone)]
struct TcpConnector {
    host: String,
    port: u16,
    stamps: Arc<Stamps>,
    clock: Clock,
}

#[derive(Debug, thiserror::Error)]
enum TcpFailure {
    #[error("`{host}` cannot be resolved: {error}")]
    Dns { host: String, error: io::Error },
    #[error("no connection to {address}: {error}")]
    Dial { address: SocketAddr, error: io::Error },
}

impl TcpFailure {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Dns { .. } => ErrorClass::Dns,
            Self::Dial { error, .. } => match error.raw_os_error().map(nix::errno::Errno::from_raw) {
                // This machine's own shortage: descriptors, ports, socket memory.
                Some(
                    nix::errno::Errno::EMFILE
                    | nix::errno::Errno::ENFILE
                    | nix::errno::Errno::EADDRNOTAVAIL
                    | nix::errno::Errno::ENOBUFS
                    | nix::errno::Errno::ENOMEM,
                ) => ErrorClass::ClientResource,
                _ => ErrorClass::ConnectFailed,
            },
        }
    }
}

impl Service<Uri> for TcpConnector {
    type Response = StampedStream;
    type Error = TcpFailure;
    type Future = Pin<Box<dyn Future<Output = Result<StampedStream, TcpFailure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TcpFailure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let stream = dial(&this.host, this.port).await?;
            // Without it a small second write would wait 40 ms for the acknowledgement of the first.
            let _ = stream.set_nodelay(true);
            Ok(StampedStream::new(stream, this.stamps, this.clock))
        })
    }
}

/// Tries each address of the host in turn: `localhost` may name an address that nobody listens on.
async fn dial(host: &str, port: u16) -> Result<TcpStream, TcpFailure> {
    let dns = |error| TcpFailure::Dns { host: host.to_owned(), error };
    let mut failure = None;
    for address in lookup_host((host, port)).await.map_err(dns)? {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = failure.or(Some(TcpFailure::Dial { address, error })),
        }
    }
    Err(failure.unwrap_or_else(|| dns(io::Error::other("the name has no address"))))
}
