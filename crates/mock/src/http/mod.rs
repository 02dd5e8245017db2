//! The HTTP/1.1 that the mock needs, written by hand so that every read, write and stamp is in view.

mod arrival;
mod chunked;
mod connection;
mod head;
mod reply;

pub(crate) use self::arrival::ask_for_stamps;
pub(crate) use self::connection::{Connection, Gone, ReadError};
pub(crate) use self::head::{Head, KeepAlive};
pub(crate) use self::reply::{Framing, Reply};

use crate::clock::Stamp;

/// One request, read to its last byte.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
    /// Arrival of the last byte.
    pub(crate) received: Stamp,
}
