//! What closes a run on the terminal: a table with a row per rung, at most 100 columns wide and aligned also with Chinese
//! text, and the sentences after it.

use measure::distribution::DistributionSummary;
use measure::result::{CheckResult, RunResult, StageResult, StageStatus, Verdict};
use unicode_width::UnicodeWidthStr;

use crate::cost::cost;
use crate::number::{UNKNOWN, change, ms, of_check, percent, rate};
use crate::search::{self, Found};
use crate::{Lang, ended, load, sides, stored, verdict};

/// Columns of the table at most.
const WIDTH: usize = 100;

/// All of it, in the order in which it is read from the end of a screen: table and legend, warnings, conclusion, the checks
/// that did not pass, the verdict.
pub fn closing(run: &RunResult, lang: Lang) -> String {
    let mut lines = vec![String::new(), ladder(run, lang)];
    lines.extend(legend(run, lang));
    lines.extend(both_sides(run, lang));
    lines.push(String::new());
    lines.extend(warnings(run, lang));
    lines.push(run.conclusion.clone());
    lines.extend(cost(run).map(|cost| lang.pick(format!("cost: {cost}"), format!("费用：{cost}"))));
    lines.extend(gate(run, lang));
    lines.join("\n") + "\n"
}

/// A against B, stage by stage; nothing of a run with one side.
fn both_sides(run: &RunResult, lang: Lang) -> Vec<String> {
    let blocks = sides::compared(run, |of| sides::blocks(of, sides::shown, lang)).unwrap_or_default();
    if blocks.is_empty() {
        return Vec::new();
    }
    let head = ["", "A", "B", lang.pick("change", "变化"), lang.pick("interval", "区间")].map(str::to_owned);
    let rows = blocks.iter().flat_map(|block| {
        block.lines.iter().map(|line| {
            let change = format!("{} {}", line.change, line.tone.mark()).trim_end().to_owned();
            vec![line.name.clone(), line.a.clone(), line.b.clone(), change, line.interval.clone()]
        })
    });
    let table = align(std::iter::once(head.to_vec()).chain(rows).collect());
    let mut numbers = table.lines().map(str::to_owned);
    let mut lines = vec![String::new()];
    lines.extend(numbers.next());
    for block in &blocks {
        let pairs = lang.pick(format!("{} pairs of blocks", block.pairs), format!("{} 对时段", block.pairs));
        lines.push(
            lang.pick(format!("{}, {pairs}", block.title), format!("{}，{pairs}", block.title.trim_end())),
        );
        lines.extend(numbers.by_ref().take(block.lines.len()));
    }
    lines.extend(sides::legend(lang).map(str::to_owned));
    lines
}

/// The warnings, each once with all its stages.
pub fn warnings(run: &RunResult, lang: Lang) -> Vec<String> {
    let head = lang.pick("warning: ", "警告：");
    let line = |line: &stored::Line| {
        let colon = if line.stages.is_empty() { "" } else { lang.pick(": ", "：") };
        format!("{head}{}{colon}{}", line.stages.join(lang.pick(", ", "、")), line.text(lang))
    };
    stored::warnings(run).iter().map(line).collect()
}

/// The exit code and every reason for it; nothing without a reason.
pub fn exit(run: &RunResult, lang: Lang) -> Vec<String> {
    let code = run.exit.code;
    let reasons = run.exit.reasons.iter().map(|reason| ended::said(reason, lang));
    let line = |(index, reason): (usize, String)| match index {
        0 => lang.pick(format!("exit {code}: {reason}"), format!("退出码 {code}：{reason}")),
        _ => lang.pick(format!("also: {reason}"), format!("另：{reason}")),
    };
    reasons.enumerate().map(line).collect()
}

/// The ladder as a table; nothing without a stage.
pub fn ladder(run: &RunResult, lang: Lang) -> String {
    if run.stages.is_empty() {
        return String::new();
    }
    let mut rows = vec![header(run, lang)];
    rows.extend(run.stages.iter().map(|stage| row(run, stage, lang)));
    // What waits in the client is told only where something can.
    if !run.stages.iter().any(load::is_open) {
        rows.iter_mut().for_each(|row| drop(row.remove(QUEUE)));
    }
    align(rows)
}

