//! The charts of several runs, a line per run in the same colour throughout.

use measure::LoadUnit;
use measure::distribution::DistributionSummary;
use measure::result::StageResult;
use serde::Serialize;

use super::super::text::Text;
use super::percentile;
use super::series::{Chart, Series, Style};
use crate::comparison::{Comparison, has_started};
use crate::load;

/// Everything that the page of a comparison draws.
#[derive(Debug, Serialize)]
pub(in super::super) struct Compared {
    ladder: Vec<Chart>,
    /// What those stand against, and which runs are left out.
    load: Text,
    percentiles: Vec<Chart>,
    /// Where those were measured.
    at: Text,
}

impl Compared {
    pub(in super::super) fn of(of: &Comparison<'_>) -> Self {
        let unit = of.measured().next().map_or(LoadUnit::Users, |(_, side)| side.run.ladder.unit);
        let left_out = match of.unit().is_some() || of.measured().next().is_none() {
            true => Text::same(""),
            false => Text::new(" (runs by another unit are left out)", "（按其他单位的运行未画出）"),
        };
        let load = match unit {
            LoadUnit::Users => Text::new("Against the number of users", "随并发数的变化"),
            LoadUnit::RequestsPerS => Text::new("Against the offered rate", "随请求速率的变化"),
        };
        let at = of.common().map_or_else(
            || Text::new("There is no level that all runs ran.", "没有所有运行都跑过的级别。"),
            |group| {
                let at = Text::of(|lang| group.title(lang));
                Text::new("At the highest level that all ran: ", "取所有运行都跑过的最高级别：").and(&at)
            },
        );
        Self { ladder: ladder(of, unit), load: load.and(&left_out), percentiles: percentiles(of), at }
    }
}

/// What a run of two sides shows of both.
pub(super) fn of_sides(of: &Comparison<'_>) -> Vec<Chart> {
    let Compared { ladder, percentiles, .. } = Compared::of(of);
    let shown = [
        ("ladder_ttft_p95", "ladder_of_both_ttft_p95"),
        ("ladder_tpot_p95", "ladder_of_both_tpot_p95"),
        ("ladder_tokens", "ladder_of_both_tokens"),
        ("percentiles_ttft", "percentiles_of_both_ttft"),
        ("percentiles_tpot", "percentiles_of_both_tpot"),
        ("percentiles_e2e", "percentiles_of_both_e2e"),
    ];
    let all = ladder.into_iter().chain(percentiles);
    all.filter_map(|chart| {
        let (_, id) = shown.iter().find(|(id, _)| *id == chart.id)?;
        Some(Chart { id, ..chart })
    })
    .collect()
}

type Value = fn(&StageResult) -> Option<f64>;

fn ladder(of: &Comparison<'_>, unit: LoadUnit) -> Vec<Chart> {
    let chart = |id, title, unit_of: (&str, &str), value: Value| {
        let runs = of.measured().filter(|(_, side)| side.run.ladder.unit == unit);
        let lines = runs.map(|(index, side)| {
            let rungs = load::rungs(side.run).into_iter().filter(|stage| has_started(stage));
            let points = rungs.map(|stage| (load::amount(stage), value(stage)));
            Series { run: Some(index), ..Series::new(Text::same(side.short.as_str()), Style::Stage, points) }
        });
        Chart::new(id, title, unit_of, lines.collect(), || reason(of))
    };
    let ms = ("ms", "毫秒");
    vec![
        chart("ladder_qps", ("Requests/s", "请求/秒"), ("", ""), |stage| stage.qps),
        chart("ladder_tokens", ("Output tokens/s", "输出 tokens/s"), ("", ""), |stage| {
            stage.output_tokens_per_s
        }),
        chart("ladder_ttft_p95", ("TTFT P95", "首 token 时延 TTFT P95"), ms, |stage| stage.ttft_ms.p95),
        chart("ladder_tpot_p95", ("TPOT P95", "每 token 时间 TPOT P95"), ms, |stage| stage.tpot_ms.p95),
        chart("ladder_e2e_p95", ("Response time P95", "响应时间 P95"), ms, |stage| stage.e2e_ms.p95),
        chart("ladder_success", ("Success", "成功率"), ("%", "%"), |stage| {
            stage.success_rate.map(|share| share * 100.0)
        }),
        chart("ladder_429", ("Attempts answered 429", "返回 429 的尝试"), ("%", "%"), |stage| {
            stage.http_429_ratio.map(|share| share * 100.0)
        }),
    ]
}

fn reason(of: &Comparison<'_>) -> Text {
    let held = |stage: &StageResult| has_started(stage) && stage.is_step();
    let (any, rung) =
        (of.measured().next().is_some(), of.runs().iter().any(|side| side.run.stages.iter().any(held)));
    match (any, rung) {
        (false, _) => Text::new("No load was sent in any run.", "所有运行均未施加负载。"),
        (true, false) => Text::new("Only ramps ran.", "仅运行了渐变级别。"),
        (true, true) => Text::new("No request succeeded in any run.", "所有运行均没有成功的请求。"),
    }
}

fn percentiles(of: &Comparison<'_>) -> Vec<Chart> {
    let common = of.common();
    let chart = |id, title, values: fn(&StageResult) -> &DistributionSummary| {
        let stages = common.into_iter().flat_map(|group| group.stages.iter().enumerate());
        let lines = stages.filter_map(|(index, stage)| {
            let values = stage.map(values).filter(|values| values.n > 1)?;
            let name = Text::same(of.runs().get(index)?.short.as_str());
            Some(Series { run: Some(index), ..percentile::curve(name, values) })
        });
        Chart::new(id, title, ("ms", "毫秒"), lines.collect(), || match common {
            None => Text::new("There is no level that all runs ran.", "没有所有运行都跑过的级别。"),
            Some(_) => Text::new("No run has enough values for a curve.", "各运行样本均不足以绘制曲线。"),
        })
    };
    vec![
        chart("percentiles_ttft", ("TTFT by percentile", "TTFT 分位数曲线"), |stage| &stage.ttft_ms),
        chart("percentiles_tpot", ("TPOT by percentile", "TPOT 分位数曲线"), |stage| &stage.tpot_ms),
        chart("percentiles_e2e", ("Response time by percentile", "响应时间分位数曲线"), |stage| {
            &stage.e2e_ms
        }),
    ]
}
