//! Histograms: per metric and stage the share of requests in steps of about 6 %.

use measure::distribution::DistributionSummary;
use measure::result::{RunResult, StageResult};

use super::super::text::Text;
use super::series::{Chart, Kind, Series, Style};

/// Steps a decade.
const PER_DECADE: u32 = 40;

pub(super) fn charts(run: &RunResult) -> Vec<Chart> {
    let chart = |id, title, of: fn(&StageResult) -> &DistributionSummary| {
        let series = run.stages.iter().filter(|stage| of(stage).n > 1).map(|stage| outline(stage, of(stage)));
        let chart = Chart::new(id, title, ("% by ms", "%（毫秒）"), series.collect(), || {
            Text::new("No stage has enough values for a histogram.", "各级样本均不足以绘制直方图。")
        });
        Chart { kind: Kind::Steps, ..chart }
    };
    vec![
        chart("histogram_ttft", ("TTFT histogram", "TTFT 直方图"), |stage| &stage.ttft_ms),
        chart("histogram_tpot", ("TPOT histogram", "TPOT 直方图"), |stage| &stage.tpot_ms),
        chart("histogram_e2e", ("Response time histogram", "响应时间直方图"), |stage| &stage.e2e_ms),
    ]
}

/// The tops of the bars, from nothing to nothing.
fn outline(stage: &StageResult, of: &DistributionSummary) -> Series {
    let steps = of.steps(PER_DECADE);
    let width = 10_f64.powf(1.0 / f64::from(PER_DECADE));
    let share = |count: u64| Some(100.0 * count as f64 / of.n as f64);
    let before = steps.first().map(|(edge, _)| (edge / width, Some(0.0)));
    let after = steps.last().map(|(edge, _)| (edge * width, Some(0.0)));
    let tops = steps.iter().map(|(edge, count)| (*edge, share(*count)));
    let points: Vec<_> = before.into_iter().chain(tops).chain(after).map(|(x, y)| (rounded(x), y)).collect();
    Series::new(Text::same(stage.name.as_str()), Style::Stage, points)
}

fn rounded(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}
