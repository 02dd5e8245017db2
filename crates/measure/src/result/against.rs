//! The other side of an A/B run, and by how much the sides differ.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Interval, Preflight, StageResult};
use crate::distribution::round;

/// B of an A/B run: what A, which the rest of the result is about, is compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Against {
    /// Label of the provider.
    pub provider: Option<String>,
    /// Base URL as configured, masked.
    pub base_url: String,
    /// Final URL, masked.
    pub url: String,
    /// Address of the proxy that requests went through, without user and password; null without one.
    pub proxy: Option<String>,
    /// Protocol, as in TOML.
    pub api: String,
    /// Model asked for.
    pub model: Option<String>,
    /// Whether answers were streamed.
    pub stream: bool,
    /// The auth header as sent, masked; null when none was sent.
    pub auth_header: Option<String>,
    /// Headers as sent, masked.
    pub headers: BTreeMap<String, String>,
    /// The one request before load; null when it was not asked for.
    pub preflight: Option<Preflight>,
    /// The rungs, in order; those of A are the result's own.
    pub stages: Vec<StageResult>,
    /// What differs, rung by rung.
    pub differences: Vec<StageDifference>,
}

/// By how much A differs from B in one stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageDifference {
    /// The stage.
    pub stage: String,
    /// Pairs of blocks, one of each side right after one another, that both sides ran.
    pub pairs: u64,
    /// The statistics that both sides have, by their names (`ttft.p95`).
    pub of: BTreeMap<String, Difference>,
}

/// By how much a statistic of A differs from that of B.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Difference {
    /// Of A, in the metric's unit.
    pub a: f64,
    /// Of B.
    pub b: f64,
    /// `a` - `b`.
    pub absolute: f64,
    /// Its interval over pairs of blocks; null under five pairs, and for what cannot be drawn (a minimum, a maximum).
    pub interval: Option<Interval>,
    /// `absolute` as a share of `b` (0.2 for 20 % more); null where that is 0.
    pub share: Option<f64>,
    /// Its interval.
    pub share_interval: Option<[f64; 2]>,
}

/// A value, and its own interval, where it has one.
pub(crate) type Measured = (f64, Option<Interval>);

impl Difference {
    /// Of two values that are known by themselves: each scatters for its own reasons.
    pub(crate) fn of((a, of_a): Measured, (b, of_b): Measured) -> Self {
        let absolute = a - b;
        let interval = of_a.zip(of_b).map(|(of_a, of_b)| {
            let (below, above) = ((a - of_a.low).hypot(of_b.high - b), (of_a.high - a).hypot(b - of_b.low));
            Interval {
                low: round(absolute - below),
                high: round(absolute + above),
                standard_error: round(of_a.standard_error.hypot(of_b.standard_error)),
                ..of_a
            }
        });
        let of_b = |value: f64| (b > 0.0).then(|| round(value / b));
        let share_interval = interval.and_then(|of| Some([of_b(of.low)?, of_b(of.high)?]));
        Self { a, b, absolute: round(absolute), interval, share: of_b(absolute), share_interval }
    }
}
