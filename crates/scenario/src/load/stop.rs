//! `[load.stop]`: checks on the last seconds that end the climb.

use measure::gate::{Level, Limit, Rule};

use super::stages::is_empty;
use crate::gate::{Ladder, read_check};
use crate::plan::Stage;
use crate::read::Section;

/// Reads the checks; none without the table.
pub(super) fn read(load: Section<'_>, stages: &[Stage]) -> Vec<Rule> {
    let section = load.section("stop");
    if !section.is_present() {
        return Vec::new();
    }
    let nodes = section.list("checks");
    if nodes.is_empty() && section.get("checks").is_none_or(is_empty) {
        section.missing("nothing says what ends the climb", "say `checks = [\"http_429_ratio <= 20%\"]`");
    }
    let read = |node| {
        // How many values a percentile needs is the window's affair, not the stage's.
        let check = read_check(node, section, Ladder::Own(stages))?;
        if let Limit::Baseline { .. } = check.limit {
            section.context.problems.error_with_hint(
                &node.place,
                "the climb cannot be ended by a comparison with the baseline",
                "say a limit of its own, such as `http_429_ratio <= 20%`",
            );
            return None;
        }
        Some(Rule { check, level: Level::Strict, min_change: None })
    };
    nodes.iter().filter_map(read).collect()
}
