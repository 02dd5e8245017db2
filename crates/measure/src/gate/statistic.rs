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

/// The numbers by which runs are compared: each has an interval in every run.
pub const STANDARD: [Statistic; 14] = [
    scalar(Metric::Qps),
    scalar(Metric::OutputTokensPerS),
    percentile(Metric::Ttft, 50.0),
    percentile(Metric::Ttft, 95.0),
    percentile(Metric::Ttft, 99.0),
    percentile(Metric::Tpot, 50.0),
    percentile(Metric::Tpot, 95.0),
    percentile(Metric::Tpot, 99.0),
    percentile(Metric::E2e, 95.0),
    percentile(Metric::E2e, 99.0),
    scalar(Metric::SuccessRate),
    scalar(Metric::Http429Ratio),
    scalar(Metric::Http5xxRatio),
    scalar(Metric::Goodput),
];

const fn scalar(metric: Metric) -> Statistic {
    Statistic { metric, stat: None }
}

const fn percentile(metric: Metric, p: f64) -> Statistic {
    Statistic { metric, stat: Some(Stat::Percentile(p)) }
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
