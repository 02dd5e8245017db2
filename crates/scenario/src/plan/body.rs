//! What is sent: a body for every request, rendered ahead.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use crate::data::Order;
use crate::digest::of_values;
use crate::template::Body;

/// The bodies of a run. Cheap to clone: shared by every worker.
#[derive(Clone)]
pub struct Bodies {
    /// One per row of the data; at least one.
    bodies: Arc<[Body]>,
    order: Order,
    digests: Digests,
    pub(super) limits: Limits,
}

/// How much the bodies can bring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Output tokens of an answer at most; `None` where a body sets no limit.
    pub(super) output: Option<u64>,
    /// Bytes of the longest body.
    pub(super) longest: usize,
}

/// Where bodies limit the tokens of an answer, in every api.
const LIMITS: [&str; 5] = [
    "/max_completion_tokens",
    "/max_tokens",
    "/max_output_tokens",
    "/options/num_predict",
    "/max_tokens_to_sample",
];

/// The tokens that an answer to a body may have at most, over all its choices.
fn output_limit(body: &Value) -> Option<u64> {
    let limit = LIMITS.iter().find_map(|place| body.pointer(place)?.as_u64())?;
    let choices = body.pointer("/n").and_then(Value::as_u64).unwrap_or(1).max(1);
    Some(limit.saturating_mul(choices))
}

/// What the bodies of two runs are compared by.
#[derive(Debug, Clone)]
pub(super) struct Digests {
    /// Of the bodies, in the order of the rows.
    pub(super) bodies: String,
    /// Of the rows they were rendered from.
    pub(super) data: String,
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
    /// The bodies, and the digest of the rows they were rendered from.
    pub(crate) fn new(bodies: Vec<Body>, order: Order, data: String) -> Self {
        let mut limits = Limits { output: Some(0), longest: 0 };
        let values = bodies.iter().map(|body| {
            let bytes = body.with_id("");
            let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            limits.longest = limits.longest.max(bytes.len());
            limits.output = limits.output.zip(output_limit(&value)).map(|(most, of)| most.max(of));
            value
        });
        let digests = Digests { bodies: of_values(values), data };
        Self { bodies: bodies.into(), order, digests, limits }
    }

    pub(super) fn digests(&self) -> &Digests {
        &self.digests
    }

    /// How the rows follow one another, in words.
    pub(super) fn order(&self) -> String {
        self.order.text()
    }

    /// Body of a row of the data (0-based), for a request that carries `request_id`.
    ///
    /// # Errors
    /// When the data has no such row. Every row was rendered when the scenario was loaded, so a loaded plan does not
    /// give any.
    pub fn body(&self, row: usize, request_id: &str) -> Result<Bytes, BodyError> {
        let body = self.bodies.get(row).map(|body| body.with_id(request_id));
        body.ok_or_else(|| BodyError { row: row + 1, reason: "there is no such row".into() })
    }

    /// 0-based row of the data that the `seq`-th request of the run takes: a pure function of `seq` and the seed.
    pub fn row(&self, seq: u64) -> usize {
        self.order.row(seq)
    }

    /// How many rows the data has; at least one.
    pub fn rows(&self) -> usize {
        self.bodies.len()
    }

    /// How many of them differ: what is sent twice may come from a cache.
    pub fn distinct(&self) -> usize {
        self.bodies.iter().map(|body| body.with_id("")).collect::<BTreeSet<_>>().len()
    }

    /// The body of the first row, as an example for people.
    pub fn sample(&self) -> Bytes {
        self.bodies
            .first()
            .map(|body| body.with_id("00000000-0000-0000-0000-000000000000"))
            .unwrap_or_default()
    }
}

impl fmt::Debug for Bodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The prompts may be many and private.
        write!(f, "Bodies({} rows)", self.rows())
    }
}
