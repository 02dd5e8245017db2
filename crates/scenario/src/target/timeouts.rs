//! `timeout` and `[target.timeouts]`.

use std::time::Duration;

use crate::plan::Timeouts;
use crate::read::Section;

/// Reads the timeouts; the named ones win over the shorthand.
pub(super) fn read(target: Section<'_>) -> Timeouts {
    let section = target.section("timeouts");
    let shorthand = target.positive_duration("timeout");
    let phase = |key: &str| {
        let named = section.positive_duration(key).unwrap_or_default();
        match section.said(key) {
            Some(_) => named,
            None => shorthand.unwrap_or(named),
        }
    };
    Timeouts {
        connect: section.positive_duration("connect").unwrap_or_default(),
        first_token: phase("first_token"),
        idle: phase("idle"),
        stall: section.duration_or_none("stall"),
        total: section.duration_or_none("total"),
    }
}

/// The longest that a request may last by any single phase: the default of `drain_timeout`.
pub(crate) fn longest(timeouts: &Timeouts) -> Duration {
    let Timeouts { connect: _, first_token, idle, stall, total } = *timeouts;
    [Some(first_token), Some(idle), stall, total]
        .into_iter()
        .flatten()
        .max()
        .unwrap_or(Duration::from_secs(60))
}
