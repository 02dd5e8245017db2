//! The stages of a search: it goes where it leads and breaks things on purpose, so that they are no rungs of the ladder.

use measure::result::{RunResult, SEARCHED, StageResult, StageStatus};

use crate::{Lang, load};

/// What the search took from a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Every check held.
    Holds,
    /// A check did not.
    Breaks,
    /// Too little was measured.
    Undecided,
}

impl Found {
    /// In a word.
    pub(crate) fn word(self, lang: Lang) -> &'static str {
        match self {
            Self::Holds => lang.pick("holds", "稳定"),
            Self::Breaks => lang.pick("breaks", "越限"),
            Self::Undecided => lang.pick("undecided", "无法判定"),
        }
    }
}

/// What came of a stage of the search; nothing of a stage of the ladder, or one that did not run.
pub(crate) fn found(run: &RunResult, stage: &StageResult) -> Option<Found> {
    let search = run.search.as_ref().filter(|_| is_of_search(run, stage))?;
    let level = load::amount(stage);
    let is = |amount: Option<u32>| amount.is_some_and(|amount| f64::from(amount) == level);
    let below = |amount: Option<u32>| amount.is_some_and(|amount| level <= f64::from(amount));
    match stage.status {
        StageStatus::Skipped => None,
        StageStatus::Incomplete => Some(Found::Undecided),
        StageStatus::Complete | StageStatus::Stopped if is(search.undecided) => Some(Found::Undecided),
        StageStatus::Complete | StageStatus::Stopped if below(search.holds) => Some(Found::Holds),
        StageStatus::Complete | StageStatus::Stopped => Some(Found::Breaks),
    }
}

/// Whether a stage belongs to the search rather than to what the scenario lists.
pub(crate) fn is_of_search(run: &RunResult, stage: &StageResult) -> bool {
    run.search.is_some() && stage.name.starts_with(SEARCHED)
}

/// The stages that ran: those that the scenario lists, and those of the search only where nothing else ran.
pub(crate) fn climbed(run: &RunResult) -> Vec<&StageResult> {
    let ran: Vec<&StageResult> =
        run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped).collect();
    let listed: Vec<&StageResult> = ran.iter().copied().filter(|stage| !is_of_search(run, stage)).collect();
    if listed.is_empty() { ran } else { listed }
}