/// Where `queue` stands in a row.
const QUEUE: usize = 3;

/// Heads of the columns: the load, then those of [`numbers()`].
pub(crate) fn header(run: &RunResult, lang: Lang) -> Vec<String> {
    let load = load::column(run, lang);
    let names = [
        load,
        lang.pick("req/s", "请求/s"),
        "tok/s",
        "queue",
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
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn row(run: &RunResult, stage: &StageResult, lang: Lang) -> Vec<String> {
    let cut_short = match stage.status {
        StageStatus::Skipped => return skipped(stage, lang),
        StageStatus::Incomplete | StageStatus::Stopped => "~",
        StageStatus::Complete => "",
    };
    let saturated = if stage.client.saturated { "!" } else { "" };
    let dropped = if load::is_open(stage) && stage.counts.dropped > 0 { "-" } else { "" };
    let found = search::found(run, stage).map_or("", |found| match found {
        Found::Holds => "+",
        Found::Breaks => "x",
        Found::Undecided => "?",
    });
    let load = format!("{}{found}{saturated}{cut_short}{dropped}", load::cell(stage));
    std::iter::once(load).chain(numbers(stage)).collect()
}

/// The numbers of a stage that ran, a cell each.
pub(crate) fn numbers(stage: &StageResult) -> [String; 12] {
    [
        rate(stage.qps),
        rate(stage.output_tokens_per_s),
        percentile(&stage.queue_ms, stage.queue_ms.p95, "p95"),
        ms(stage.ttft_ms.p50),
        percentile(&stage.ttft_ms, stage.ttft_ms.p95, "p95"),
        ms(stage.tpot_ms.p50),
        percentile(&stage.tpot_ms, stage.tpot_ms.p95, "p95"),
        percentile(&stage.e2e_ms, stage.e2e_ms.p95, "p95"),
        percentile(&stage.e2e_ms, stage.e2e_ms.p99, "p99"),
        percent(stage.success_rate),
        stage.http_429.to_string(),
        stage.http_5xx.to_string(),
    ]
}

/// A value, marked where too few stand behind it.
fn percentile(of: &DistributionSummary, value: Option<f64>, name: &str) -> String {
    format!("{}{}", ms(value), if value.is_some() && is_weak(of, name) { "*" } else { "" })
}

fn is_weak(of: &DistributionSummary, name: &str) -> bool {
    of.n > 0 && of.weak.iter().any(|weak| weak == name)
}

/// Whether a percentile of the table is marked.
pub(crate) fn has_weak(run: &RunResult) -> bool {
    let ran = run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped);
    ran.into_iter().any(|stage| {
        let at_p95 = [&stage.queue_ms, &stage.ttft_ms, &stage.tpot_ms, &stage.e2e_ms];
        at_p95.iter().any(|of| is_weak(of, "p95")) || is_weak(&stage.e2e_ms, "p99")
    })
}

fn skipped(stage: &StageResult, lang: Lang) -> Vec<String> {
    let mut cells = vec![load::cell(stage), lang.pick("skipped", "跳过").to_owned()];
    cells.resize(13, UNKNOWN.to_owned());
    cells
}

/// What the marks in the table mean, for those that occur.
pub fn legend(run: &RunResult, lang: Lang) -> Vec<String> {
    if run.stages.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![lang.pick("times in ms", "时间单位为毫秒").to_owned()];
    let climbs = run.stages.iter().map(|stage| stage.rounds.len()).max().unwrap_or(0);
    if climbs > 1 {
        lines.push(lang.pick(
            format!("the ladder was climbed {climbs} times: the numbers are of all climbs together"),
            format!("阶梯共运行 {climbs} 轮：数值为各轮合计"),
        ));
    }
    if run.stages.iter().any(load::is_open) {
        let text = lang.pick(
            "queue: p95 of the time from when a request was due to when it started",
            "queue：从请求的计划时刻到实际开始的时间 P95",
        );
        lines.push(text.to_owned());
    }
    let ran = || run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped);
    if has_weak(run) {
        let text = lang.pick(
            "* too few requests behind this percentile: it is close to the maximum",
            "* 样本过少，该分位数接近最大值",
        );
        lines.push(text.to_owned());
    }
    if ran().any(|stage| search::found(run, stage).is_some()) {
        let text = lang.pick(
            "stages of the search: + holds, x breaks, ? undecided",
            "搜索边界的级别：+ 稳定，x 越限，? 无法判定",
        );
        lines.push(text.to_owned());
    }
    if ran().any(|stage| stage.client.saturated) {
        lines.push(lang.pick("! the load generator was at its limit", "! 压测机已达极限").to_owned());
    }
    if ran().any(|stage| matches!(stage.status, StageStatus::Incomplete | StageStatus::Stopped)) {
        lines.push(lang.pick("~ cut short", "~ 未跑完").to_owned());
    }
    if ran().any(|stage| load::is_open(stage) && stage.counts.dropped > 0) {
        let text = lang.pick("- requests found no slot and were dropped", "- 有请求因没有空位而被丢弃");
        lines.push(text.to_owned());
    }
    lines
}

