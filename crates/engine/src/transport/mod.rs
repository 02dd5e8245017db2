//! Bytes to and from the endpoint: dialling, proxies, TLS, stamps at the socket; a kept-alive connection per user in
//! HTTP/1.1, shared ones in HTTP/2.

mod connect;
mod dial;
mod http1;
mod http2;
mod kernel;
mod lines;
mod link;
mod proxy;
mod ready;
mod socket;
mod stamps;
mod tls;

pub(crate) use connect::{Dial, Spoken};
pub(crate) use lines::{Lines, Reuse, Taken};
pub(crate) use link::{Link, Sent};
pub(crate) use proxy::authorization;
pub(crate) use tls::client_config;
