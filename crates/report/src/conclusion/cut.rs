//! Requests that were not let finish: a stage that ended before its time, users who leave.

use measure::result::{StageResult, StageStatus};

use super::{Facts, target};
use crate::lang::counted;
use crate::number::{duration, percent, seconds};
use crate::{Lang, load};

/// What was measured until a run was ended, where no rung had come to its end.
pub(super) fn until_then(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    if facts.held.is_some() || facts.broke.is_some() {
        return None;
    }
    let is_cut = |stage: &&&StageResult| stage.status == StageStatus::Incomplete && stage.counts.started > 0;
    let stage = facts.rungs.iter().find(is_cut)?;
    let (target, place, window) =
        (target(facts.run, lang), load::place(stage, lang), seconds(stage.window_s));
    let started = stage.counts.started;
    let (success, e2e) = (percent(stage.success_rate), duration(stage.e2e_ms.p95));
    Some(lang.pick(
        format!(
            "{target}: until then {} in {window} s {place}, {success} success, a response time P95 of {e2e}.",
            counted(started, "request")
        ),
        format!(
            "{target}：在此之前，{}的 {window} 秒内有 {started} 个请求，成功率 {success}，响应时间 P95 {e2e}。",
            place.trim_end()
        ),
    ))
}

/// Users who leave, as the scenario asks.
pub(super) fn left(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let cancel = facts.run.load.as_ref()?.cancel?;
    let sum = |of: fn(&StageResult) -> u64| facts.ran.iter().map(|stage| of(stage)).sum::<u64>();
    let (n, started) = (sum(|stage| stage.counts.cancelled), sum(|stage| stage.counts.started));
    let (share, after) = (percent(Some(cancel.ratio)), seconds(cancel.after_s));
    let was = if n == 1 { "was" } else { "were" };
    (n > 0).then(|| {
        lang.pick(
            format!(
                "Users leave as the scenario asks ({share} of the requests after {after} s): {n} of {} {was} ended before \
                 the answer was whole, and count neither as ok nor as failed.",
                counted(started, "request")
            ),
            format!(
                "按场景设定有用户中途离开（{share} 的请求在 {after} 秒后）：{started} 个请求中有 {n} 个在应答完整前结束，既不计成功也不计失败。"
            ),
        )
    })
}
