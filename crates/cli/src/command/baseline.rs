//! `rungs baseline accept RESULT [FILE]`: the numbers that later runs are compared with.

use std::path::Path;

use measure::gate::Baseline;
use measure::result::{RunResult, RunStatus, StageResult, StageStatus, Verdict};
use scenario::plan::Readers;

use crate::args::{BaselineAction, BaselineArgs};
use crate::exit::Code;
use crate::files::replace;
use crate::outputs::is_same;
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
    if is_same(result, file) {
        let file = file.display();
        screen::talk(format_args!("error: the baseline would be written over `{file}`, which is read"));
        return Code::Usage;
    }
    if let Some(reason) = unacceptable(&run) {
        screen::talk(format_args!("error: {} cannot be a baseline: {reason}", result.display()));
        return Code::NotJudged;
    }
    note_weaknesses(&run);
    write(&Baseline::of(&run, testbed), file)
}

/// Writes it whole, in place of an older one.
pub(super) fn write(baseline: &Baseline, file: &Path) -> Code {
    let written = serde_json::to_string_pretty(baseline)
        .map_err(anyhow::Error::from)
        .and_then(|text| replace(file, (text + "\n").as_bytes(), Readers::Everyone));
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
fn note_weaknesses(run: &RunResult) {
    let names = |is_so: fn(&StageResult) -> bool| {
        let names: Vec<&str> = run.climbed().filter(|stage| is_so(stage)).map(|stage| &*stage.name).collect();
        Some(names.join(", ")).filter(|names| !names.is_empty())
    };
    if let Some(stages) = names(|stage| !is_complete(stage)) {
        screen::talk(format_args!(
            "note    {stages} did not come to an end: the baseline has no row for it, and nothing is judged by it there"
        ));
    }
    if let Some(stages) = names(|stage| stage.success_rate.is_some_and(|rate| rate < 0.99)) {
        screen::talk(format_args!(
            "note    under 99% of the requests were ok in {stages}: later runs are compared with that"
        ));
    }
    if run.gate.verdict == Verdict::Fail {
        screen::talk("note    a strict check failed in this run");
    }
}

/// Why a run cannot be a baseline: that is a whole run of the file as committed, on a machine that kept up.
pub(super) fn unacceptable(run: &RunResult) -> Option<String> {
    if run.status != RunStatus::Completed {
        return Some("the run was not completed".to_owned());
    }
    if run.exit.code == Code::Bug as u8 {
        return Some(format!("its numbers are not to be trusted: {}", run.exit.reasons.join("; ")));
    }
    if let Some(stage) = run.climbed().find(|stage| stage.client.saturated) {
        return Some(format!("the load generator was saturated in stage {}", stage.name));
    }
    if run.against.is_some() {
        return Some("it is an A/B run, whose stages are cut into blocks; run A alone".to_owned());
    }
    if let Some(change) = run.scenario.overridden() {
        return Some(format!("the workload was overridden: {change}"));
    }
    if !run.climbed().any(is_complete) {
        return Some("no stage of it came to its end".to_owned());
    }
    let none_ok = run.climbed().filter(|stage| is_complete(stage)).all(|stage| stage.counts.ok == 0);
    none_ok.then(|| "no request was ok".to_owned())
}

fn is_complete(stage: &StageResult) -> bool {
    stage.status == StageStatus::Complete
}
