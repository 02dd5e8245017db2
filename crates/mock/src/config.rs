//! What the mock is told to be.

use std::fmt;
use std::time::Duration;

use crate::faults::Faults;
use crate::pace::Pace;
use crate::protocol::Protocol;

/// The script of one server: protocol, pace, size and the load it takes.
#[derive(Debug, Clone)]
pub struct Config {
    /// Which protocols are served. Default: all, told apart by the request's path.
    pub api: Api,
    /// From the request's last byte (or its slot, when it had to wait) to the first token. Default 50 ms.
    pub ttft: Pace,
    /// From one token to the next. Default 10 ms.
    pub itl: Pace,
    /// Tokens of each answer, unless the request caps them lower. Default 32.
    pub tokens: usize,
    /// Requests that are answered at once; more wait their turn, first come first served. Default: no bound.
    pub capacity: Option<usize>,
    /// Open requests, waiting ones included, above which a request is answered 429. Default: no bound.
    pub limit: Option<usize>,
    /// Seed of every draw. Default 1.
    pub seed: u64,
    /// The key that requests must carry; without one, any key and none will do.
    pub key: Option<Key>,
    /// The models served; when empty, any is, and the lists name `mock`.
    pub models: Vec<String>,
    /// What a 429 says in `Retry-After`, rounded up to whole seconds. Default 1 s.
    pub retry_after: Duration,
    /// What goes wrong on purpose. Default: nothing.
    pub faults: Faults,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            api: Api::Any,
            ttft: Pace::constant(Duration::from_millis(50)),
            itl: Pace::constant(Duration::from_millis(10)),
            tokens: 32,
            capacity: None,
            limit: None,
            seed: 1,
            key: None,
            models: Vec::new(),
            retry_after: Duration::from_secs(1),
            faults: Faults::default(),
        }
    }
}

impl Config {
    /// Whether a request for this model is answered.
    pub(crate) fn serves(&self, model: &str) -> bool {
        self.models.is_empty() || self.models.iter().any(|served| served == model)
    }

    /// The models that the lists name.
    pub(crate) fn listed_models(&self) -> Vec<&str> {
        match self.models.as_slice() {
            [] => vec![ANY_MODEL],
            models => models.iter().map(String::as_str).collect(),
        }
    }
}

/// What the lists name where any model will do.
const ANY_MODEL: &str = "mock";

/// Which protocols a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// All of them, by request path.
    Any,
    /// One; the paths of the others are not found.
    Only(Protocol),
}

impl Api {
    pub(crate) fn serves(self, protocol: Protocol) -> bool {
        match self {
            Self::Any => true,
            Self::Only(only) => only == protocol,
        }
    }
}

/// The key a server asks for. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    pub(crate) fn is(&self, given: &str) -> bool {
        self.0 == given
    }
}

impl From<&str> for Key {
    fn from(key: &str) -> Self {
        Self(key.to_owned())
    }
}

impl From<String> for Key {
    fn from(key: String) -> Self {
        Self(key)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}
