//! What the gate makes of a stage: pass, fail, or why it does not say.

use measure::gate::{Baseline, Check, Level, Reason, Reference, Rule, judge};
use measure::result::{CheckResult, Interval, RunResult, StageResult, StageStatus, Unit, Verdict};

use crate::run::{result, stage, stage_of_failures, stage_of_late_sends};

fn rule(text: &str, level: Level) -> Rule {
    Rule { check: Check::parse(text).unwrap(), level, min_change: None }
}

fn verdict(text: &str, stage: &StageResult) -> (Verdict, CheckResult, String) {
    let gate = judge(&[rule(text, Level::Strict)], std::slice::from_ref(stage), None);
    let line = &gate.checks[0];
    (gate.verdict, line.result, line.reason.clone().unwrap_or_default())
}

#[test]
fn a_check_holds_or_does_not() {
    let stage = stage();
    for (text, result) in [
        ("success_rate >= 50%", CheckResult::Pass),
        ("success_rate >= 99%", CheckResult::Fail),
        ("http_429 <= 0", CheckResult::Fail),
        ("e2e.mean <= 1s", CheckResult::Pass),
        ("e2e.p50 < 100ms", CheckResult::Fail),
    ] {
        assert_eq!(verdict(text, &stage).1, result, "{text}");
    }
}

#[test]
fn out_03_too_few_values_behind_a_percentile_are_no_pass() {
    let (verdict, result, reason) = verdict("ttft.p95 < 5s", &stage());
    assert_eq!((verdict, result), (Verdict::NotJudged, CheckResult::NoData));
    assert_eq!(reason, "2 values, at least 20 are needed");
}

#[test]
fn out_03_one_failure_of_many_is_within_a_limit_of_a_tenth_of_a_percent() {
    let rows = [
        (1, "error_rate <= 0.1%", CheckResult::Pass),
        (1, "error_rate <= 0.02%", CheckResult::Fail),
        (4, "error_rate <= 0.1%", CheckResult::Fail),
        (0, "error_rate <= 0%", CheckResult::Pass),
    ];
    for (failed, text, expected) in rows {
        let stage = stage_of_failures(3822, failed);
        assert_eq!((stage.counts.started, stage.counts.failed), (3822, failed));
        assert_eq!(verdict(text, &stage).1, expected, "{failed} failed, {text}");
    }
}

#[test]
fn a_reason_is_stored_with_its_code() {
    let gate = judge(&[rule("ttft.p95 < 5s", Level::Strict)], &[stage()], None);
    assert_eq!(gate.checks[0].reason_code, Some(Reason::TooFewValues));
    let stored = serde_json::to_value(&gate.checks[0]).unwrap();
    assert_eq!(stored["reason_code"], "too_few_values");
    let gate = judge(&[rule("success_rate >= 50%", Level::Strict)], &[stage()], None);
    assert_eq!((&gate.checks[0].reason, gate.checks[0].reason_code), (&None, None));
}

#[test]
fn the_scope_of_a_check_stands_beside_its_text() {
    let rows = [
        ("qps >= 0.1", None),
        ("qps >= 0.1 for c < 100", Some("c<100")),
        ("qps >= 0.1 for stage  c1", Some("stage c1")),
    ];
    for (text, scope) in rows {
        let line = judge(&[rule(text, Level::Strict)], &[stage()], None).checks.remove(0);
        assert_eq!((line.check.as_str(), line.scope.as_deref()), ("qps >= 0.1", scope));
    }
}

#[test]
fn nothing_measured_a_stage_cut_short_or_skipped_or_not_there_is_no_pass() {
    let rows = [
        ("e2e.mean <= 1s", StageStatus::Skipped, "the stage was skipped"),
        ("e2e.mean <= 1s", StageStatus::Incomplete, "the stage was cut short"),
        ("smoothness >= 0%", StageStatus::Complete, "nothing was measured"),
        ("e2e.mean <= 1s for c>=100", StageStatus::Complete, "no stage of this run is covered by the check"),
    ];
    for (text, status, said) in rows {
        let stage = StageResult { status, smoothness: None, ..stage() };
        let (verdict, result, reason) = verdict(text, &stage);
        assert_eq!(
            (verdict, result, reason.as_str()),
            (Verdict::NotJudged, CheckResult::NoData, said),
            "{text}"
        );
    }
}

