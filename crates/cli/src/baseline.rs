//! The baseline that checks ask for, or why there is none to judge by.

use std::fmt::Display;

use measure::gate::{self, Baseline, BaselineError, Limit, Rule, Tight};
use measure::result::{RunResult, StageResult};
use report::Lang;
use scenario::plan::Plan;

use crate::screen;
use crate::subject::{JudgedBy, Subject};

/// The baseline of a run, or why there is none to judge by.
#[derive(Debug)]
pub(crate) enum BaselineState {
    /// It can be compared with.
    Usable(Box<Baseline>),
    /// No check asks for one.
    NotAsked,
    /// A check asks for one that is not usable; why.
    Unusable(String),
}

impl BaselineState {
    /// Reads the baseline of a scenario for a run; says so where it cannot be used, as a whole or for a stage.
    pub(crate) fn read(plan: &Plan, run: &Subject) -> Self {
        if run.judged_by == JudgedBy::OtherSide || !asks_for_one(plan) {
            return Self::NotAsked;
        }
        match load(plan, run) {
            Ok(baseline) => {
                gaps(plan, run, &baseline).iter().for_each(note);
                Self::Usable(Box::new(baseline))
            }
            Err(reason) => {
                note(format_args!("checks against the baseline will not be judged: {reason}"));
                Self::Unusable(reason)
            }
        }
    }

    pub(crate) fn usable(&self) -> Option<&Baseline> {
        match self {
            Self::Usable(baseline) => Some(baseline),
            Self::NotAsked | Self::Unusable(_) => None,
        }
    }
}

/// Checks against the baseline that allow less than it scatters by itself, each in a sentence; `climbs` as in [`gate::tight`].
pub(crate) fn tight(
    rules: &[Rule],
    stages: &[StageResult],
    climbs: impl Fn(&StageResult) -> usize,
    baseline: &Baseline,
    lang: Lang,
) -> Vec<String> {
    let found = gate::tight(rules, stages, climbs, baseline);
    let sentence = |tight: &Tight<'_>| {
        let (check, stage) = (&tight.rule.check.text, tight.stage);
        let floor = format!("{:.1}%", tight.floor * 100.0);
        lang.pick(
            format!("`{check}` in stage {stage} allows less than chance alone changes it by ({floor}): allow more, or measure more"),
            format!("级别 {stage} 的检查 `{check}` 所允许的变化小于偶然波动（{floor}）：请放宽限值或增加测量"),
        )
    };
    found.iter().map(sentence).collect()
}

/// Whether a check of the scenario is against the baseline.
pub(crate) fn asks_for_one(plan: &Plan) -> bool {
    plan.gate.rules.iter().any(is_against_it)
}

fn is_against_it(rule: &Rule) -> bool {
    matches!(rule.check.limit, Limit::Baseline { .. })
}

fn note(text: impl Display) {
    screen::talk(format_args!("note    {text}"));
}

/// The baseline as the run is judged by it.
fn load(plan: &Plan, run: &Subject) -> Result<Baseline, String> {
    let baseline = stored(plan)?;
    if let Some(change) = run.scenario.overridden() {
        return Err(format!("the workload was overridden ({change})"));
    }
    let comparable = run.comparable(&plan.gate.testbed);
    baseline
        .for_run(comparable)
        .map_err(|reason| format!("{reason}; `rungs baseline accept` makes a new one"))
}

fn stored(plan: &Plan) -> Result<Baseline, String> {
    let path = plan.gate.baseline.as_deref().ok_or("`[gate] baseline` names no file")?;
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("there is no `{shown}` yet (`rungs baseline accept` makes it)")
        }
        _ => format!("`{shown}` cannot be read: {error}"),
    })?;
    Baseline::from_json(&text).map_err(|error| match (&error, RunResult::from_json(&text)) {
        (_, Ok(_)) => {
            format!("`{shown}` is a result; `rungs baseline accept {shown} FILE` makes a baseline of it")
        }
        (BaselineError::Newer(_), Err(_)) => {
            format!("`{shown}` {error}; use that one, or make a new baseline with `rungs baseline accept`")
        }
        (_, Err(_)) => format!("`{shown}` {error}; `rungs baseline accept` makes a new one"),
    })
}

/// What a usable baseline does not cover of a run, each in a sentence.
fn gaps(plan: &Plan, run: &Subject, baseline: &Baseline) -> Vec<String> {
    let rules: Vec<&Rule> = plan.gate.rules.iter().filter(|rule| is_against_it(rule)).collect();
    let by_another_yardstick = |rule: &&Rule| {
        let change = baseline.other_yardstick(rule.check.statistic().metric)?;
        Some(format!("`{}` will not be judged: {change}", rule.check.text))
    };
    let is_covered = |stage: &&StageResult| {
        rules.iter().any(|rule| rule.check.scope.covers(&stage.name, stage.most_users()))
    };
    let on_stage = |stage: &StageResult| {
        let gap = baseline.gap(stage)?;
        Some(format!("stage {} will not be judged against the baseline: {gap}", stage.name))
    };
    let unknown = unknown(run, baseline).into_iter();
    let checks = rules.iter().filter_map(by_another_yardstick);
    unknown.chain(checks).chain(run.stages.iter().filter(is_covered).filter_map(on_stage)).collect()
}

/// What cannot be compared because one of the two is older than its being stored.
fn unknown(run: &Subject, baseline: &Baseline) -> Option<String> {
    let older = match (&baseline.workload, &run.scenario.workload) {
        (Some(_), Some(_)) => return None,
        (None, _) => "baseline",
        (Some(_), None) => "run",
    };
    Some(format!(
        "the {older} is of an older rungs and does not say what was sent: other prompts, another body or another load \
         would not be noticed"
    ))
}
