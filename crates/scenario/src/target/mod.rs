//! `[target]` and `[target.b]`: from keys to an address, a protocol, headers, keys and timeouts.

mod api;
mod headers;
mod key;
mod keys;
mod other;
mod overlay;
mod price;
mod proxy;
mod response;
mod server;
mod settings;
mod timeouts;
mod tls;
mod url;

pub(crate) use other::read_other;
pub(crate) use settings::{Settings, Usage, read};
pub(crate) use timeouts::longest;
