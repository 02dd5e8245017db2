//! What a check is written on: a metric, and of a distribution one of its statistics.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::check::Stat;
use super::grammar::{CheckError, parse_left};
use crate::Metric;

/// A metric and its statistic, as `ttft.p95` or `qps`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Statistic {
    /// What is measured.
    pub metric: Metric,
    /// Which number of a distribution; `None` for a scalar.
    pub stat: Option<Stat>,
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stat {
            Some(stat) => write!(f, "{}.{stat}", self.metric),
            None => write!(f, "{}", self.metric),
        }
    }
}

impl TryFrom<String> for Statistic {
    type Error = CheckError;

    fn try_from(text: String) -> Result<Self, CheckError> {
        let (metric, stat) = parse_left(&text, 0)?;
        Ok(Self { metric, stat })
    }
}

impl From<Statistic> for String {
    fn from(statistic: Statistic) -> Self {
        statistic.to_string()
    }
}
