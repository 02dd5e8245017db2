//! `rungs baseline accept RESULT [FILE]`: the numbers that later runs are compared with.

use std::path::Path;

use measure::gate::Baseline;
use measure::result::{RunResult, RunStatus, Verdict};

use crate::args::{BaselineAction, BaselineArgs};
use crate::exit::Code;
use crate::files::replace;
use crate::prepare::language;
use crate::saved::read_run;
use crate::screen;

pub(crate) fn baseline(args: &BaselineArgs) -> Code {
    let BaselineAction::Accept { result, file, testbed } = &args.action;
    let run = match read_run(result, language(None)) {
        Ok(run) => run,
        Err(error) => {
            screen::talk(format_args!("error: {error:#}"));
            return Code::Usage;
        }
    };
    if let Some(reason) = unacceptable(&run) {
        screen::talk(format_args!("error: {} cannot be a baseline: {reason}", result.display()));
        return Code::NotJudged;
    }
    note_failures(&run);
    write(&Baseline::of(&run, testbed), file)
}

/// Writes it whole, in place of an older one.
pub(super) fn write(baseline: &Baseline, file: &Path) -> Code {
    let written = serde_json::to_string_pretty(baseline)
        .map_err(anyhow::Error::from)
        .and_then(|text| replace(file, (text + "\n").as_bytes()));
    match written {
        Ok(()) => {
            screen::talk(format_args!("baseline written to {}", file.display()));
            Code::Done
        }
        Err(error) => {
            screen::talk(format_args!("error: {error:#}"));
            Code::Output
        }
    }
}

/// A run that went badly can be what a team wants to compare with, but not unnoticed.
fn note_failures(run: &RunResult) {
    let low = run.stages.iter().filter(|stage| stage.success_rate.is_some_and(|rate| rate < 0.99));
    let low: Vec<&str> = low.map(|stage| stage.name.as_str()).collect();
    if !low.is_empty() {
        let stages = low.join(", ");
        screen::talk(format_args!(
            "note    under 99% of the requests were ok in {stages}: later runs are compared with that"
        ));
    }
    if run.gate.verdict == Verdict::Fail {
        screen::talk("note    a strict check failed in this run");
    }
}

/// A baseline must be a whole run of the file as committed, on a machine that kept up.
pub(super) fn unacceptable(run: &RunResult) -> Option<String> {
    if run.status != RunStatus::Completed {
        return Some("the run was not completed".to_owned());
    }
    if let Some(stage) = run.stages.iter().find(|stage| stage.client.saturated) {
        return Some(format!("the load generator was saturated in stage {}", stage.name));
    }
    let change = run.scenario.overrides.iter().find(|change| change.changes_workload)?;
    Some(format!("the workload was overridden: {} by {}", change.key, change.source))
}
