//! The gate: a row per check and stage.

use measure::Metric;
use measure::metric::Unit;
use measure::result::{CheckLine, CheckResult, RunResult};
use serde::Serialize;

use super::text::Text;
use crate::number::{UNKNOWN, duration, percent, rate};

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
    interval: String,
    n: u64,
    result: Text,
    tone: &'static str,
    reason: Option<String>,
}

fn row(line: &CheckLine) -> Row {
    let number = |value: Option<f64>| in_unit(&line.check, value);
    let (tone, result) = match line.result {
        CheckResult::Pass => ("good", Text::new("pass", "通过")),
        CheckResult::Fail => ("bad", Text::new("fail", "未通过")),
        CheckResult::Inconclusive => ("warn", Text::new("inconclusive", "无法断定")),
        CheckResult::NoData => ("warn", Text::new("no data", "无数据")),
    };
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
        interval,
        n: line.n,
        result,
        tone,
        reason: line.reason.clone(),
    }
}

/// A number of a check in the unit of its metric, which its text begins with.
fn in_unit(check: &str, value: Option<f64>) -> String {
    let name = check.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next();
    match name.and_then(Metric::named).map(|metric| metric.entry().unit) {
        Some(Unit::Milliseconds) => duration(value),
        Some(Unit::Ratio) => percent(value),
        Some(Unit::PerSecond | Unit::Count) | None => rate(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checks_numbers_stand_in_the_unit_of_its_metric() {
        let rows = [
            ("ttft.p95 <= 800ms", 310.2, "310 ms"),
            ("success_rate >= 99%", 0.995, "99.5%"),
            ("http_429 == 0", 3.0, "3.00"),
            ("what is this", 3.0, "3.00"),
        ];
        for (check, value, expected) in rows {
            assert_eq!(in_unit(check, Some(value)), expected, "{check}");
        }
    }
}
