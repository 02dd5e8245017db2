//! The table: a row per stage.

use measure::distribution::DistributionSummary;
use measure::result::{RunResult, StageResult, StageStatus};

use super::inert::{code, escaped};
use crate::number::{UNKNOWN, ms, percent, rate};
use crate::{Lang, load};

/// Where `queue` stands in a row.
const QUEUE: usize = 4;

/// Nothing without a stage.
pub(super) fn table(run: &RunResult, lang: Lang) -> String {
    if run.stages.is_empty() {
        return String::new();
    }
    let mut rows = vec![head(run, lang)];
    let columns = rows[0].len();
    rows.push((0..columns).map(|column| if column == 0 { "---" } else { "---:" }.to_owned()).collect());
    rows.extend(run.stages.iter().map(|stage| row(stage, columns, lang)));
    // What waits in the client is told only where something can.
    if !run.stages.iter().any(load::is_open) {
        rows.iter_mut().for_each(|row| drop(row.remove(QUEUE)));
    }
    rows.iter().map(|row| super::checks::line(row)).collect::<Vec<_>>().join("\n")
}

fn head(run: &RunResult, lang: Lang) -> Vec<String> {
    let names = [
        lang.pick("stage", "级别"),
        load::column(run, lang),
        lang.pick("req/s", "请求/s"),
        "tok/s",
        "queue p95",
        "TTFT p50",
        "p95",
        "TPOT p50",
        "p95",
        "E2E p95",
        "p99",
        lang.pick("ok", "成功"),
        "429",
        "5xx",
    ];
    names.map(str::to_owned).to_vec()
}

fn row(stage: &StageResult, columns: usize, lang: Lang) -> Vec<String> {
    let mut cells = vec![name(stage, lang), escaped(load::cell(stage))];
    if stage.status != StageStatus::Skipped {
        cells.extend(numbers(stage));
    }
    cells.resize(columns, UNKNOWN.to_owned());
    cells
}

/// The stage, and what to know before its numbers are read.
fn name(stage: &StageResult, lang: Lang) -> String {
    let status = match stage.status {
        StageStatus::Complete => None,
        StageStatus::Incomplete => Some(lang.pick("cut short", "未跑完")),
        StageStatus::Stopped => Some(lang.pick("stopped", "已停止")),
        StageStatus::Skipped => Some(lang.pick("skipped", "跳过")),
    };
    let limit = stage.client.saturated.then(|| lang.pick("generator at its limit", "压测机达极限"));
    let marks: Vec<&str> = status.into_iter().chain(limit).collect();
    let name = code(&stage.name);
    match marks.is_empty() {
        true => name,
        false => {
            lang.pick(format!("{name} ({})", marks.join(", ")), format!("{name}（{}）", marks.join("，")))
        }
    }
}

fn numbers(stage: &StageResult) -> [String; 12] {
    let (queue, ttft, tpot, e2e) = (&stage.queue_ms, &stage.ttft_ms, &stage.tpot_ms, &stage.e2e_ms);
    [
        rate(stage.qps),
        rate(stage.output_tokens_per_s),
        percentile(queue, queue.p95, "p95"),
        ms(ttft.p50),
        percentile(ttft, ttft.p95, "p95"),
        ms(tpot.p50),
        percentile(tpot, tpot.p95, "p95"),
        percentile(e2e, e2e.p95, "p95"),
        percentile(e2e, e2e.p99, "p99"),
        escaped(percent(stage.success_rate)),
        stage.http_429.to_string(),
        stage.http_5xx.to_string(),
    ]
}

/// A value, marked where too few stand behind it.
fn percentile(of: &DistributionSummary, value: Option<f64>, name: &str) -> String {
    let weak = is_weak(of, name) && value.is_some();
    ms(value) + if weak { "\\*" } else { "" }
}

fn is_weak(of: &DistributionSummary, name: &str) -> bool {
    of.n > 0 && of.weak.iter().any(|weak| weak == name)
}

/// The unit, and what the mark means where it occurs.
pub(super) fn legend(run: &RunResult, lang: Lang) -> String {
    if run.stages.is_empty() {
        return String::new();
    }
    let mut lines = vec![lang.pick("Times in ms.", "时间单位为毫秒。")];
    if run.stages.iter().any(load::is_open) {
        lines.push(lang.pick(
            "queue: the wait for a slot, from when a request was due.",
            "queue：请求自计划时刻起等待空位的时间。",
        ));
    }
    let ran = run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped);
    let shown = |stage: &StageResult| {
        let of = [&stage.queue_ms, &stage.ttft_ms, &stage.tpot_ms, &stage.e2e_ms];
        of.iter().any(|of| is_weak(of, "p95")) || is_weak(&stage.e2e_ms, "p99")
    };
    if ran.into_iter().any(shown) {
        lines.push(lang.pick(
            "\\* too few requests behind this percentile: it is close to the maximum.",
            "\\* 样本过少，该分位数接近最大值。",
        ));
    }
    lines.join(lang.pick(" ", ""))
}
