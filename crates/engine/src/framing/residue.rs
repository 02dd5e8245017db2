//! What belongs to no event: kept up to a limit, so that an error written without any framing is still found.

/// Bytes that are kept; more are counted, not kept.
const LIMIT: usize = 64 * 1024;

/// Lines that are none of the format's.
#[derive(Debug, Default)]
pub(super) struct Residue(Vec<u8>);

impl Residue {
    /// Keeps a line, as far as there is room.
    pub(super) fn keep(&mut self, line: &[u8]) {
        let room = LIMIT.saturating_sub(self.0.len());
        self.0.extend_from_slice(&line[..line.len().min(room)]);
        if room > line.len() {
            self.0.push(b'\n');
        }
    }

    /// The lines, each followed by LF.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
