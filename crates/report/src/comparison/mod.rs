//! Saved runs side by side: which is which, their stages by load, every number with its change against the first run, and
//! what that means in sentences. The page, Markdown, CSV and the terminal show it.

mod caveat;
mod change;
mod column;
mod conclusion;
mod difference;
mod group;
mod label;
mod rows;
mod terminal;

use measure::LoadUnit;
use measure::result::{RunResult, StageDifference, StageResult};

pub use caveat::uncertainty;
pub use change::{Change, Tone};
pub use column::{COLUMNS, Column};
pub use conclusion::conclusion;
pub use difference::{Fact, facts};
pub use group::{Group, Remark};
pub(crate) use rows::{head, rows};
pub use terminal::terminal;

/// Runs side by side; the first is what the others are compared with.
#[derive(Debug)]
pub struct Comparison<'a> {
    runs: Vec<Side<'a>>,
    groups: Vec<Group<'a>>,
}

/// One of the runs.
#[derive(Debug)]
pub struct Side<'a> {
    /// Tells it from the others; unique.
    pub label: String,
    /// The same where there is little room.
    pub short: String,
    /// All of it.
    pub run: &'a RunResult,
}

impl<'a> Comparison<'a> {
    /// Most runs of a comparison: more lines of one chart cannot be told apart by their colours.
    pub const MOST: usize = 8;

    /// Puts runs side by side, in their order. Those beyond [`Self::MOST`] are left out.
    pub fn of(runs: &'a [RunResult]) -> Self {
        let runs = &runs[..runs.len().min(Self::MOST)];
        let sides = label::of(runs).into_iter().zip(runs);
        let sides = sides.map(|(label::Label { full, short }, run)| Side { label: full, short, run });
        Self { runs: sides.collect(), groups: group::of(runs) }
    }

    /// The two sides of an A/B run, B first: their differences are known by pairs of blocks.
    pub(crate) fn of_sides(sides: &'a [RunResult; 2], differences: &'a [StageDifference]) -> Self {
        let mut of = Self::of(sides);
        for (side, name) in of.runs.iter_mut().zip(["B", "A"]) {
            name.clone_into(&mut side.short);
            side.label = match sides[0].base_url == sides[1].base_url && sides[0].model == sides[1].model {
                true => name.to_owned(),
                false => format!("{name}: {}", side.label),
            };
        }
        for group in &mut of.groups {
            let name = group.ran().next().map(|stage| stage.name.as_str());
            group.difference = differences.iter().find(|difference| Some(difference.stage.as_str()) == name);
        }
        of
    }

    /// The runs, the reference first.
    pub fn runs(&self) -> &[Side<'a>] {
        &self.runs
    }

    /// Stages that stand beside one another: steps from little load to much, then ramps and traces.
    pub fn groups(&self) -> &[Group<'a>] {
        &self.groups
    }

    /// What the ladders of all runs count; `None` where they differ.
    pub fn unit(&self) -> Option<LoadUnit> {
        let first = self.runs.first()?.run.ladder.unit;
        self.measured().all(|(_, side)| side.run.ladder.unit == first).then_some(first)
    }

    /// The highest level that every run ran which measured anything; `None` where there is none, and for fewer than two
    /// such runs.
    pub fn common(&self) -> Option<&Group<'a>> {
        let measured: Vec<usize> = self.measured().map(|(index, _)| index).collect();
        let shared = |group: &&Group<'_>| {
            measured.iter().all(|index| group.stages[*index].is_some_and(has_started)) && group.is_step()
        };
        self.groups.iter().filter(|_| measured.len() > 1).rfind(shared)
    }

    /// The runs that sent any measured request, each with its place.
    pub(crate) fn measured(&self) -> impl Iterator<Item = (usize, &Side<'a>)> {
        self.runs.iter().enumerate().filter(|(_, side)| side.run.stages.iter().any(has_started))
    }
}

pub(crate) fn has_started(stage: &StageResult) -> bool {
    stage.counts.started > 0
}
