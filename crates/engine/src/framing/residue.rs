//! What belongs to no event, kept so that an answer or an error written without any framing is still found: a document in
//! place of a stream whole, what stands between or after events up to a limit.

/// Bytes that are kept beside events; more are dropped.
const BESIDE_EVENTS: usize = 64 * 1024;

/// Lines that are none of the format's.
#[derive(Debug, Default)]
pub(super) struct Residue {
    lines: Vec<u8>,
    /// An event came: what is no event is no document in place of the stream.
    beside_events: bool,
}

impl Residue {
    /// Keeps a line: whole while it may belong to a document, as far as there is room beside events.
    pub(super) fn keep(&mut self, line: &[u8]) {
        let room = match self.beside_events {
            true => BESIDE_EVENTS.saturating_sub(self.lines.len()),
            false => usize::MAX,
        };
        self.lines.extend_from_slice(&line[..line.len().min(room)]);
        if room > line.len() {
            self.lines.push(b'\n');
        }
    }

    /// An event came.
    pub(super) fn event(&mut self) {
        self.beside_events = true;
    }

    /// Bytes that count towards the limit of one event: those of a document in place of events.
    pub(super) fn in_document(&self) -> usize {
        if self.beside_events { 0 } else { self.lines.len() }
    }

    /// The lines, each followed by LF.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.lines
    }
}
