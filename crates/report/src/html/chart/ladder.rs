//! The charts against the load: where throughput bends, where latency and refusals rise.

use measure::LoadUnit;
use measure::result::{RunResult, StageResult};
use serde::Serialize;

use super::super::text::Text;
use super::series::{Chart, Series, Style};
use crate::load;

/// What the charts stand against.
pub(super) fn axis(run: &RunResult) -> Axis {
    match run.ladder.unit {
        LoadUnit::Users => Axis {
            title: Text::new("Against the number of users", "随并发数的变化"),
            unit: Text::new("users", "并发"),
        },
        LoadUnit::RequestsPerS => Axis {
            title: Text::new("Against the offered rate", "随请求速率的变化"),
            unit: Text::new("offered requests/s", "设定的请求/秒"),
        },
    }
}

/// The axis that the charts share.
#[derive(Debug, Serialize)]
pub(in super::super) struct Axis {
    title: Text,
    unit: Text,
}

/// A level with a name.
#[derive(Debug, Serialize)]
pub(in super::super) struct Mark {
    at: f64,
    name: Text,
    tone: &'static str,
}

pub(super) fn marks(run: &RunResult) -> Vec<Mark> {
    let ladder = run.ladder;
    let named = [
        (ladder.last_ok, "good", ("held", "稳定")),
        (ladder.knee, "neutral", ("knee", "拐点")),
        (ladder.first_breach, "bad", ("breach", "越限")),
        // A search by the other unit has its boundary on another axis.
        (
            ladder.boundary.filter(|_| load::boundary_unit(run) == ladder.unit),
            "neutral",
            ("boundary", "边界"),
        ),
    ];
    named
        .into_iter()
        .filter_map(|(at, tone, name)| Some(Mark { at: at?.get(), tone, name: name.into() }))
        .collect()
}

pub(super) fn charts(run: &RunResult) -> Vec<Chart> {
    let mut stages = load::rungs(run);
    stages.retain(|stage| stage.counts.started > 0);
    let line = |name: (&str, &str), style, value: &dyn Fn(&StageResult) -> Option<f64>| {
        let points = stages.iter().map(|stage| (load::amount(stage), value(stage)));
        Series::new(name.into(), style, points)
    };
    let chart = |id, title, unit, series: Vec<Series>| {
        let series = if stages.len() > 1 { series } else { Vec::new() };
        Chart::new(id, title, unit, series, || reason(run, stages.len()))
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

/// What each rung would yield if every user, or request per second, yielded as much as on the first.
fn linear(stages: &[&StageResult]) -> impl Fn(&StageResult) -> Option<f64> + use<> {
    let first = stages.first().and_then(|first| Some(first.output_tokens_per_s? / load::amount(first)));
    move |stage| first.map(|each| each * load::amount(stage))
}

fn reason(run: &RunResult, rungs: usize) -> Text {
    match (rungs, run.ladder.unit) {
        (0, _) if run.stages.iter().any(|stage| stage.counts.started > 0) => Text::new(
            "Only ramps ran: a curve needs stages that hold a level.",
            "仅运行了渐变级别：需要保持固定负载的级别才能画出曲线。",
        ),
        (0, _) => Text::new("No load was sent.", "未施加负载。"),
        (1, LoadUnit::Users) => Text::new(
            "One stage ran: a curve against users needs two.",
            "仅运行了一级：至少两级才能画出随用户数变化的曲线。",
        ),
        (1, LoadUnit::RequestsPerS) => Text::new(
            "One rate was held: a curve against the rate needs two.",
            "仅运行了一个速率：至少两个才能画出随请求速率变化的曲线。",
        ),
        _ => Text::new("No request succeeded.", "没有请求成功。"),
    }
}
