//! Bytes to and from the endpoint: connecting, TLS, stamps at the socket, one kept-alive connection per user.

mod connect;
mod kernel;
mod link;
mod socket;
mod tls;

pub(crate) use connect::Dial;
pub(crate) use link::{Link, Sent};
pub(crate) use tls::client_config;
