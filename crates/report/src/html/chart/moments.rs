//! The time axis of the trends: the seconds of all stages in one row.

use std::collections::BTreeMap;

use measure::result::{RunResult, Second, StageResult};
use serde::Serialize;

use super::super::text::Text;

/// One second of one stage. Where two stages share a second, it has a moment of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) second: &'a Second,
    pub(super) stage: &'a StageResult,
}

/// Every second of the run that a stage saw, in order.
#[derive(Debug)]
pub(super) struct Moments<'a> {
    stages: &'a [StageResult],
    by_second: BTreeMap<u64, Vec<Moment<'a>>>,
}

/// A stage on the time axis.
#[derive(Debug, Serialize)]
pub(super) struct Span {
    name: String,
    from: f64,
    to: f64,
}

impl<'a> Moments<'a> {
    pub(super) fn of(run: &'a RunResult) -> Self {
        let mut by_second: BTreeMap<u64, Vec<Moment<'a>>> = BTreeMap::new();
        for stage in &run.stages {
            for second in &stage.timeline {
                by_second.entry(second.t_s).or_default().push(Moment { second, stage });
            }
        }
        Self { stages: &run.stages, by_second }
    }

    /// A value per second, from its moments; an absent point stands where no stage ran.
    pub(super) fn points(
        &self,
        mut value: impl FnMut(&[Moment<'a>]) -> Option<f64>,
    ) -> Vec<(f64, Option<f64>)> {
        let mut points = Vec::with_capacity(self.by_second.len());
        let mut due = None;
        for (t_s, moments) in &self.by_second {
            if due.is_some_and(|due| due < *t_s) {
                points.push((*t_s as f64 - 1.0, None));
            }
            points.push((*t_s as f64, value(moments)));
            due = Some(t_s + 1);
        }
        points
    }

    /// Every moment, in order of time.
    pub(super) fn all(&self) -> impl Iterator<Item = Moment<'a>> {
        self.by_second.values().flatten().copied()
    }

    /// Whether a stage can say something about this.
    pub(super) fn any(&self, holds: impl Fn(&StageResult) -> bool) -> bool {
        self.stages.iter().any(holds)
    }

    /// Why there is no second at all to draw.
    pub(super) fn nothing_ran(&self) -> Option<Text> {
        self.by_second.is_empty().then(|| Text::new("No load was sent.", "未施加负载。"))
    }

    pub(super) fn stages(&self) -> Vec<Span> {
        let edges = |stage: &StageResult| {
            let (first, last) = (stage.timeline.first()?, stage.timeline.last()?);
            Some(Span { name: stage.name.clone(), from: first.t_s as f64, to: last.t_s as f64 + 1.0 })
        };
        self.stages.iter().filter_map(edges).collect()
    }

    /// Stretches of seconds that began outside a stage's window.
    pub(super) fn unmeasured(&self) -> Vec<(f64, f64)> {
        let mut stretches: Vec<(f64, f64)> = Vec::new();
        for (t_s, moments) in &self.by_second {
            if moments.iter().any(|moment| moment.second.phase == "measure") {
                continue;
            }
            let from = *t_s as f64;
            match stretches.last_mut() {
                Some(last) if (last.1 - from).abs() < f64::EPSILON => last.1 = from + 1.0,
                _ => stretches.push((from, from + 1.0)),
            }
        }
        stretches
    }

    pub(super) fn end(&self) -> f64 {
        self.by_second.last_key_value().map_or(0.0, |(t_s, _)| *t_s as f64 + 1.0)
    }
}
