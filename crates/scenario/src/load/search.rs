//! `[load.search]`: after the ladder, the highest concurrency that meets the checks.

use measure::gate::{Level, Limit, Rule};

use super::stages::{MOST_USERS, is_empty};
use crate::gate::{Ladder, read_check};
use crate::plan::{Search, Stage};
use crate::read::Section;

/// Reads the search; `template` is what its stages are but for their users.
pub(super) fn read(load: Section<'_>, template: Option<&Stage>) -> Option<Search> {
    let section = load.section("search");
    if !section.is_present() {
        return None;
    }
    let problems = section.context.problems;
    for key in ["low", "high", "checks"] {
        if section.get(key).is_none_or(is_empty) {
            let message = format!("the search has no `{key}`");
            section.missing(&message, "say `low = 10, high = 50, checks = [\"http_429_ratio <= 0%\"]`");
        }
    }
    let low = section.count("low", 1..=MOST_USERS);
    let high = section.count("high", 1..=MOST_USERS);
    let resolution = section.count("resolution", 1..=MOST_USERS);
    if let (Some(low), Some(high), Some(node)) = (low, high, section.get("high"))
        && low >= high
    {
        problems.error_with_hint(
            &node.place,
            "`high` is not above `low`",
            "the limit is searched between them",
        );
    }
    let checks = section.list("checks").iter().filter_map(|node| {
        let check = read_check(node, section, Ladder::Watched(&[]))?;
        if let Limit::Baseline { .. } = check.limit {
            problems.error_with_hint(
                &node.place,
                "a search cannot go by a comparison with the baseline",
                "say a limit of its own, such as `ttft.p95 <= 800ms`",
            );
            return None;
        }
        Some(Rule { check, level: Level::Strict, min_change: None })
    });
    Some(Search {
        checks: checks.collect(),
        low: low? as u32,
        high: high? as u32,
        resolution: resolution? as u32,
        stage: template?.clone(),
    })
}
