//! Every combination of what can end a run, against the public table read anew: `docs/exit-codes.md`.

use measure::result::{CheckResult, RunResult, StageResult, StageStatus, Verdict};
use measure::stage::{ClientLook, StageFrame, StageRecorder};
use measure::{Level, Offset};
use serde_json::json;

use super::{Circumstances, Code, Signal, judge};

/// What can come together at the end of a run.
#[derive(Debug, Clone, Copy)]
struct Case {
    signal: Option<Signal>,
    /// The sums of the run do not add up.
    fault: bool,
    unwritten: bool,
    /// The target could not be used.
    unusable: bool,
    /// A warning of its own; what it keeps from being judged is in the checks.
    no_baseline: bool,
    /// What came of the only strict check; nothing without a gate.
    check: Option<CheckResult>,
    none_ok: bool,
    incomplete: bool,
    /// A failure of the `client` group.
    shortage: bool,
    saturated: bool,
}

impl Case {
    fn all() -> Vec<Self> {
        let signals = [None, Some(Signal::Interrupt), Some(Signal::Terminate)];
        let results = [CheckResult::Pass, CheckResult::Fail, CheckResult::Inconclusive, CheckResult::NoData];
        let checks: Vec<Option<CheckResult>> = results.into_iter().map(Some).chain([None]).collect();
        let mut all = Vec::new();
        for signal in signals {
            for check in &checks {
                // One bit for each thing that is so or not.
                for bits in 0_u32..1 << 8 {
                    let is = |bit: u32| bits >> bit & 1 == 1;
                    let (fault, unwritten, unusable, no_baseline) = (is(0), is(1), is(2), is(3));
                    let (none_ok, incomplete, shortage, saturated) = (is(4), is(5), is(6), is(7));
                    let check = *check;
                    #[rustfmt::skip]
                    all.push(Self {
                        signal, fault, unwritten, unusable, no_baseline, check, none_ok, incomplete, shortage, saturated,
                    });
                }
            }
        }
        all
    }

    /// The codes that the table gives for it, each with the number of reasons.
    fn told(self) -> Vec<(u8, usize)> {
        let without_a_gate = [self.none_ok, self.incomplete, self.shortage];
        let not_judged = match self.check {
            Some(CheckResult::Inconclusive | CheckResult::NoData) => 1,
            Some(CheckResult::Pass | CheckResult::Fail) => 0,
            None => without_a_gate.into_iter().filter(|holds| *holds).count(),
        };
        vec![
            (130, usize::from(self.signal == Some(Signal::Interrupt))),
            (143, usize::from(self.signal == Some(Signal::Terminate))),
            (70, usize::from(self.fault)),
            (6, usize::from(self.unwritten)),
            (4, usize::from(self.unusable)),
            (1, usize::from(self.check == Some(CheckResult::Fail))),
            (5, not_judged),
        ]
    }

    fn run(self) -> RunResult {
        let status = match (self.signal, self.unusable) {
            (Some(_), _) => "interrupted",
            (None, true) => "aborted",
            (None, false) => "completed",
        };
        let verdict = match self.check {
            None => Verdict::None,
            Some(CheckResult::Pass) => Verdict::Pass,
            Some(CheckResult::Fail) => Verdict::Fail,
            Some(CheckResult::Inconclusive | CheckResult::NoData) => Verdict::NotJudged,
        };
        let check = self.check.map(|result| {
            json!({
                "check": "qps >= 1", "stage": "c1", "level": "strict", "value": null, "limit": null, "baseline": null,
                "interval": null, "n": 0, "result": result, "reason": null,
            })
        });
        let warning = json!({ "code": "no_baseline", "stage": null, "text": "" });
        let mut run = plain(self.stage());
        run["status"] = status.into();
        run["gate"] = json!({ "verdict": verdict, "checks": Vec::from_iter(check) });
        run["warnings"] = if self.no_baseline { json!([warning]) } else { json!([]) };
        serde_json::from_value(run).unwrap()
    }

    fn stage(self) -> StageResult {
        let status = if self.incomplete { StageStatus::Incomplete } else { StageStatus::Complete };
        let mut stage = stage("c1", status);
        stage.counts.ok = if self.none_ok { 0 } else { 5 };
        stage.client.saturated = self.saturated;
        if self.shortage {
            stage.errors = vec![shortage()];
        }
        stage
    }

    fn around(self) -> Circumstances {
        let some = |holds: bool, text: &str| holds.then(|| text.to_owned());
        Circumstances {
            signal: self.signal,
            unwritten: Vec::from_iter(some(self.unwritten, "no space")),
            unaccounted: some(self.fault, "3 and 4"),
            unusable: Vec::from_iter(some(self.unusable, "a key died")),
        }
    }
}

fn stage(name: &str, status: StageStatus) -> StageResult {
    let frame = StageFrame {
        name: name.to_owned(),
        level: Level::Users(1),
        ramp_from: None,
        open_loop: None,
        ramp_up: None,
        think_time: None,
        begins: Offset::ORIGIN,
        duration: None,
        requests: None,
        window_start: Offset::ORIGIN,
        keys: 0,
        stall_after: std::time::Duration::ZERO,
        reading_speed: 10.0,
        objectives: [None; 3],
        intervals: Default::default(),
        round: None,
    };
    StageRecorder::new(frame).finish(status, &ClientLook::default())
}

