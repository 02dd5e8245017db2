//! The table: a row per stage.

use measure::result::{RunResult, StageResult, StageStatus};

use super::inert::{code, escaped};
use crate::number::UNKNOWN;
use crate::search::{self, Found};
use crate::{Lang, load, terminal};

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
    rows.extend(run.stages.iter().map(|stage| row(run, stage, columns, lang)));
    // What waits in the client is told only where something can.
    if !run.stages.iter().any(load::is_open) {
        rows.iter_mut().for_each(|row| drop(row.remove(QUEUE)));
    }
    rows.iter().map(|row| super::checks::line(row)).collect::<Vec<_>>().join("\n")
}

fn head(run: &RunResult, lang: Lang) -> Vec<String> {
    std::iter::once(lang.pick("stage", "级别").to_owned()).chain(terminal::header(run, lang)).collect()
}

fn row(run: &RunResult, stage: &StageResult, columns: usize, lang: Lang) -> Vec<String> {
    let mut cells = vec![name(run, stage, lang), escaped(load::cell(stage))];
    if stage.status != StageStatus::Skipped {
        // A star is a mark of the text otherwise.
        cells.extend(terminal::numbers(stage).map(|cell| escaped(cell).replace('*', "\\*")));
    }
    cells.resize(columns, UNKNOWN.to_owned());
    cells
}

/// The stage, and what to know before its numbers are read.
fn name(run: &RunResult, stage: &StageResult, lang: Lang) -> String {
    let status = match stage.status {
        StageStatus::Complete => None,
        StageStatus::Incomplete => Some(lang.pick("cut short", "未跑完")),
        StageStatus::Stopped => Some(lang.pick("stopped", "已停止")),
        StageStatus::Skipped => Some(lang.pick("skipped", "跳过")),
    };
    let limit = stage.client.saturated.then(|| lang.pick("generator at its limit", "压测机达极限"));
    let found = search::found(run, stage).map(|found| match found {
        Found::Holds => lang.pick("search: holds", "搜索：稳定"),
        Found::Breaks => lang.pick("search: breaks", "搜索：越限"),
        Found::Undecided => lang.pick("search: undecided", "搜索：无法判定"),
    });
    let marks: Vec<&str> = found.into_iter().chain(status).chain(limit).collect();
    let name = code(&stage.name);
    match marks.is_empty() {
        true => name,
        false => {
            lang.pick(format!("{name} ({})", marks.join(", ")), format!("{name}（{}）", marks.join("，")))
        }
    }
}

/// The unit, and what the mark means where it occurs.
pub(super) fn legend(run: &RunResult, lang: Lang) -> String {
    if run.stages.is_empty() {
        return String::new();
    }
    let mut lines = vec![lang.pick("Times in ms.", "时间单位为毫秒。")];
    if run.stages.iter().any(load::is_open) {
        lines.push(lang.pick(
            "queue: p95 of the time from when a request was due to when it started.",
            "queue：从请求的计划时刻到实际开始的时间 P95。",
        ));
    }
    if terminal::has_weak(run) {
        lines.push(lang.pick(
            "\\* too few requests behind this percentile: it is close to the maximum.",
            "\\* 样本过少，该分位数接近最大值。",
        ));
    }
    lines.join(lang.pick(" ", ""))
}
