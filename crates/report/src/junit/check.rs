//! How a check on a stage ends as a case.

use measure::result::{CheckLine, CheckResult, StageResult, StageStatus};
use quick_junit::TestCaseStatus;

use super::case::{error, failure, skipped};
use crate::number::{change, of_check};
use crate::{Lang, verdict};

/// The names of the cases of a suite: the checks with their scopes, as written; where one is there again, it is counted.
pub(super) fn names(lines: &[&CheckLine]) -> Vec<String> {
    let written = |line: &CheckLine| match &line.scope {
        Some(scope) => format!("{} for {scope}", line.check),
        None => line.check.clone(),
    };
    let mut names: Vec<String> = Vec::new();
    for line in lines {
        let name = written(line);
        let counted = (2..).map(|nth| format!("{name} ({nth})"));
        names.extend(std::iter::once(name.clone()).chain(counted).find(|name| !names.contains(name)));
    }
    names
}

/// As [`super::render`] says.
pub(super) fn status(line: &CheckLine, stage: Option<&StageResult>, lang: Lang) -> TestCaseStatus {
    if line.result == CheckResult::Pass {
        return TestCaseStatus::success();
    }
    let message = message(line, lang);
    if stage.is_some_and(|stage| stage.status == StageStatus::Skipped) {
        return skipped(&message, "skipped");
    }
    match (line.result, line.level.as_str()) {
        (_, "advisory") => skipped(&advisory(line, &message, lang), "advisory"),
        (CheckResult::Fail, _) => failure(&message, "fail"),
        (CheckResult::Inconclusive, _) => error(&message, "inconclusive"),
        (CheckResult::NoData | CheckResult::Pass, _) => error(&message, "no_data"),
    }
}

fn advisory(line: &CheckLine, message: &str, lang: Lang) -> String {
    let result = verdict::of_check(line.result, lang);
    lang.pick(format!("advisory, {result}: {message}"), format!("仅提示，{result}：{message}"))
}

/// What was measured against what, and why there is no verdict.
fn message(line: &CheckLine, lang: Lang) -> String {
    let number = |value: Option<f64>| of_check(&line.check, value);
    let (value, limit, n) = (number(line.value), number(line.limit), line.n);
    let mut message = lang.pick(
        format!("measured {value}, limit {limit}, n = {n}"),
        format!("实测 {value}，限值 {limit}，n = {n}"),
    );
    if let Some(baseline) = line.baseline {
        let change = change(line).map(|change| format!(" ({change})")).unwrap_or_default();
        let baseline = of_check(&line.check, baseline) + &change;
        message += &lang.pick(format!(", baseline {baseline}"), format!("，基线 {baseline}"));
    }
    if let Some(reason) = verdict::reason(line, lang) {
        message += &lang.pick(format!(": {reason}"), format!("：{reason}"));
    }
    message
}
