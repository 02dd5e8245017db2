//! The charts against users: where throughput bends, where latency and refusals rise.

use measure::result::{RunResult, StageResult, StageStatus};
use serde::Serialize;

use super::super::text::Text;
use super::series::{Chart, Series, Style};

/// A concurrency with a name.
#[derive(Debug, Serialize)]
pub(in super::super) struct Mark {
    users: u32,
    name: Text,
    tone: &'static str,
}

pub(super) fn marks(run: &RunResult) -> Vec<Mark> {
    let ladder = run.ladder;
    let named = [
        (ladder.last_ok, "good", ("held", "稳定")),
        (ladder.knee, "neutral", ("knee", "拐点")),
        (ladder.first_breach, "bad", ("breach", "越限")),
        (ladder.boundary, "neutral", ("boundary", "边界")),
    ];
    named
        .into_iter()
        .filter_map(|(users, tone, name)| Some(Mark { users: users?, tone, name: name.into() }))
        .collect()
}

pub(super) fn charts(run: &RunResult) -> Vec<Chart> {
    let mut stages: Vec<_> = run.stages.iter().filter(|stage| ran(stage)).collect();
    // A search jumps; a curve goes from few users to many.
    stages.sort_by_key(|stage| stage.concurrency);
    let line = |name: (&str, &str), style, value: &dyn Fn(&StageResult) -> Option<f64>| {
        let points = stages.iter().map(|stage| (f64::from(stage.concurrency), value(stage)));
        Series::new(name.into(), style, points)
    };
    let chart = |id, title, unit, series: Vec<Series>| {
        let series = if stages.len() > 1 { series } else { Vec::new() };
        Chart::new(id, title, unit, series, || reason(stages.len()))
    };
    let percent = |share: Option<f64>| share.map(|share| share * 100.0);
    vec![
        chart(
            "ladder_throughput",
            ("Throughput", "吞吐"),
            ("tokens/s", "tokens/s"),
            vec![
                line(("tokens/s", "tokens/s"), Style::Main, &|stage| stage.output_tokens_per_s),
                line(("linear", "线性增长"), Style::Level, &linear(&stages)),
                line(("requests/s", "请求/秒"), Style::Right, &|stage| stage.qps),
            ],
        ),
        chart(
            "ladder_ttft",
            ("TTFT", "首 token 时延 TTFT"),
            ("ms", "毫秒"),
            vec![
                line(("median", "中位数"), Style::Main, &|stage| stage.ttft_ms.p50),
                line(("P95", "P95"), Style::Tail, &|stage| stage.ttft_ms.p95),
            ],
        ),
        chart(
            "ladder_tpot",
            ("TPOT", "每 token 时间 TPOT"),
            ("ms", "毫秒"),
            vec![
                line(("median", "中位数"), Style::Main, &|stage| stage.tpot_ms.p50),
                line(("P95", "P95"), Style::Tail, &|stage| stage.tpot_ms.p95),
            ],
        ),
        chart(
            "ladder_refused",
            ("Attempts refused or failed", "被拒绝与失败的尝试"),
            ("%", "%"),
            vec![
                line(("429", "429"), Style::Refused, &|stage| percent(stage.http_429_ratio)),
                line(("5xx", "5xx"), Style::Bad, &|stage| percent(stage.http_5xx_ratio)),
            ],
        ),
    ]
}

fn ran(stage: &StageResult) -> bool {
    stage.status != StageStatus::Skipped && stage.counts.started > 0
}

/// What each rung would yield if every user yielded as much as on the first.
fn linear(stages: &[&StageResult]) -> impl Fn(&StageResult) -> Option<f64> + use<> {
    let first =
        stages.first().and_then(|first| Some(first.output_tokens_per_s? / f64::from(first.concurrency)));
    move |stage| first.map(|per_user| per_user * f64::from(stage.concurrency))
}

fn reason(stages: usize) -> Text {
    match stages {
        0 => Text::new("No load was sent.", "未施加负载。"),
        1 => Text::new(
            "One stage ran: a curve against users needs two.",
            "仅运行了一级：至少两级才能画出随用户数变化的曲线。",
        ),
        _ => Text::new("No request succeeded.", "没有请求成功。"),
    }
}
