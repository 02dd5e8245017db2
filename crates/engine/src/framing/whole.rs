//! An answer that is one JSON document: nothing to cut, only to collect.

use super::TooLarge;

/// Collects a body up to a limit.
#[derive(Debug)]
pub struct Whole {
    bytes: Vec<u8>,
    limit: usize,
}

impl Whole {
    /// Collects up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit }
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// When the body exceeds the limit.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.bytes.len() + bytes.len() > self.limit {
            return Err(TooLarge { limit: self.limit });
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// What was collected.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
