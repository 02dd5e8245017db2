//! The gate: a row per check and stage.

use measure::result::{CheckLine, CheckResult, RunResult};
use serde::Serialize;

use super::text::Text;
use crate::Lang;
use crate::number::{UNKNOWN, change, of_check};
use crate::verdict;

/// The checks, those that did not pass apart.
#[derive(Debug, Serialize)]
pub(super) struct Gate {
    open: Vec<Row>,
    passed: Vec<Row>,
}

pub(super) fn of(run: &RunResult) -> Gate {
    let (passed, open): (Vec<_>, Vec<_>) =
        run.gate.checks.iter().partition(|line| line.result == CheckResult::Pass);
    Gate { open: open.into_iter().map(row).collect(), passed: passed.into_iter().map(row).collect() }
}

/// One check on one stage.
#[derive(Debug, Serialize)]
struct Row {
    check: String,
    stage: String,
    level: Text,
    value: String,
    limit: String,
    baseline: String,
    /// Of the value from the baseline, in percent.
    change: Option<String>,
    interval: String,
    n: u64,
    result: Text,
    tone: &'static str,
    reason: Option<Text>,
}

fn row(line: &CheckLine) -> Row {
    let number = |value: Option<f64>| of_check(&line.check, value);
    let tone = match line.result {
        CheckResult::Pass => "good",
        CheckResult::Fail => "bad",
        CheckResult::Inconclusive | CheckResult::NoData => "warn",
    };
    let result = Text::of(|lang| verdict::of_check(line.result, lang).to_owned());
    let level = match line.level.as_str() {
        "strict" => Text::new("strict", "严格"),
        "advisory" => Text::new("advisory", "仅提示"),
        other => Text::same(other),
    };
    let interval = line
        .interval
        .map_or(UNKNOWN.to_owned(), |[low, high]| format!("{} … {}", number(Some(low)), number(Some(high))));
    Row {
        check: line.check.clone(),
        stage: line.stage.clone(),
        level,
        value: number(line.value),
        limit: number(line.limit),
        baseline: number(line.baseline),
        change: change(line),
        interval,
        n: line.n,
        result,
        tone,
        reason: verdict::reason(line, Lang::En)
            .is_some()
            .then(|| Text::of(|lang| verdict::reason(line, lang).unwrap_or_default())),
    }
}
