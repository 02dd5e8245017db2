//! `[target]`: from keys to an address, a protocol, headers, keys and timeouts.

mod api;
mod headers;
mod key;
mod keys;
mod proxy;
mod response;
mod server;
mod settings;
mod timeouts;
mod tls;
mod url;

pub(crate) use settings::{Usage, read};
pub(crate) use timeouts::longest;
