//! Stages that were measured more than once: round by round, and what was measured again because a check had failed.

use measure::result::{RoundLine, RunResult, StageResult};
use serde::Serialize;

use super::text::Text;
use crate::comparison::{COLUMNS, Column};
use crate::number::seconds;

/// The rounds of every stage that has more than one.
#[derive(Debug, Serialize)]
pub(super) struct Rounds {
    columns: Vec<Text>,
    stages: Vec<Stage>,
}

#[derive(Debug, Serialize)]
struct Stage {
    name: String,
    rows: Vec<Row>,
}

/// One passage over a stage.
#[derive(Debug, Serialize)]
struct Row {
    name: Text,
    window: String,
    ok: u64,
    failed: u64,
    cells: Vec<String>,
}

/// Nothing where every stage was measured once.
pub(super) fn of(run: &RunResult) -> Option<Rounds> {
    let stages: Vec<Stage> = run
        .stages
        .iter()
        .filter(|stage| !stage.rounds.is_empty() || !stage.confirmations.is_empty())
        .map(|stage| Stage { name: stage.name.clone(), rows: rows(stage) })
        .collect();
    let head =
        |column: &Column| Text::of(|lang| [column.name(lang), column.percentile].join(" ").trim().to_owned());
    (!stages.is_empty()).then(|| Rounds { columns: shown().map(head).collect(), stages })
}

/// What tells most of how rounds differ.
fn shown() -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(|column| column.brief || column.percentile == "p50")
}

fn rows(stage: &StageResult) -> Vec<Row> {
    let rounds = stage.rounds.iter().map(round);
    // What was measured once has no list of rounds: the stage itself is the first.
    let first = stage.rounds.is_empty().then(|| passage(Text::new("at first", "首次"), stage));
    let again = stage.confirmations.iter().enumerate().map(|(at, again)| {
        let number = at + 1;
        passage(Text::new(format!("again {number}"), format!("重测 {number}")), again)
    });
    rounds.chain(first).chain(again).collect()
}

fn round(line: &RoundLine) -> Row {
    let value = |column: &Column| line.values.get(&column.statistic()).copied();
    Row {
        name: Text::same(line.round.to_string()),
        window: seconds(line.window_s),
        ok: line.ok,
        failed: line.failed,
        cells: shown().map(|column| column.show(value(column))).collect(),
    }
}

fn passage(name: Text, stage: &StageResult) -> Row {
    Row {
        name,
        window: seconds(stage.window_s),
        ok: stage.counts.ok,
        failed: stage.counts.failed,
        cells: shown().map(|column| column.show(column.value(stage))).collect(),
    }
}
