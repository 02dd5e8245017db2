//! The ten cards: one number each, with what it rests on.

use measure::distribution::DistributionSummary;
use measure::result::{RunResult, StageResult};
use measure::{Amount, LoadUnit};
use serde::Serialize;

use super::text::Text;
use crate::number::{UNKNOWN, duration, percent, rate};
use crate::{load, search};

/// One card.
#[derive(Debug, Serialize)]
pub(super) struct Card {
    label: Text,
    value: String,
    note: Text,
    tone: &'static str,
}

pub(super) fn of(run: &RunResult) -> Vec<Card> {
    let stages = search::climbed(run);
    let at = reference(run, &stages);
    vec![
        held(run, &stages),
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

/// The stage whose latencies are shown: the highest rung that held, else the last that answered anything; of ramps the
/// highest.
fn reference<'a>(run: &RunResult, stages: &[&'a StageResult]) -> Option<&'a StageResult> {
    let is_held = |stage: &&&StageResult| {
        load::is_rung(run, stage) && Some(stage.level().amount()) == run.ladder.last_ok
    };
    let answered: Vec<_> = stages.iter().copied().filter(|stage| stage.counts.ok > 0).collect();
    match stages.iter().find(is_held) {
        Some(held) => Some(held),
        None if answered.iter().all(|stage| !stage.is_step()) => load::highest(&answered),
        None => answered.last().copied(),
    }
}

fn held(run: &RunResult, stages: &[&StageResult]) -> Card {
    if let Some(highest) = load::highest(stages).filter(|_| stages.iter().all(|stage| !stage.is_step())) {
        return reached(highest);
    }
    let searched = run.search.as_ref().filter(|search| search.holds.is_some());
    let amount = |amount: u32| Amount(f64::from(amount));
    let (unit, holds, breach) = match searched {
        Some(search) => (search.unit, search.holds.map(amount), search.breaks.map(amount)),
        None => (run.ladder.unit, run.ladder.last_ok, run.ladder.first_breach),
    };
    let (label, counted) = match unit {
        LoadUnit::Users => (("Held concurrency", "可承受并发"), Text::new("users", "用户")),
        LoadUnit::RequestsPerS => (("Held rate", "可承受速率"), Text::new("requests/s", "请求/秒")),
    };
    let note = match (breach, holds) {
        (Some(breach), _) => {
            counted.followed_by(format!("; {breach} was too many"), format!("；{breach} 时出现问题"))
        }
        (None, Some(_)) => counted.followed_by("; no rung broke", "；各级均正常"),
        (None, None) => unmeasured(),
    };
    let value = holds.map_or(UNKNOWN.to_owned(), |amount| amount.to_string());
    Card { label: label.into(), value, note, tone: "" }
}

/// Of a run that held no level: how high it came.
fn reached(stage: &StageResult) -> Card {
    let counted = match stage.level().unit() {
        LoadUnit::Users => Text::new("users", "用户"),
        LoadUnit::RequestsPerS => Text::new("requests/s", "请求/秒"),
    };
    Card {
        label: Text::new("Highest load", "最高负载"),
        value: Amount(load::top(stage)).to_string(),
        note: counted.followed_by("; no level was held", "；未保持任何级别"),
        tone: "",
    }
}

fn place(stage: &StageResult) -> Text {
    Text::of(|lang| load::place(stage, lang).trim_end().to_owned())
}

fn requests(stages: &[&StageResult]) -> Card {
    let sum = |of: fn(&StageResult) -> u64| stages.iter().map(|stage| of(stage)).sum::<u64>();
    let (failed, cancelled) = (sum(|stage| stage.counts.failed), sum(|stage| stage.counts.cancelled));
    let dropped = match dropped(stages) {
        0 => Text::same(""),
        n => Text::new(format!(", {n} dropped"), format!("，丢弃 {n}")),
    };
    let (value, note) = match stages.is_empty() {
        true => (UNKNOWN.to_owned(), unmeasured()),
        false => (
            sum(|stage| stage.counts.started).to_string(),
            Text::new(
                format!("{failed} failed, {cancelled} cut off"),
                format!("失败 {failed}，中止 {cancelled}"),
            )
            .and(&dropped),
        ),
    };
    Card { label: Text::new("Measured requests", "计入统计的请求"), value, note, tone: "" }
}

/// Requests of open loops that found no slot.
fn dropped(stages: &[&StageResult]) -> u64 {
    stages.iter().filter(|stage| load::is_open(stage)).map(|stage| stage.counts.dropped).sum()
}

fn success(stages: &[&StageResult]) -> Card {
    let ok: u64 = stages.iter().map(|stage| stage.counts.ok).sum();
    let failed: u64 = stages.iter().map(|stage| stage.counts.failed).sum();
    let share = (ok + failed > 0).then(|| ok as f64 / (ok + failed) as f64);
    let tone = if share.is_some_and(|share| share < 0.99) { "bad" } else { "" };
    let note = match dropped(stages) {
        0 => Text::new("all stages together", "全部级别合计"),
        n => {
            Text::new(format!("of those sent; {n} were dropped"), format!("仅计已发出的；另有 {n} 个被丢弃"))
        }
    };
    Card { label: Text::new("Success", "成功率"), value: percent(share), note, tone }
}

fn best(stages: &[&StageResult], label: (&str, &str), of: fn(&StageResult) -> Option<f64>) -> Card {
    let best = stages
        .iter()
        .filter_map(|stage| Some((of(stage)?, *stage)))
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let note = match best {
        Some((_, stage)) => place(stage),
        None => unmeasured(),
    };
    Card { label: label.into(), value: rate(best.map(|(value, _)| value)), note, tone: "" }
}

fn p95(
    stage: Option<&StageResult>,
    label: (&str, &str),
    of: fn(&StageResult) -> &DistributionSummary,
) -> Card {
    let measured = stage.map(|stage| (of(stage), stage)).filter(|(of, _)| of.n > 0);
    let note = match measured {
        None => unmeasured(),
        Some((of, stage)) if of.weak.iter().any(|weak| weak == "p95") => place(stage)
            .followed_by(format!("; n = {}: near the maximum", of.n), format!("；n = {}，接近最大值", of.n)),
        Some((_, stage)) => place(stage),
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
