//! What is drawn: series of numbers with their names, no drawing. The page's script turns them into charts.

mod compared;
mod downsample;
mod histogram;
mod ladder;
mod moments;
mod over_time;
mod percentile;
mod series;
mod trend;

pub(super) use self::compared::Compared;
use measure::result::RunResult;
use serde::Serialize;

use self::moments::{Moments, Span};
use self::series::Chart;
use crate::sides;

/// Everything that the page draws.
#[derive(Debug, Serialize)]
pub(super) struct Charts {
    /// Stages on the time axis of the trends.
    stages: Vec<Span>,
    /// Times on it that are not measured: warm-up, ramp and drain.
    unmeasured: Vec<(f64, f64)>,
    /// End of the time axis in seconds.
    end: f64,
    /// The twelve, in the order of the page.
    trends: Vec<Chart>,
    ladder: Vec<Chart>,
    /// What those stand against.
    load: ladder::Axis,
    /// Levels with a name: held, first breach, knee, boundary.
    marks: Vec<ladder::Mark>,
    /// Both sides of an A/B run over one another.
    against: Vec<Chart>,
    percentiles: Vec<Chart>,
    histograms: Vec<Chart>,
    /// On the time axis of the trends.
    over_time: Vec<Chart>,
}

impl Charts {
    pub(super) fn of(run: &RunResult) -> Self {
        let moments = Moments::of(run);
        Self {
            trends: trend::charts(&moments),
            stages: moments.stages(),
            unmeasured: moments.unmeasured(),
            end: moments.end(),
            ladder: ladder::charts(run),
            load: ladder::axis(run),
            marks: ladder::marks(run),
            against: sides::compared(run, compared::of_sides).unwrap_or_default(),
            percentiles: percentile::charts(run),
            histograms: histogram::charts(run),
            over_time: over_time::charts(&moments),
        }
    }
}
