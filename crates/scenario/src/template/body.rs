//! A rendered body: bytes, with gaps where each request's own id goes.

use bytes::Bytes;
use serde_json::Value;

/// One body. Without a request id in it, one piece that is handed out as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    /// The id goes between each two pieces; at least one.
    pieces: Vec<Bytes>,
}

impl Body {
    /// A body that is the same for every request id.
    pub(super) fn whole(rendered: String) -> Self {
        Self { pieces: vec![Bytes::from(rendered)] }
    }

    /// Cuts a rendered text at every occurrence of the stand-in for the id.
    pub(super) fn cut(rendered: &str, stand_in: &str) -> Self {
        Self {
            pieces: rendered.split(stand_in).map(|piece| Bytes::copy_from_slice(piece.as_bytes())).collect(),
        }
    }

    /// The bytes to send for a request of this id.
    pub(crate) fn with_id(&self, request_id: &str) -> Bytes {
        if let [whole] = self.pieces.as_slice() {
            return whole.clone();
        }
        let quoted = Value::from(request_id).to_string();
        let escaped = &quoted.as_bytes()[1..quoted.len() - 1];
        Bytes::from(self.pieces.join(escaped))
    }
}
