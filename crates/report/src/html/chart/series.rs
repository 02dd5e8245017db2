//! A chart: named series over one axis.

use serde::Serialize;

use super::super::text::Text;

/// One chart, or the reason why there is none.
#[derive(Debug, Serialize)]
pub(super) struct Chart {
    pub(super) id: &'static str,
    pub(super) title: Text,
    /// Of the values.
    pub(super) unit: Text,
    pub(super) kind: Kind,
    pub(super) series: Vec<Series>,
    /// In place of series, where two axes are not enough.
    pub(super) heat: Option<Heat>,
    /// Shown in place of the chart when no series has a value.
    pub(super) empty: Option<Text>,
}

/// How a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// A line per series.
    Lines,
    /// Tops of bars that stand side by side.
    Steps,
    /// Bars on top of one another.
    Bars,
    /// Cells in the colour of their number.
    Heat,
}

/// Counts over two axes. `x` and `y` are the edges of the cells, one more than there are; a row per step of `y`.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Heat {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) z: Vec<Vec<Option<u64>>>,
}

/// One line of a chart.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Series {
    pub(super) name: Text,
    pub(super) style: Style,
    /// Whose line it is where several runs are compared: every chart shows it in the same colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<usize>,
    pub(super) x: Vec<f64>,
    /// Absent where nothing was measured: the line has a gap there.
    pub(super) y: Vec<Option<f64>>,
}

/// How a line is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Style {
    /// The line that the chart is about.
    Main,
    /// Beside it.
    Second,
    /// The tail of the same values.
    Tail,
    /// What should be zero.
    Bad,
    /// What a server refuses by design: 429.
    Refused,
    /// A level to compare with.
    Level,
    /// Against an axis of its own, on the right.
    Right,
    /// One of as many as there are stages.
    Stage,
}

impl Series {
    pub(super) fn new(
        name: Text,
        style: Style,
        points: impl IntoIterator<Item = (f64, Option<f64>)>,
    ) -> Self {
        let (x, y) = points.into_iter().map(|(x, y)| (x, y.filter(|y| y.is_finite()).map(figures))).unzip();
        Self { name, style, run: None, x, y }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.y.iter().all(Option::is_none)
    }
}

impl Chart {
    /// A chart of the series that have values; without any, the reason stands in their place.
    pub(super) fn new(
        id: &'static str,
        title: (&str, &str),
        unit: (&str, &str),
        series: Vec<Series>,
        reason: impl FnOnce() -> Text,
    ) -> Self {
        let series: Vec<_> = series.into_iter().filter(|series| !series.is_empty()).collect();
        let empty = series.is_empty().then(reason);
        Self { id, title: title.into(), unit: unit.into(), kind: Kind::Lines, series, heat: None, empty }
    }
}

/// Four significant figures: more than a pixel shows, and half the size of the page's data.
fn figures(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10_f64.powf(3.0 - value.abs().log10().floor());
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_four_figures() {
        let rows =
            [(0.0, 0.0), (0.012_345_6, 0.012_35), (1234.56, 1235.0), (98_765.4, 98_770.0), (-2.0, -2.0)];
        for (value, expected) in rows {
            assert!((figures(value) - expected).abs() < 1e-9, "{value}: {}", figures(value));
        }
    }
}
