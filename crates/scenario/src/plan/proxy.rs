//! What lies between this machine and the endpoint, and which HTTP is spoken to it.

use crate::Secret;

/// A proxy, spoken to in plain HTTP: plain requests are handed to it, TLS goes through a tunnel (`CONNECT`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Host name or IP literal, without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// `user:password` for `Proxy-Authorization: Basic`.
    pub user_info: Option<Secret>,
    /// Who named it: `target.proxy`, or the environment's variable.
    pub source: String,
}

impl Proxy {
    /// For people: without user and password.
    pub fn shown(&self) -> String {
        match self.host.contains(':') {
            true => format!("http://[{}]:{}", self.host, self.port),
            false => format!("http://{}:{}", self.host, self.port),
        }
    }
}

/// Which version of HTTP is spoken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1: a connection per user.
    #[default]
    One,
    /// HTTP/2: users share connections, as many as the server's limit of streams asks for. Without TLS by prior knowledge.
    Two,
    /// Over TLS what the server prefers of the two; without TLS HTTP/1.1.
    Auto,
}
