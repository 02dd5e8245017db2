//! `[load.search]`: after the ladder, the most users (or the highest rate) that meets the checks.

use measure::gate::{Level, Limit, Rule};

use super::stages::{MOST_USERS, is_empty};
use crate::gate::{Ladder, read_check};
use crate::plan::{Arrival, Search, Shape, Stage, Work};
use crate::read::Section;

/// Reads the search; its stages are like the `last` one of the ladder but for their level.
pub(super) fn read(load: Section<'_>, last: Option<&Stage>) -> Option<Search> {
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
        let check = read_check(node, section, Ladder::Own(&[]))?;
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
        stage: template(section, last?)?,
    })
}

/// What a stage of the search is: a step of users, or of a rate that can be chosen.
fn template(search: Section<'_>, last: &Stage) -> Option<Stage> {
    let why = match (&last.shape, &last.work) {
        (Shape::Ramp { .. }, _) => "is a ramp",
        (Shape::Step { .. }, Work::Arrivals { arrival: Arrival::Trace(_), .. }) => "follows a trace",
        (Shape::Step { .. }, Work::Arrivals { .. } | Work::Users { .. }) => return Some(last.clone()),
    };
    let message = format!("there is nothing to search with: the last stage, `{}`, {why}", last.name);
    let hint = "the stages of a search are like the last one of the ladder: let it hold users or a rate";
    search.context.problems.error_with_hint(&search.place(), message, hint);
    None
}