#[test]
fn no_check_is_judged_on_a_saturated_stage() {
    let mut stage = stage();
    stage.client.saturated = true;
    for text in ["e2e.mean <= 1s", "qps >= 0.1", "success_rate >= 50%", "success_rate >= 99%"] {
        let (verdict, result, reason) = verdict(text, &stage);
        assert_eq!((verdict, result), (Verdict::NotJudged, CheckResult::NoData), "{text}");
        assert!(reason.contains("saturated"), "{reason}");
    }
}

#[test]
fn late_sends_saturate_a_stage_only_where_there_are_enough_of_them() {
    for (sends, late, saturated) in [(50, 400, false), (99, 400, false), (100, 400, true), (200, 1, false)] {
        let stage = stage_of_late_sends(sends, late);
        assert_eq!(stage.client.saturated, saturated, "{sends} sends, {late} ms late");
    }
}

#[test]
fn an_advisory_check_never_decides_and_no_check_is_no_verdict() {
    let stage = stage();
    let advisory = judge(&[rule("success_rate >= 99%", Level::Advisory)], std::slice::from_ref(&stage), None);
    assert_eq!((advisory.verdict, advisory.checks[0].result), (Verdict::Pass, CheckResult::Fail));
    assert_eq!(judge(&[], &[stage], None).verdict, Verdict::None);
}

#[test]
fn the_baseline_is_compared_with_stage_by_stage() {
    let mut run = result();
    let interval = |half| Interval {
        low: 300.0 - half,
        high: 300.0 + half,
        confidence: 0.95,
        standard_error: half / 1.96,
        unit: Unit::Blocks,
        units: 20,
    };
    run.stages[0].e2e_ms.mean = Some(300.0);
    run.stages[0].intervals.insert("e2e.mean".to_owned(), interval(10.0));
    let baseline = Baseline::of(&run, "");
    let judged = |run: &RunResult, text: &str, min_change, baseline: Option<&Baseline>| {
        let rule = Rule { min_change, ..rule(text, Level::Strict) };
        judge(&[rule], &run.stages[..1], baseline.map(Reference::Baseline)).checks.remove(0)
    };
    let came = |text, min_change, baseline| judged(&run, text, min_change, baseline).result;
    assert_eq!(came("e2e.mean <= baseline + 20%", None, Some(&baseline)), CheckResult::Pass);
    assert_eq!(came("e2e.mean <= baseline - 20%", None, Some(&baseline)), CheckResult::Fail);
    assert_eq!(came("e2e.mean <= baseline - 20%", Some(500.0), Some(&baseline)), CheckResult::Pass);
    assert_eq!(came("e2e.mean >= baseline - 20%", None, Some(&baseline)), CheckResult::Pass);
    assert_eq!(came("e2e.mean <= baseline", None, None), CheckResult::NoData);
    let mut without = baseline.clone();
    without.stages.clear();
    assert_eq!(came("e2e.mean <= baseline", None, Some(&without)), CheckResult::NoData);

    let near = judged(&run, "e2e.mean <= baseline + 4%", None, Some(&baseline));
    assert_eq!((near.result, near.reason_code), (CheckResult::Inconclusive, Some(Reason::Undecided)));
    assert_eq!((near.limit, near.interval), (Some(312.0), Some([290.0, 310.0])));
    // 12 ms under the limit, of which the baseline takes 10.4: 2.79 times the values.
    let expected = (near.n as f64 * 10.0_f64.powi(2) / (12.0_f64.powi(2) - 10.4_f64.powi(2))).ceil() as u64;
    assert_eq!(near.would_decide, Some(expected));
    assert!(near.reason.unwrap().ends_with(&format!("about {expected} would decide")));
    let at = judged(&run, "e2e.mean <= baseline", None, Some(&baseline));
    assert_eq!((at.result, at.would_decide), (CheckResult::Inconclusive, None));
    // Where no interval can be, nothing tells a change from chance.
    let plain = result();
    let line = judged(&plain, "e2e.max <= baseline + 20%", None, Some(&baseline));
    assert_eq!((line.result, line.reason_code), (CheckResult::Inconclusive, Some(Reason::NoInterval)));
    // One that was not asked for when it was measured is made from the values, as if they were independent.
    let made = judged(&plain, "e2e.mean <= baseline + 20%", None, Some(&baseline));
    assert_eq!((made.result, made.interval.is_some()), (CheckResult::Pass, true));
    // Not one request failed: that is no evidence that it got worse, however few there were.
    let mut clean = result();
    clean.stages[0].success_rate = Some(1.0);
    let clean = judged(&clean, "success_rate >= baseline - 0%", None, Some(&baseline));
    assert_eq!(clean.result, CheckResult::Pass);
}
