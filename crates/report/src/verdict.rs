//! What came of a run, in a word or two.

use measure::result::{CheckResult, RunResult, RunStatus, Verdict};

use crate::Lang;

/// The verdict of the gate, and what the exit code adds to it.
pub(crate) fn of(run: &RunResult, lang: Lang) -> &'static str {
    match (run.gate.verdict, run.exit.code) {
        (Verdict::Pass, 0) => lang.pick("Passed", "通过"),
        (Verdict::Pass, _) => lang.pick("Checks passed, run not clean", "检查通过，但运行有异常"),
        (Verdict::Fail, _) => lang.pick("Failed", "未通过"),
        (Verdict::NotJudged, _) => lang.pick("Not judged", "未判定"),
        (Verdict::None, 0) => lang.pick("No checks", "未设检查项"),
        (Verdict::None, _) => lang.pick("Not measured", "未能测量"),
    }
}

/// How a run ended that did not come to its end.
pub(crate) fn cut_short(status: RunStatus, lang: Lang) -> Option<&'static str> {
    match status {
        RunStatus::Completed => None,
        RunStatus::Interrupted => Some(lang.pick("interrupted", "被中断")),
        RunStatus::Aborted => Some(lang.pick("given up", "已放弃")),
    }
}

/// What came of a check.
pub(crate) fn of_check(result: CheckResult, lang: Lang) -> &'static str {
    match result {
        CheckResult::Pass => lang.pick("pass", "通过"),
        CheckResult::Fail => lang.pick("fail", "未通过"),
        CheckResult::Inconclusive => lang.pick("inconclusive", "无法断定"),
        CheckResult::NoData => lang.pick("no data", "无数据"),
    }
}
