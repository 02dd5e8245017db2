//! What is sent: a body for every request, rendered ahead wherever it does not differ per request.

use bytes::Bytes;

/// The bodies of a run. Cheap to clone: shared by every worker.
#[derive(Debug, Clone)]
pub struct Bodies {
    // filled in by the template and data modules
}

/// A body could not be rendered for a row of the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {row} of the data cannot be rendered into the body: {reason}")]
pub struct BodyError {
    /// 1-based row of the data.
    pub row: usize,
    /// What the template engine said.
    pub reason: String,
}

impl Bodies {
    /// Body of the `seq`-th request of the run (0-based), which carries `request_id`.
    ///
    /// # Errors
    /// When the template fails for this row (every row was rendered once when the file was read, so this is rare).
    pub fn body(&self, _seq: u64, _request_id: &str) -> Result<Bytes, BodyError> {
        Ok(Bytes::new())
    }
}
