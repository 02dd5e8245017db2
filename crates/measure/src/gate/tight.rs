//! Checks that allow less than a number scatters by itself.

use super::baseline::Baseline;
use super::check::{Limit, Rule};
use super::judge::measured;
use crate::result::StageResult;

/// A check that will hardly ever be decided on a stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tight<'a> {
    /// The check.
    pub rule: &'a Rule,
    /// The stage.
    pub stage: &'a str,
    /// What chance alone changes the number by, as a share of it.
    pub floor: f64,
}

/// The checks against a baseline that are tighter than its noise floor, on each stage they cover; `climbs` of a stage are
/// how often it is measured in the run that is judged.
pub fn tight<'a>(
    rules: &'a [Rule],
    stages: &'a [StageResult],
    climbs: impl Fn(&StageResult) -> usize,
    baseline: &Baseline,
) -> Vec<Tight<'a>> {
    let on = |rule: &'a Rule, stage: &'a StageResult| {
        let Limit::Baseline { change } = rule.check.limit else { return None };
        let of = rule.check.statistic();
        let floor = baseline.noise_floor(of, &stage.name, climbs(stage))?;
        let covered = rule.check.scope.covers(&stage.name, stage.most_users());
        let value = measured(of, stage).0.filter(|value| *value > 0.0);
        let least = rule.min_change.zip(value).map_or(0.0, |(least, value)| least / value);
        (covered && floor > change.abs().max(least)).then_some(Tight { rule, stage: &stage.name, floor })
    };
    rules.iter().flat_map(|rule| stages.iter().filter_map(|stage| on(rule, stage))).collect()
}
