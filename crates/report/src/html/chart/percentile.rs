//! Percentile curves: per metric a line for each stage, up to the percentile that enough values stand behind.

use measure::distribution::DistributionSummary;
use measure::gate::Stat;
use measure::result::{RunResult, StageResult};

use super::super::text::Text;
use super::series::{Chart, Series, Style};

/// Where the curves are read, in percent.
const AT: [f64; 17] =
    [0.1, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 98.0, 99.0, 99.5, 99.9, 99.99];

pub(super) fn charts(run: &RunResult) -> Vec<Chart> {
    let chart = |id, title, of: fn(&StageResult) -> &DistributionSummary| {
        let series = run
            .stages
            .iter()
            .filter(|stage| of(stage).n > 1)
            .map(|stage| curve(Text::same(stage.name.as_str()), of(stage)));
        Chart::new(id, title, ("ms", "毫秒"), series.collect(), || {
            Text::new("No stage has enough values for a curve.", "各级样本均不足以绘制曲线。")
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

/// `x` is 1 / (1 - p): on a logarithmic axis each further nine takes the same room.
pub(super) fn curve(name: Text, of: &DistributionSummary) -> Series {
    let points = AT.into_iter().filter(|p| Stat::Percentile(*p).needs() <= of.n).map(|p| {
        let x = 100.0 / (100.0 - p);
        ((x * 1000.0).round() / 1000.0, of.value(Stat::Percentile(p)))
    });
    Series::new(name, Style::Stage, points)
}
