//! The ten cards: one number each, with what it rests on.

use measure::distribution::DistributionSummary;
use measure::result::{RunResult, StageResult, StageStatus};
use serde::Serialize;

use super::text::Text;
use crate::number::{UNKNOWN, duration, percent, rate};

/// One card.
#[derive(Debug, Serialize)]
pub(super) struct Card {
    label: Text,
    value: String,
    note: Text,
    tone: &'static str,
}

pub(super) fn of(run: &RunResult) -> Vec<Card> {
    let stages: Vec<_> = run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped).collect();
    let at = reference(run, &stages);
    vec![
        held(run),
        requests(&stages),
        success(&stages),
        best(&stages, ("Requests per second, best", "请求/秒（最高）"), |stage| stage.qps),
        best(&stages, ("Output tokens per second, best", "输出 token/秒（最高）"), |stage| {
            stage.output_tokens_per_s
        }),
        p95(at, ("TTFT P95", "首 token 时延 P95"), |stage| &stage.ttft_ms),
        p95(at, ("TPOT P95", "每 token 时间 P95"), |stage| &stage.tpot_ms),
        p95(at, ("Response time P95", "响应时间 P95"), |stage| &stage.e2e_ms),
        answers(&stages, ("Answered 429", "429 次数"), "warn", |stage| stage.http_429),
        answers(&stages, ("Answered 5xx", "5xx 次数"), "bad", |stage| stage.http_5xx),
    ]
}

/// The rung whose latencies are shown: the highest that held, else the last that answered anything.
fn reference<'a>(run: &RunResult, stages: &[&'a StageResult]) -> Option<&'a StageResult> {
    let held = stages.iter().find(|stage| Some(stage.concurrency) == run.ladder.last_ok);
    held.or_else(|| stages.iter().rev().find(|stage| stage.counts.ok > 0)).copied()
}

fn held(run: &RunResult) -> Card {
    let searched = run.search.filter(|search| search.holds.is_some());
    let holds = searched.and_then(|search| search.holds).or(run.ladder.last_ok);
    let breach = match searched {
        Some(search) => search.breaks,
        None => run.ladder.first_breach,
    };
    let note = match (breach, holds) {
        (Some(breach), _) => {
            Text::new(format!("users; {breach} was too many"), format!("用户；{breach} 时出现问题"))
        }
        (None, Some(_)) => Text::new("users; no rung broke", "用户；各级均正常"),
        (None, None) => unmeasured(),
    };
    let value = holds.map_or(UNKNOWN.to_owned(), |users| users.to_string());
    Card { label: Text::new("Held concurrency", "可承受并发"), value, note, tone: "" }
}

fn requests(stages: &[&StageResult]) -> Card {
    let sum = |of: fn(&StageResult) -> u64| stages.iter().map(|stage| of(stage)).sum::<u64>();
    let (failed, cancelled) = (sum(|stage| stage.counts.failed), sum(|stage| stage.counts.cancelled));
    let (value, note) = match stages.is_empty() {
        true => (UNKNOWN.to_owned(), unmeasured()),
        false => (
            sum(|stage| stage.counts.started).to_string(),
            Text::new(
                format!("{failed} failed, {cancelled} cut off"),
                format!("失败 {failed}，中止 {cancelled}"),
            ),
        ),
    };
    Card { label: Text::new("Measured requests", "计入统计的请求"), value, note, tone: "" }
}

fn success(stages: &[&StageResult]) -> Card {
    let ok: u64 = stages.iter().map(|stage| stage.counts.ok).sum();
    let failed: u64 = stages.iter().map(|stage| stage.counts.failed).sum();
    let share = (ok + failed > 0).then(|| ok as f64 / (ok + failed) as f64);
    let tone = if share.is_some_and(|share| share < 0.99) { "bad" } else { "" };
    Card {
        label: Text::new("Success", "成功率"),
        value: percent(share),
        note: Text::new("all stages together", "全部级别合计"),
        tone,
    }
}

fn best(stages: &[&StageResult], label: (&str, &str), of: fn(&StageResult) -> Option<f64>) -> Card {
    let best = stages
        .iter()
        .filter_map(|stage| Some((of(stage)?, stage.concurrency)))
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let note = match best {
        Some((_, users)) => Text::new(format!("at {users} users"), format!("并发 {users}")),
        None => unmeasured(),
    };
    Card { label: label.into(), value: rate(best.map(|(value, _)| value)), note, tone: "" }
}

fn p95(
    stage: Option<&StageResult>,
    label: (&str, &str),
    of: fn(&StageResult) -> &DistributionSummary,
) -> Card {
    let measured = stage.map(|stage| (of(stage), stage.concurrency)).filter(|(of, _)| of.n > 0);
    let note = match measured {
        None => unmeasured(),
        Some((of, users)) if of.weak.iter().any(|weak| weak == "p95") => Text::new(
            format!("at {users} users; n = {}: near the maximum", of.n),
            format!("并发 {users}；n = {}，接近最大值", of.n),
        ),
        Some((_, users)) => Text::new(format!("at {users} users"), format!("并发 {users}")),
    };
    Card { label: label.into(), value: duration(measured.and_then(|(of, _)| of.p95)), note, tone: "" }
}

fn answers(
    stages: &[&StageResult],
    label: (&str, &str),
    tone: &'static str,
    of: fn(&StageResult) -> u64,
) -> Card {
    let count: u64 = stages.iter().map(|stage| of(stage)).sum();
    let attempts: u64 = stages.iter().map(|stage| stage.counts.attempts).sum();
    let share = percent((attempts > 0).then(|| count as f64 / attempts as f64));
    let (value, note) = match attempts {
        0 => (UNKNOWN.to_owned(), unmeasured()),
        _ => (
            count.to_string(),
            Text::new(format!("{share} of {attempts} attempts"), format!("占 {attempts} 次尝试的 {share}")),
        ),
    };
    Card { label: label.into(), value, note, tone: if count > 0 { tone } else { "" } }
}

fn unmeasured() -> Text {
    Text::new("not measured", "未测得")
}
