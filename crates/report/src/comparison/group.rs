//! Stages of different runs that stand beside one another. Steps go by what they held: unit and level, those of a search
//! too. Where a run has two steps of one level, those of the same name stand together, and the others in their order.
//! Ramps and traces go by their name and load: a ramp to another level is another thing.

use measure::result::{RunResult, StageDifference, StageResult, StageStatus};
use measure::{Level, LoadUnit};

use crate::{Lang, load};

/// Stages of one load.
#[derive(Debug)]
pub struct Group<'a> {
    /// One per run, absent where the run has none that ran.
    pub stages: Vec<Option<&'a StageResult>>,
    /// What differs, where the runs are the sides of an A/B run.
    pub(super) difference: Option<&'a StageDifference>,
}

impl<'a> Group<'a> {
    /// Those that ran.
    pub fn ran(&self) -> impl Iterator<Item = &'a StageResult> + '_ {
        self.stages.iter().copied().flatten()
    }

    /// What differs, where the runs are the sides of an A/B run.
    pub(crate) fn difference(&self) -> Option<&'a StageDifference> {
        self.difference
    }

    /// Whether its stages held one level.
    pub fn is_step(&self) -> bool {
        self.ran().next().is_some_and(StageResult::is_step)
    }

    /// The level that its stages held, or came to.
    pub fn level(&self) -> Option<Level> {
        self.ran().next().map(StageResult::level)
    }

    /// What to know of a run's stage before its numbers are read.
    pub fn remarks(&self, run: usize) -> Vec<Remark> {
        let Some(stage) = self.stages.get(run).copied().flatten() else { return vec![Remark::NotRun] };
        let cut = match stage.status {
            StageStatus::Incomplete => Some(Remark::CutShort),
            StageStatus::Stopped => Some(Remark::Stopped),
            StageStatus::Complete | StageStatus::Skipped => None,
        };
        cut.into_iter().chain(stage.client.saturated.then_some(Remark::Saturated)).collect()
    }

    /// Its load in words: `20 users`, `up: 0 to 100 users`.
    pub fn title(&self, lang: Lang) -> String {
        let Some(stage) = self.ran().next() else { return String::new() };
        match stage.is_step() {
            true => load::stage(stage, lang),
            false => crate::plain::line(&stage.name) + lang.pick(": ", "：") + &load::stage(stage, lang),
        }
    }
}

/// What is said beside the name of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remark {
    /// It did not have this load.
    NotRun,
    /// The stage did not come to its end.
    CutShort,
    /// A check of `[load.stop]` ended it.
    Stopped,
    /// The load generator was at its limit.
    Saturated,
}

impl Remark {
    /// In words.
    pub fn words(self, lang: Lang) -> &'static str {
        match self {
            Self::NotRun => lang.pick("did not run this", "未运行本级"),
            Self::CutShort => lang.pick("cut short", "未跑完"),
            Self::Stopped => lang.pick("stopped", "已停止"),
            Self::Saturated => lang.pick("generator at its limit", "压测机达极限"),
        }
    }

    /// In a letter, as in the table of one run.
    pub fn letter(self) -> &'static str {
        match self {
            Self::NotRun => "",
            Self::CutShort | Self::Stopped => "~",
            Self::Saturated => "!",
        }
    }
}

/// What puts a stage beside others.
type Key = (LoadUnit, u64, Option<(String, String)>);

/// All stages that ran, each in one group.
pub(super) fn of(runs: &[RunResult]) -> Vec<Group<'_>> {
    let mut groups: Vec<(Key, Group<'_>)> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let ran: Vec<_> = run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped).collect();
        // A namesake has the first claim on a place.
        let (same, other): (Vec<_>, Vec<_>) = ran.into_iter().partition(|stage| has_namesake(&groups, stage));
        for stage in same.into_iter().chain(other) {
            let place = place(&groups, index, stage).unwrap_or_else(|| {
                groups.push((key(stage), Group { stages: vec![None; runs.len()], difference: None }));
                groups.len() - 1
            });
            groups[place].1.stages[index] = Some(stage);
        }
    }
    // Stable: what has no order of its own stays as it was run.
    groups.sort_by(|(one, of), (other, with)| {
        let step = |group: &Group<'_>| !group.is_step();
        let level = |group: &Group<'_>| group.level().map_or(0.0, |level| level.amount().get());
        let by_kind = (step(of), one.0 as u8).cmp(&(step(with), other.0 as u8));
        by_kind.then(if step(of) { std::cmp::Ordering::Equal } else { level(of).total_cmp(&level(with)) })
    });
    groups.into_iter().map(|(_, group)| group).collect()
}

fn key(stage: &StageResult) -> Key {
    let level = stage.level();
    let named = (!stage.is_step()).then(|| (stage.name.clone(), load::cell(stage)));
    (level.unit(), level.amount().get().to_bits(), named)
}

fn has_namesake(groups: &[(Key, Group<'_>)], stage: &StageResult) -> bool {
    groups.iter().any(|(of, group)| *of == key(stage) && bears_name(group, stage))
}

fn bears_name(group: &Group<'_>, stage: &StageResult) -> bool {
    group.ran().any(|other| other.name == stage.name)
}

/// The group of this load in which the run has no stage yet: that of a namesake, else the first.
fn place(groups: &[(Key, Group<'_>)], run: usize, stage: &StageResult) -> Option<usize> {
    let free = |(of, group): &(Key, Group<'_>)| *of == key(stage) && group.stages[run].is_none();
    let namesake = groups.iter().position(|of| free(of) && bears_name(&of.1, stage));
    namesake.or_else(|| groups.iter().position(free))
}
