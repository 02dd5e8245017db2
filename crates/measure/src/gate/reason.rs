//! Why a check has no verdict: a closed set, so that every language can say it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::Check;
use crate::result::{CheckLine, Unit};

/// Why a check could not be judged on a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No stage of the run is in the check's scope.
    NotCovered,
    /// The stage never ran.
    Skipped,
    /// The stage did not come to its end.
    CutShort,
    /// The load generator was at its limit.
    Saturated,
    /// Fewer values than the statistic needs: see [`Reason::needed`].
    TooFewValues,
    /// The stage has no such number.
    NotMeasured,
    /// The run has no baseline that can be compared with.
    NoBaseline,
    /// The baseline's stage of this name had another load.
    OtherLoad,
    /// What the number is counted by was another one in the baseline: the objectives of goodput, the speed of smoothness.
    OtherYardstick,
    /// The baseline has no row for the stage.
    NotInBaseline,
    /// The baseline's row for the stage has no such number: see [`Reason::number`].
    NumberNotInBaseline,
    /// The statistic has no interval here or in the baseline, so that a change cannot be told from chance.
    NoInterval,
    /// The limit lies inside the interval of the change.
    Undecided,
    /// The other side of an A/B run has no such number in the stage, too few values behind it, or no ok request.
    NotOnOtherSide,
    /// The other side did not run the stage to its end.
    OtherCutShort,
    /// The load generator was at its limit on the other side.
    OtherSaturated,
    /// The A/B run has too few pairs of blocks to tell a change from chance.
    TooFewPairs,
    /// It failed, and when the stage was measured again it could not be judged.
    NotConfirmed,
}

impl Reason {
    /// Values that the statistic of a check needs at least; 1 for a text that is not a check.
    pub fn needed(check: &str) -> u64 {
        Check::parse(check).ok().and_then(|check| check.stat).map_or(1, super::Stat::needs)
    }

    /// What a check is written on (`ttft.p95`); nothing for a text that is not a check.
    pub fn number(check: &str) -> String {
        Check::parse(check).map(|check| check.statistic().to_string()).unwrap_or_default()
    }

    /// In English, as results hold it beside the code.
    pub(super) fn text(self, line: &CheckLine) -> String {
        let (n, stage) = (line.n, &line.stage);
        match self {
            Self::NotCovered => "no stage of this run is covered by the check".to_owned(),
            Self::Skipped => "the stage was skipped".to_owned(),
            Self::CutShort => "the stage was cut short".to_owned(),
            Self::Saturated => "the load generator was saturated: the numbers may be its own".to_owned(),
            Self::TooFewValues => {
                let needed = Self::needed(&line.check);
                let values = if n == 1 { "value" } else { "values" };
                format!("{n} {values}, at least {needed} are needed")
            }
            Self::NotMeasured => "nothing was measured".to_owned(),
            Self::NoBaseline => "no baseline is used in this run".to_owned(),
            Self::OtherLoad => format!("the baseline's stage {stage} had another load"),
            Self::OtherYardstick => {
                "the baseline was counted by another yardstick: other objectives or another reading speed"
                    .to_owned()
            }
            Self::NotInBaseline => format!("the baseline has no row for stage {stage}"),
            Self::NumberNotInBaseline => {
                format!("the baseline's row for stage {stage} has no `{}`", Self::number(&line.check))
            }
            Self::NoInterval => {
                "it has no interval, here or in the baseline: a change cannot be told from chance".to_owned()
            }
            Self::Undecided => match line.would_decide {
                Some(more) if line.would_decide_in == Some(Unit::Runs) => {
                    format!(
                        "the limit lies inside the interval of the change: about {more} repeats would decide"
                    )
                }
                Some(values) => {
                    format!(
                        "the limit lies inside the interval of the change: {n} values, about {values} would decide"
                    )
                }
                None => "the limit lies inside the interval of the change, and more values would not decide"
                    .to_owned(),
            },
            Self::NotOnOtherSide => {
                format!("B has no such number in stage {stage}, or too few values behind it")
            }
            Self::OtherCutShort => "the stage was cut short on B".to_owned(),
            Self::OtherSaturated => {
                "the load generator was saturated on B: its numbers may be its own".to_owned()
            }
            Self::TooFewPairs => "too few pairs of blocks to tell a change from chance".to_owned(),
            Self::NotConfirmed => {
                "it failed, and could not be judged when the stage was measured again".to_owned()
            }
        }
    }
}
