//! The exit codes: a public table, mapped from a finished run in one function.

use std::process::ExitCode;

use measure::ErrorClass;
use measure::ErrorGroup;
use measure::result::{Exit, RunResult, RunStatus, StageResult, StageStatus, Verdict};
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
    let strongest = ORDER.iter().find(|code| reasons.iter().any(|(reason, _)| reason == *code));
    let code = strongest.copied().unwrap_or(Code::Done);
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
    reasons.extend(around.unwritten.iter().map(|text| (Code::Output, text.clone())));
    reasons.extend(around.unusable.iter().map(|text| (Code::Target, text.clone())));
    match run.gate.verdict {
        Verdict::Fail => reasons.push((Code::GateFailed, stored(Ended::GateFailed))),
        Verdict::NotJudged => reasons.push((Code::NotJudged, stored(Ended::NotJudged))),
        Verdict::None => reasons.extend(ungated(run).map(|reason| (Code::NotJudged, stored(reason)))),
        Verdict::Pass => {}
    }
    reasons
}

/// Results hold reasons in English; reports say them in either language.
fn stored(reason: Ended) -> String {
    reason.text(Lang::En).to_owned()
}

/// Without a gate a run is still not a success when it shows nothing.
fn ungated(run: &RunResult) -> Option<Ended> {
    if run.status == RunStatus::Aborted {
        return None;
    }
    let of_b = run.against.as_ref().map(|against| against.stages.as_slice());
    let sides = || std::iter::once(run.stages.as_slice()).chain(of_b);
    let has_run = |stage: &&StageResult| stage.status != StageStatus::Skipped;
    let none_ok = |stages: &[StageResult]| stages.iter().filter(has_run).all(|stage| stage.counts.ok == 0);
    let client =
        |class: &str| ErrorClass::named(class).is_some_and(|class| class.group() == ErrorGroup::Client);
    if run.status == RunStatus::Completed && sides().any(none_ok) {
        return Some(Ended::NoneOk);
    }
    // A climb that `[load.stop]` ended went as the scenario says.
    let as_planned = |stage: &StageResult| match stage.status {
        StageStatus::Complete | StageStatus::Stopped => true,
        StageStatus::Skipped => run.stop.is_some(),
        StageStatus::Incomplete => false,
    };
    if !sides().flatten().all(as_planned) {
        return Some(Ended::Incomplete);
    }
    let shortage =
        sides().flatten().filter(has_run).flat_map(|stage| &stage.errors).any(|error| client(&error.class));
    shortage.then_some(Ended::Shortage)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result with this verdict, one stage, and so many ok requests.
    fn run(verdict: Verdict, stage: StageStatus, ok: u64) -> RunResult {
        let frame = measure::stage::StageFrame {
            name: "c1".to_owned(),
            level: measure::Level::Users(1),
            ramp_from: None,
            open_loop: None,
            ramp_up: None,
            think_time: None,
            begins: measure::Offset::ORIGIN,
            duration: None,
            requests: None,
            window_start: measure::Offset::ORIGIN,
            keys: 0,
            stall_after: std::time::Duration::ZERO,
            reading_speed: 10.0,
            objectives: [None; 3],
            intervals: Default::default(),
            round: None,
        };
        let mut line = measure::stage::StageRecorder::new(frame).finish(stage, &Default::default());
        line.counts.ok = ok;
        let mut document = serde_json::json!({
            "schema_version": 1, "tool": { "name": "rungs", "version": "0" }, "status": "completed",
            "exit": { "code": 0, "reasons": [] }, "test_name": "t", "provider": null, "base_url": "", "url": "",
            "api": "openai-chat", "model": null, "stream": true, "auth_header": null, "headers": {}, "started_at": "",
            "finished_at": "", "seed": 1, "machine": { "os": "linux", "cpus": 1, "workers": 1 }, "preflight": null,
            "scenario": { "path": "", "sha256": "", "profile": null, "overrides": [] }, "stages": [],
            "ladder": { "last_ok": null, "first_breach": null, "knee": null, "boundary": null }, "warnings": [],
            "gate": { "verdict": "none", "checks": [] }, "cost": null, "conclusion": "", "notes": null,
        });
        document["stages"] = serde_json::json!([line]);
        document["gate"]["verdict"] = serde_json::json!(verdict);
        serde_json::from_value(document).unwrap()
    }

    fn code(run: &RunResult, around: &Circumstances) -> Code {
        judge(run, around).0
    }

    #[test]
    fn each_reason_has_its_code() {
        let calm = Circumstances::default();
        let complete = StageStatus::Complete;
        let rows = [
            (run(Verdict::Pass, complete, 5), Code::Done),
            (run(Verdict::None, complete, 5), Code::Done),
            (run(Verdict::Fail, complete, 5), Code::GateFailed),
            (run(Verdict::NotJudged, complete, 5), Code::NotJudged),
            (run(Verdict::None, complete, 0), Code::NotJudged),
            (run(Verdict::None, StageStatus::Incomplete, 5), Code::NotJudged),
            (run(Verdict::Pass, StageStatus::Incomplete, 5), Code::Done),
        ];
        for (run, expected) in rows {
            assert_eq!(code(&run, &calm), expected, "{:?} {:?}", run.gate.verdict, run.stages[0].status);
        }
    }

    #[test]
    fn the_strongest_of_several_reasons_decides_and_all_are_told() {
        let failed = run(Verdict::Fail, StageStatus::Complete, 5);
        let mut around = Circumstances::default();
        let mut steps = vec![(Code::GateFailed, 1)];
        assert_eq!(code(&failed, &around), Code::GateFailed);
        around.unaccounted = Some("3 and 4".to_owned());
        assert_eq!(code(&run(Verdict::Fail, StageStatus::Complete, 5), &around), Code::Bug);
        around.unaccounted = None;
        around.unusable = vec!["a key died".to_owned()];
        steps.push((code(&failed, &around), 2));
        around.unwritten = vec!["no space".to_owned()];
        steps.push((code(&failed, &around), 3));
        around.signal = Some(Signal::Terminate);
        steps.push((code(&failed, &around), 4));
        let codes: Vec<Code> = steps.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, [Code::GateFailed, Code::Target, Code::Output, Code::Terminated]);
        assert_eq!(judge(&failed, &around).1.reasons.len(), 4);
    }
}
