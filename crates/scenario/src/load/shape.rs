//! How a stage comes to its level: at once, over a ramp before its window, or evenly over the whole window.

use std::time::Duration;

use measure::Level;

use super::inherit::Inherit;
use super::stages::MOST_USERS;
use super::work::Least;
use crate::plan::{Shape, Stage, StageEnd};

/// The two words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Step,
    Ramp,
}

pub(super) const WORDS: &[(&str, Word)] = &[("step", Word::Step), ("ramp", Word::Ramp)];

impl Word {
    /// Reads `shape`; a step where it is wrong (reported).
    pub(super) fn read(stage: Inherit<'_>) -> Self {
        stage.of("shape").choice("shape", WORDS).unwrap_or(Self::Step)
    }

    pub(super) fn least(self) -> Least {
        match self {
            Self::Step => Least::Some,
            Self::Ramp => Least::Zero,
        }
    }
}

/// The shape of a stage of this level; `before` is the stage before it, if that could be read.
pub(super) fn read(
    stage: Inherit<'_>,
    word: Word,
    level: Level,
    end: StageEnd,
    before: Option<&Stage>,
) -> Option<Shape> {
    match word {
        Word::Step => {
            stage.refuse(&["from"], "only a ramp begins at another level");
            Some(step(stage, level))
        }
        Word::Ramp => ramp(stage, level, end, before),
    }
}

/// Users start evenly over `ramp_up`, or so many at a time as `spawn_rate` says for each second.
fn step(stage: Inherit<'_>, level: Level) -> Shape {
    let own = |key| stage.own(key).is_some();
    let (over, rate) = (stage.of("ramp_up"), stage.of("spawn_rate"));
    // What the stage says itself goes before what `[load]` says in the other way.
    let by_rate = own("spawn_rate") || (rate.said("spawn_rate").is_some() && !own("ramp_up"));
    match (level, rate.positive_number("spawn_rate")) {
        (Level::Users(users), Some(rate)) if by_rate => Shape::Step {
            ramp_up: Duration::try_from_secs_f64(f64::from(users) / rate).unwrap_or(Duration::MAX),
            together: (rate.floor() as u32).max(1),
        },
        _ => Shape::Step { ramp_up: over.duration("ramp_up").unwrap_or_default(), together: 1 },
    }
}

fn ramp(stage: Inherit<'_>, level: Level, end: StageEnd, before: Option<&Stage>) -> Option<Shape> {
    let problems = stage.load.context.problems;
    let node = stage.said("shape")?;
    stage.refuse(&["ramp_up", "spawn_rate"], "a ramp goes on from the level of the stage before");
    let from = begin(stage, level, before);
    if before.is_some_and(|before| before.level().unit() != level.unit()) {
        problems.error_with_hint(
            &node.place,
            "a ramp goes on from the stage before, and that one counts something else",
            "ramp from users to users, or from a rate to a rate",
        );
        return None;
    }
    if !matches!(end, StageEnd::After(_)) {
        problems.error_with_hint(&node.place, "a ramp lasts for a time", "say `duration = \"60s\"`");
        return None;
    }
    if let Some(before) = before.filter(|before| !matches!(before.end, StageEnd::After(_))) {
        problems.error_with_hint(
            &node.place,
            format!(
                "a ramp goes on from the stage before at its time, and `{}` ends by its requests",
                before.name
            ),
            "give that stage a `duration`, or make this one a step",
        );
        return None;
    }
    if from == 0.0 && level.amount().get() == 0.0 {
        problems.error(&node.place, "a ramp from 0 to 0 sends nothing");
        return None;
    }
    if before.is_some() {
        stage.refuse(&["from"], "a ramp goes on from the level of the stage before");
        stage.refuse(
            &["arrival", "burstiness", "max_in_flight"],
            "a ramp goes on with the arrivals of the stage before it",
        );
    }
    Some(Shape::Ramp { from })
}

/// The level at which a ramp begins: that of the stage before, or what the first stage says.
fn begin(stage: Inherit<'_>, level: Level, before: Option<&Stage>) -> f64 {
    let said = stage.own.filter(|own| own.said("from").is_some());
    match (before, said, level) {
        (Some(before), ..) => before.level().amount().get(),
        (None, Some(own), Level::Users(_)) => own.count("from", 0..=MOST_USERS).unwrap_or(0) as f64,
        (None, Some(own), Level::Rate(_)) => own.number("from").unwrap_or(0.0),
        (None, None, _) => 0.0,
    }
}