/// The gate, a line per check that did not pass, and the verdict.
pub fn gate(run: &RunResult, lang: Lang) -> Vec<String> {
    let gate = &run.gate;
    let mut lines: Vec<String> = gate
        .checks
        .iter()
        .filter(|line| line.result != CheckResult::Pass)
        .map(|line| {
            let result = match line.result {
                CheckResult::Fail => lang.pick("FAIL", "未通过"),
                result @ (CheckResult::Pass | CheckResult::Inconclusive | CheckResult::NoData) => {
                    verdict::of_check(result, lang)
                }
            };
            let change = change(line).map(|change| format!(" ({change})"));
            let value = of_check(&line.check, line.value) + &change.unwrap_or_default();
            let reason = verdict::reason(line, lang).map(|reason| format!(" ({reason})")).unwrap_or_default();
            format!(
                "{result}  {}  [{}, {}]  {} {value}, n = {}{reason}",
                line.check,
                line.stage,
                line.level,
                lang.pick("measured", "实测"),
                line.n
            )
        })
        .collect();
    let verdict = match gate.verdict {
        Verdict::Pass if verdict::nothing_is_strict(gate) => lang.pick("no strict check", "没有严格检查"),
        Verdict::Pass => lang.pick("PASS", "通过"),
        Verdict::Fail => lang.pick("FAIL", "未通过"),
        Verdict::NotJudged => lang.pick("NOT JUDGED", "未判定"),
        Verdict::None => return lines,
    };
    let passed = verdict::passed(gate, lang);
    lines.push(lang.pick(format!("gate: {verdict} ({passed})"), format!("门禁：{verdict}（{passed}）")));
    lines
}

/// Columns by their widest cell, numbers to the right; closer together where they would be too wide.
fn align(mut rows: Vec<Vec<String>>) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths = |rows: &[Vec<String>]| -> Vec<usize> {
        (0..columns).map(|column| rows.iter().map(|row| row[column].width()).max().unwrap_or(0)).collect()
    };
    let fits = |widths: &[usize], gap: &str| {
        widths.iter().sum::<usize>() + gap.len() * columns.saturating_sub(1) <= WIDTH
    };
    let gap = if fits(&widths(&rows), "  ") { "  " } else { " " };
    if !fits(&widths(&rows), gap) {
        rows.iter_mut().for_each(|row| row[0] = row[0].replace(' ', ""));
    }
    let widths = widths(&rows);
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&widths);
            let line: Vec<String> =
                cells.map(|(cell, width)| " ".repeat(width - cell.width()) + cell).collect();
            line.join(gap) + "\n"
        })
        .collect()
}
