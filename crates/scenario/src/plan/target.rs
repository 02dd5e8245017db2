//! What is tested: address, protocol, keys, timeouts.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Api, Format, HttpVersion, Price, Proxy, Response};
use crate::Secret;
use crate::diagnostic::masked;

/// The endpoint under test and how to talk to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    /// Label for people.
    pub provider: Option<String>,
    /// The base URL as configured, without user info and with secret query values masked: for people and the result.
    pub base_url: String,
    /// Who answers: an address, or the built-in mock.
    pub server: Server,
    /// Which protocol is spoken.
    pub api: Api,
    /// How answers are read; present exactly when the api is a custom one.
    pub response: Option<Arc<Response>>,
    /// Model name sent in the body, if any.
    pub model: Option<String>,
    /// How a key is presented.
    pub auth: Auth,
    /// The keys, taken in turn per request. Empty: no auth header is sent.
    pub keys: Keys,
    /// Every header of the request but `host`, `content-length`, the request id and the auth header, in order, names lower-case.
    pub headers: Vec<Header>,
    /// Header that carries a fresh UUID per attempt, lower-case.
    pub request_id_header: String,
    /// One named timeout per phase.
    pub timeouts: Timeouts,
    /// How the server's certificate is checked.
    pub tls: Tls,
    /// What requests go through, if anything.
    pub proxy: Option<Proxy>,
    /// Which HTTP is spoken.
    pub http: HttpVersion,
    /// Whether a connection serves more than one request.
    pub keep_alive: bool,
    /// Largest single event accepted, in bytes.
    pub max_event_size: usize,
    /// Whether the bodies ask for a streamed answer.
    pub stream: bool,
    /// What its tokens cost, if that is known.
    pub price: Option<Price>,
    /// What must not be shown of the other side of an A/B run; never sent here.
    pub others_secrets: Vec<Secret>,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// A server at this address.
    At(Endpoint),
    /// The built-in mock, started inside the run; the text is what stood after `?` in `mock://?...`,
    /// the path is the api's own.
    Mock {
        /// Settings of the mock, as written.
        settings: String,
        /// Path (and query) to call on it.
        path: String,
    },
}

/// A resolved address: where to connect and what to ask for.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Plain or TLS.
    pub scheme: Scheme,
    /// Host name or IP literal, without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Origin-form request target: path and query.
    pub path: String,
}

/// Plain HTTP or HTTP over TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Plain.
    Http,
    /// TLS.
    Https,
}

/// How a key is presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auth {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// `x-api-key: KEY`.
    XApiKey,
    /// No auth header although keys may be configured.
    None,
}

/// Keys taken in turn, and where they came from (for messages; never the value).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// The bare keys, without scheme.
    pub values: Vec<Secret>,
    /// For people: "TAOTOKEN_API_KEY", "keys.txt (2 keys)", "scenario file".
    pub source: Option<String>,
}

/// One request header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Lower-case name.
    pub name: String,
    /// Value; secret because a user may put a key there.
    pub value: Secret,
    /// Whether the value must be masked where it is shown.
    pub masked: bool,
}

/// One named timeout per phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Resolution, TCP and TLS together, from `start`.
    pub connect: Duration,
    /// From `sent` to the first token event (not streamed: to the end of the answer).
    pub first_token: Duration,
    /// Without a byte, from the response head on.
    pub idle: Duration,
    /// Between token events, from the first on; pings do not count.
    pub stall: Option<Duration>,
    /// From `sent` to the end.
    pub total: Option<Duration>,
}

/// TLS settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// How the certificate is checked.
    pub verification: TlsVerification,
    /// Name to verify and send as SNI instead of the host.
    pub server_name: Option<String>,
}

/// How the server's certificate is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TlsVerification {
    /// Against the system's roots (and `SSL_CERT_FILE`).
    #[default]
    System,
    /// Against these roots as well.
    CaFile(PathBuf),
    /// Not at all; the report says so.
    Off,
}

impl Target {
    /// How a streamed answer is written.
    pub fn format(&self) -> Format {
        self.response.as_ref().map_or(self.api.format(), |response| response.format)
    }

    /// The address that requests go to, for people: secret query values masked.
    pub fn url(&self) -> String {
        match &self.server {
            Server::Mock { path, .. } => format!("mock://{path}"),
            Server::At(endpoint) => endpoint.url(),
        }
    }
}

impl Endpoint {
    /// `host` or `host:port` as in a URL: brackets around IPv6, the scheme's own port left out.
    pub fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match (self.scheme, self.port) {
            (Scheme::Http, 80) | (Scheme::Https, 443) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// The whole URL, for people: secret query values masked.
    pub fn url(&self) -> String {
        masked(&format!("{}://{}{}", self.scheme.name(), self.authority(), self.path))
    }

    /// Whether the host is this machine by name or address.
    pub fn is_loopback(&self) -> bool {
        let address = self.host.parse::<std::net::IpAddr>();
        self.host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url())
    }
}

impl Scheme {
    /// As in a URL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}
