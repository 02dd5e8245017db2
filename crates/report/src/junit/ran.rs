//! How the run, and a stage that no check judges, end as cases.

use measure::result::{RunResult, RunStatus, StageResult, StageStatus};
use quick_junit::TestCaseStatus;

use super::case::{error, failure, skipped};
use crate::{Lang, ended, load, verdict};

/// Which case says why the exit code is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitSaid {
    /// A check or a stage that failed or has an error.
    ByOthers,
    /// No other: the run's own has to.
    ByNone,
}

/// Whether the run came to its end, and with an exit code that other cases account for.
pub(super) fn completed(run: &RunResult, said: ExitSaid, lang: Lang) -> TestCaseStatus {
    let accounted = run.exit.code == 0 || said == ExitSaid::ByOthers;
    if run.status == RunStatus::Completed && accounted {
        return TestCaseStatus::success();
    }
    let status = verdict::cut_short(run.status, lang).unwrap_or(lang.pick("not clean", "有异常"));
    let reasons =
        run.exit.reasons.iter().map(|reason| ended::said(reason, lang)).collect::<Vec<_>>().join("; ");
    let message = lang.pick(
        format!("{status}, exit code {}: {reasons}", run.exit.code),
        format!("{status}，退出码 {}：{reasons}", run.exit.code),
    );
    error(&message, kind(run.status))
}

fn kind(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Completed => "not_clean",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Aborted => "aborted",
    }
}

/// Whether a stage ran and at least one request was ok.
pub(super) fn stage(stage: &StageResult, lang: Lang) -> TestCaseStatus {
    let place = load::place(stage, lang);
    let place = place.trim_end();
    let counts = stage.counts;
    match stage.status {
        StageStatus::Skipped => skipped(lang.pick("the stage was skipped", "本级被跳过"), "skipped"),
        StageStatus::Incomplete => {
            let message = lang.pick(
                format!("cut short {place}: {} of {} requests ok", counts.ok, counts.started),
                format!("{place}，未跑完：{} 个请求中 {} 个成功", counts.started, counts.ok),
            );
            error(&message, "incomplete")
        }
        StageStatus::Complete | StageStatus::Stopped if counts.ok == 0 => {
            let message = lang.pick(
                format!("no request was ok {place}: {} failed", counts.failed),
                format!("{place}，没有请求成功：失败 {} 个", counts.failed),
            );
            failure(&message, "none_ok")
        }
        StageStatus::Complete | StageStatus::Stopped => TestCaseStatus::success(),
    }
}
