//! The exit codes: a public table, mapped from a finished run in one function.

use std::process::ExitCode;

use measure::result::{Exit, RunResult, StageResult, StageStatus, Verdict};
use measure::{ErrorClass, ErrorGroup, Outcome};
use report::{Ended, Lang};

/// Every exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// Done, and the gate (if any) passed.
    Done = 0,
    /// A strict check failed.
    GateFailed = 1,
    /// Wrong command line.
    Usage = 2,
    /// The scenario is not valid.
    Scenario = 3,
    /// The target cannot be used.
    Target = 4,
    /// Not judged.
    NotJudged = 5,
    /// An output could not be written.
    Output = 6,
    /// A bug.
    Bug = 70,
    /// Interrupted by INT.
    Interrupted = 130,
    /// Interrupted by TERM.
    Terminated = 143,
}

impl Code {
    /// The stronger of two.
    pub(crate) fn or(self, other: Self) -> Self {
        let rank = |code: Self| ORDER.iter().position(|of| *of == code).unwrap_or(ORDER.len());
        if rank(other) < rank(self) { other } else { self }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// Strongest first.
const ORDER: [Code; 7] = [
    Code::Interrupted,
    Code::Terminated,
    Code::Bug,
    Code::Output,
    Code::Target,
    Code::GateFailed,
    Code::NotJudged,
];

/// What a run's exit code is made from, beside its result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Circumstances {
    /// The signal that ended the run.
    pub(crate) signal: Option<Signal>,
    /// Outputs that could not be written, each as a sentence.
    pub(crate) unwritten: Vec<String>,
    /// What does not add up: the numbers are not to be trusted.
    pub(crate) unaccounted: Option<String>,
    /// Why the target cannot be used, and what was found out about it.
    pub(crate) unusable: Vec<String>,
}

/// A signal that ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// From a CI system or supervisor.
    Terminate,
}

/// The exit code of a finished run, and every reason for it.
pub(crate) fn judge(run: &RunResult, around: &Circumstances) -> (Code, Exit) {
    let reasons = reasons(run, around);
    let code = reasons.iter().map(|(code, _)| *code).fold(Code::Done, Code::or);
    let reasons = reasons.into_iter().map(|(_, text)| text).collect();
    (code, Exit { code: code as u8, reasons })
}

fn reasons(run: &RunResult, around: &Circumstances) -> Vec<(Code, String)> {
    let mut reasons = Vec::new();
    match around.signal {
        Some(Signal::Interrupt) => reasons.push((Code::Interrupted, stored(Ended::Interrupted))),
        Some(Signal::Terminate) => reasons.push((Code::Terminated, stored(Ended::Terminated))),
        None => {}
    }
    reasons.extend(
        around.unaccounted.iter().map(|sums| {
            (Code::Bug, format!("the sums of the run do not add up, please report this ({sums})"))
        }),
    );
    reasons.extend(faults(run).map(|text| (Code::Bug, text)));
    reasons.extend(around.unwritten.iter().map(|text| (Code::Output, text.clone())));
    reasons.extend(around.unusable.iter().map(|text| (Code::Target, text.clone())));
    match run.gate.verdict {
        Verdict::Fail => reasons.push((Code::GateFailed, stored(Ended::GateFailed))),
        Verdict::NotJudged => reasons.push((Code::NotJudged, stored(Ended::NotJudged))),
        Verdict::None => {
            reasons.extend(ungated(run).into_iter().map(|reason| (Code::NotJudged, stored(reason))));
        }
        Verdict::Pass => {}
    }
    reasons
}

/// Requests in the middle of which this program failed.
fn faults(run: &RunResult) -> Option<String> {
    let internal = Outcome::Failed(ErrorClass::Internal);
    let against = run.against.as_ref();
    let preflights = run.preflight.iter().chain(against.and_then(|against| against.preflight.as_ref()));
    let before = preflights.filter(|preflight| preflight.outcome == internal);
    let before = before.filter_map(|preflight| Some((1, preflight.error.as_ref()?)));
    let stages = run.stages.iter().chain(against.iter().flat_map(|against| &against.stages));
    let errors = stages.flat_map(|stage| &stage.errors).filter(|error| error.class == internal.name());
    let all: Vec<_> = before.chain(errors.map(|error| (error.count, &error.example))).collect();
    let (_, example) = all.first()?;
    let requests = match all.iter().map(|(count, _)| count).sum() {
        1 => "1 request".to_owned(),
        count => format!("{count} requests"),
    };
    Some(format!("rungs itself failed in {requests}, please report this ({})", example.message))
}

/// Results hold reasons in English; reports say them in either language.
fn stored(reason: Ended) -> String {
    reason.text(Lang::En).to_owned()
}

/// Without a gate a run is still not a success when it shows nothing, on either side. What a search breaks it breaks on
/// purpose.
fn ungated(run: &RunResult) -> Vec<Ended> {
    let a: Vec<&StageResult> = run.climbed().collect();
    let b = run.against.as_ref().map(|against| against.stages.iter().collect::<Vec<_>>());
    let all = || a.iter().chain(b.iter().flatten()).copied();
    let has_run = |stage: &&StageResult| stage.status != StageStatus::Skipped;
    let shows_nothing =
        |side: &Vec<&StageResult>| side.iter().copied().filter(has_run).all(|stage| stage.counts.ok == 0);
    let none_ok = shows_nothing(&a) || b.as_ref().is_some_and(shows_nothing);
    // A climb that `[load.stop]` ended went as the scenario says.
    let as_planned = |stage: &StageResult| match stage.status {
        StageStatus::Complete | StageStatus::Stopped => true,
        StageStatus::Skipped => run.stop.is_some(),
        StageStatus::Incomplete => false,
    };
    let incomplete = !all().all(as_planned);
    let client =
        |class: &str| ErrorClass::named(class).is_some_and(|class| class.group() == ErrorGroup::Client);
    let shortage = all().filter(has_run).flat_map(|stage| &stage.errors).any(|error| client(&error.class));
    let reasons = [(none_ok, Ended::NoneOk), (incomplete, Ended::Incomplete), (shortage, Ended::Shortage)];
    reasons.into_iter().filter_map(|(holds, reason)| holds.then_some(reason)).collect()
}

#[cfg(test)]
mod table;
