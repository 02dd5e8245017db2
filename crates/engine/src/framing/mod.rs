//! Bytes in, events out: no I/O and no clock. The events do not depend on where the bytes were cut.

mod ndjson;
mod residue;
mod sse;
mod whole;

pub use ndjson::Ndjson;
pub use sse::{Event, Sse};
pub use whole::Whole;

/// One event is larger than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one event is larger than {limit} bytes (`target.max_event_size`)")]
pub struct TooLarge {
    /// The limit in bytes.
    pub limit: usize,
}
