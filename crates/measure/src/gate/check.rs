//! One check as a value: metric, statistic, comparison, limit, scope.

use std::fmt;

use super::Statistic;
use crate::metric::Metric;

/// A check and how seriously it is meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// What must hold.
    pub check: Check,
    /// Whether it can fail the run.
    pub level: Level,
    /// A change against the baseline smaller than this (in the metric's unit) never fails.
    pub min_change: Option<f64>,
}

/// Whether a check can fail the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// A failure makes the exit code 1.
    #[default]
    Strict,
    /// A failure is only said.
    Advisory,
}

impl Level {
    /// As written in TOML and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Advisory => "advisory",
        }
    }
}

/// `METRIC[.STAT] OP VALUE [for ...]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// As written, white space normalised, without the scope.
    pub text: String,
    /// What is compared.
    pub metric: Metric,
    /// Which statistic of a distribution; `None` for a scalar.
    pub stat: Option<Stat>,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what.
    pub limit: Limit,
    /// On which stages.
    pub scope: Scope,
}

impl Check {
    /// What it is written on.
    pub fn statistic(&self) -> Statistic {
        Statistic { metric: self.metric, stat: self.stat }
    }
}

/// A statistic of a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stat {
    /// Arithmetic mean.
    Mean,
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// Percentile by nearest rank, 0 < p < 100.
    Percentile(f64),
}

impl Stat {
    /// The fewest values the statistic can be judged on: one for a mean, `1 / (1 - p)` for a percentile.
    pub fn needs(self) -> u64 {
        match self {
            Self::Mean | Self::Min | Self::Max => 1,
            // Rounded before the ceiling: 1 - 0.95 is a little more than 0.05 in binary.
            Self::Percentile(p) => ((100.0 / (100.0 - p)) - 1e-6).ceil().max(1.0) as u64,
        }
    }
}

impl fmt::Display for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean => f.write_str("mean"),
            Self::Min => f.write_str("min"),
            Self::Max => f.write_str("max"),
            Self::Percentile(p) if *p > 99.0 => write!(f, "p{}", p.to_string().replace('.', "")),
            Self::Percentile(p) => write!(f, "p{p}"),
        }
    }
}

/// How value and limit are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `<=`
    AtMost,
    /// `<`
    Below,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
}

impl Comparison {
    /// Whether `value` is on the right side of `limit`.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::AtMost => value <= limit,
            Self::Below => value < limit,
            Self::AtLeast => value >= limit,
            Self::Above => value > limit,
        }
    }

    /// Whether larger values are worse.
    pub fn is_upper_bound(self) -> bool {
        matches!(self, Self::AtMost | Self::Below)
    }

    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::AtMost => "<=",
            Self::Below => "<",
            Self::AtLeast => ">=",
            Self::Above => ">",
        }
    }
}

/// What a value is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A number in the metric's unit (ms, 0..1, per second, count).
    Absolute(f64),
    /// The baseline's number times `1 + change`.
    Baseline {
        /// `0.2` for `baseline + 20%`.
        change: f64,
    },
}

/// On which stages a check is judged.
#[derive(Debug, Clone, PartialEq)]
pub enum Scope {
    /// Every stage.
    Every,
    /// Stages whose concurrency compares so.
    Concurrency(Comparison, u32),
    /// The stage of that name.
    Stage(String),
}

impl Scope {
    /// As it is written after `for`; `None` for every stage.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Every => None,
            Self::Concurrency(comparison, users) => Some(format!("c{}{users}", comparison.symbol())),
            Self::Stage(name) => Some(format!("stage {name}")),
        }
    }

    /// Whether a stage is meant; `users` are the most it has, of a closed loop.
    pub fn covers(&self, name: &str, users: Option<u32>) -> bool {
        match self {
            Self::Every => true,
            Self::Concurrency(comparison, limit) => {
                users.is_some_and(|users| comparison.holds(f64::from(users), f64::from(*limit)))
            }
            Self::Stage(stage) => stage == name,
        }
    }
}
