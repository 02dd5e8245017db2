//! The short table of Markdown and the terminal: a row per run under each load.

use super::{COLUMNS, Column, Comparison, Group};
use crate::Lang;
use crate::number::UNKNOWN;

fn brief() -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(|column| column.brief)
}

/// Heads of the numbers of [`rows()`].
pub(crate) fn head(lang: Lang) -> Vec<String> {
    brief().map(|column| [column.name(lang), column.percentile].join(" ").trim().to_owned()).collect()
}

/// The numbers of each run in a group, each with its change. A star: too few requests stand behind it.
pub(crate) fn rows(comparison: &Comparison<'_>, group: &Group<'_>) -> Vec<Vec<String>> {
    (0..comparison.runs().len()).map(|run| brief().map(|column| cell(column, group, run)).collect()).collect()
}

fn cell(column: &Column, group: &Group<'_>, run: usize) -> String {
    let Some(stage) = group.stages[run] else { return UNKNOWN.to_owned() };
    let weak = if column.weak_n(stage).is_some() { "*" } else { "" };
    let value = column.show(column.value(stage)) + weak;
    match column.change(group, run) {
        Some(change) => format!("{value} {}{}", change.brief(column.unit()), change.tone.mark()),
        None => value,
    }
}