fn shortage() -> measure::result::ErrorLine {
    let example = json!({ "status": null, "message": "too many open files", "request_id": "", "at_s": 1.0 });
    let line = json!({ "class": "client_resource", "count": 1, "example": example });
    serde_json::from_value(line).unwrap()
}

/// A completed run of that stage, without a gate.
fn plain(stage: StageResult) -> serde_json::Value {
    json!({
        "schema_version": 1, "tool": { "name": "rungs", "version": "0" }, "status": "completed",
        "exit": { "code": 0, "reasons": [] }, "test_name": "t", "provider": null, "base_url": "", "url": "",
        "api": "openai-chat", "model": null, "stream": true, "auth_header": null, "headers": {}, "started_at": "",
        "finished_at": "", "seed": 1, "machine": { "os": "linux", "cpus": 1, "workers": 1 }, "preflight": null,
        "scenario": { "path": "", "sha256": "", "profile": null, "overrides": [] }, "stages": [stage],
        "ladder": { "last_ok": null, "first_breach": null, "knee": null, "boundary": null }, "warnings": [],
        "gate": { "verdict": "none", "checks": [] }, "cost": null, "conclusion": "", "notes": null,
    })
}

#[test]
fn every_combination_ends_with_the_strongest_code_of_the_table_and_tells_every_reason() {
    let all = Case::all();
    assert_eq!(all.len(), 3 * 5 * 256);
    for case in all {
        let (code, exit) = judge(&case.run(), &case.around());
        let told = case.told();
        let strongest = told.iter().find(|(_, reasons)| *reasons > 0).map_or(0, |(code, _)| *code);
        let reasons: usize = told.iter().map(|(_, reasons)| reasons).sum();
        assert_eq!((code as u8, exit.code, exit.reasons.len()), (strongest, strongest, reasons), "{case:?}");
    }
}

#[test]
fn a_climb_that_was_stopped_by_its_rule_went_as_planned_and_one_that_was_not_did_not() {
    let rows = [
        (StageStatus::Stopped, true, 0),
        (StageStatus::Complete, true, 0),
        (StageStatus::Complete, false, 5),
    ];
    for (first, stopped, expected) in rows {
        let mut run = plain(stage("c1", first));
        run["stages"][0]["counts"]["ok"] = 5.into();
        run["stages"].as_array_mut().unwrap().push(json!(stage("c5", StageStatus::Skipped)));
        if stopped {
            let stop = json!({ "stage": "c1", "concurrency": 1, "rate": null, "check": "", "value": 1.0, "limit": 0.0, "at_s": 1.0 });
            run["stop"] = stop;
        }
        let run = serde_json::from_value(run).unwrap();
        assert_eq!(judge(&run, &Circumstances::default()).0 as u8, expected, "{first:?} {stopped}");
    }
}

#[test]
fn what_a_search_breaks_is_no_reason() {
    let mut run: RunResult = serde_json::from_value(plain(stage("c1", StageStatus::Complete))).unwrap();
    let mut tried = stage("try-c9", StageStatus::Incomplete);
    tried.errors = vec![shortage()];
    tried.counts.ok = 5;
    run.stages.push(tried);
    let line =
        json!({ "low": 2, "high": 9, "resolution": 1, "holds": null, "breaks": null, "undecided": null });
    run.search = Some(serde_json::from_value(line).unwrap());
    let around = Circumstances::default();
    assert_eq!(judge(&run, &around).1.reasons, ["no request was ok"], "what it found ok counts as little");
    run.stages[0].counts.ok = 5;
    assert_eq!(judge(&run, &around).0, Code::Done);
}

#[test]
fn a_request_in_which_this_program_failed_is_a_bug_whatever_the_gate_says() {
    let fault = |count: u64| {
        let example =
            json!({ "status": null, "message": "a fault of rungs: index 7", "request_id": "", "at_s": 1.0 });
        json!({ "class": "internal", "count": count, "example": example })
    };
    let mut run = plain(stage("c1", StageStatus::Complete));
    run["stages"][0]["counts"]["ok"] = 5.into();
    run["gate"]["verdict"] = "pass".into();
    run["stages"][0]["errors"] = json!([fault(1)]);
    let judged = |run: &serde_json::Value| {
        let (code, exit) = judge(&serde_json::from_value(run.clone()).unwrap(), &Circumstances::default());
        (code as u8, exit.reasons)
    };
    let said = "rungs itself failed in 1 request, please report this (a fault of rungs: index 7)";
    assert_eq!(judged(&run), (70, vec![said.to_owned()]));
    run["stages"][0]["errors"] = json!([]);
    let error = fault(1)["example"].clone();
    run["preflight"] = json!({ "outcome": "internal", "ttft_ms": null, "e2e_ms": null, "error": error });
    assert_eq!(judged(&run), (70, vec![said.to_owned()]));
}

#[test]
fn the_stronger_of_two_codes_is_the_same_whichever_comes_first() {
    let order = [
        Code::Interrupted,
        Code::Bug,
        Code::Output,
        Code::Target,
        Code::GateFailed,
        Code::NotJudged,
        Code::Done,
    ];
    for (rank, strong) in order.iter().enumerate() {
        for weak in &order[rank..] {
            assert_eq!([strong.or(*weak), weak.or(*strong)], [*strong; 2]);
        }
    }
}
