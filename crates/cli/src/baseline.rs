//! The baseline that checks ask for, or why there is none to judge by.

use measure::gate::{self, Baseline, Limit, Rule, Tight};
use measure::result::{RunResult, StageResult};
use report::Lang;
use scenario::plan::Plan;

use crate::screen;

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
    /// Reads the baseline of a scenario for a run with this api and model; says so where it cannot be used.
    pub(crate) fn read(plan: &Plan, api: &str, model: Option<&str>) -> Self {
        // In an A/B run they are judged by the other side.
        if plan.against.is_some()
            || !plan.gate.rules.iter().any(|rule| matches!(rule.check.limit, Limit::Baseline { .. }))
        {
            return Self::NotAsked;
        }
        let usable =
            load(plan).and_then(|baseline| match baseline.mismatch(api, model, &plan.gate.testbed) {
                Some(reason) => Err(reason),
                None => Ok(baseline),
            });
        match usable {
            Ok(baseline) => Self::Usable(Box::new(baseline)),
            Err(reason) => {
                screen::talk(format_args!(
                    "note    checks against the baseline will not be judged: {reason}"
                ));
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

/// Checks against the baseline that allow less than it scatters by itself, each in a sentence.
pub(crate) fn tight(rules: &[Rule], stages: &[StageResult], baseline: &Baseline, lang: Lang) -> Vec<String> {
    let found = gate::tight(rules, stages, baseline);
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

fn load(plan: &Plan) -> Result<Baseline, String> {
    let path = plan.gate.baseline.as_deref().ok_or("`[gate] baseline` names no file")?;
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("there is no `{shown}` yet (`rungs baseline accept` makes it)")
        }
        _ => format!("`{shown}` cannot be read: {error}"),
    })?;
    let baseline = serde_json::from_str(&text).map_err(|error| match RunResult::from_json(&text) {
        Ok(_) => {
            format!("`{shown}` is a result; `rungs baseline accept {shown} FILE` makes a baseline of it")
        }
        Err(_) => format!("`{shown}` is not a baseline: {error}"),
    })?;
    match plan.fingerprint.overrides.iter().find(|change| change.changes_workload) {
        Some(change) => Err(format!("the workload was overridden ({} by {})", change.key, change.source)),
        None => Ok(baseline),
    }
}
