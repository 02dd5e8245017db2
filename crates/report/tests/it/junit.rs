//! JUnit, read back by another reader: what passed, failed, could not be judged and was skipped, and that counts agree.

use std::collections::BTreeSet;

use measure::result::{CheckLine, CheckResult, Exit, RunResult, RunStatus, StageStatus, Verdict};
use report::{Lang, junit};

use crate::fixture;
use crate::outputs::hostile;

/// Suites and cases of a JUnit file as another reader finds them: suite, case, how it ended.
fn cases(run: &RunResult, lang: Lang) -> Vec<[String; 3]> {
    let text = junit::render(run, lang).unwrap();
    let file = roxmltree::Document::parse(&text).unwrap();
    let elements =
        |of: roxmltree::Node<'_, '_>, name: &str| of.descendants().filter(|n| n.has_tag_name(name)).count();
    let mut all = Vec::new();
    for counted in file.descendants().filter(|node| node.has_attribute("tests")) {
        let names =
            [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")];
        for (attribute, element) in names {
            let count = elements(counted, element);
            assert_eq!(counted.attribute(attribute), Some(count.to_string().as_str()), "{attribute}\n{text}");
        }
        assert!(elements(counted, "testcase") > 0, "an empty suite\n{text}");
    }
    for case in file.descendants().filter(|node| node.has_tag_name("testcase")) {
        let suite = case.parent_element().and_then(|suite| suite.attribute("name")).unwrap();
        let ended = case.children().find(|node| node.is_element() && !node.has_tag_name("system-out"));
        let ended = ended.map_or("passed", |node| node.tag_name().name());
        all.push([suite, case.attribute("name").unwrap(), ended].map(str::to_owned));
    }
    all
}

fn shown(run: &RunResult) -> Vec<String> {
    cases(run, Lang::En).into_iter().map(|case| case.join(" | ")).collect()
}

#[test]
fn failures_errors_and_skipped_cases_are_told_apart() {
    let mut run = fixture::half_failing(Lang::En);
    let line = run.gate.checks[0].clone();
    let more = |stage: &str, level: &str, result: CheckResult| CheckLine {
        stage: stage.to_owned(),
        level: level.to_owned(),
        result,
        ..line.clone()
    };
    run.stages[2].status = StageStatus::Skipped;
    run.gate.checks.extend([
        more("c1", "advisory", CheckResult::Fail),
        more("c5", "strict", CheckResult::Inconclusive),
        more("c20", "strict", CheckResult::NoData),
        more("-", "strict", CheckResult::NoData),
        more("c1", "strict", CheckResult::Pass),
    ]);
    assert_eq!(
        shown(&run),
        [
            "run | completed | passed",
            "c50 | ttft.p95 <= 800ms | failure",
            "c50 | success_rate >= 99% | error",
            "c1 | ttft.p95 <= 800ms | skipped",
            "c1 | ttft.p95 <= 800ms (2) | passed",
            "c5 | ttft.p95 <= 800ms | error",
            "c20 | ttft.p95 <= 800ms | skipped",
            "no stage | ttft.p95 <= 800ms | error",
        ]
    );
}

#[test]
fn no_two_cases_of_a_suite_have_one_name() {
    let mut run = fixture::all_good(Lang::En);
    let line = run.gate.checks[0].clone();
    let scoped = |scope: &str| CheckLine { scope: Some(scope.to_owned()), ..line.clone() };
    run.gate.checks = vec![line.clone(), scoped("c<=50"), scoped("stage c50"), line.clone(), scoped("c<=50")];
    assert_eq!(
        shown(&run)[1..],
        [
            "c50 | ttft.p95 <= 800ms | passed",
            "c50 | ttft.p95 <= 800ms for c<=50 | passed",
            "c50 | ttft.p95 <= 800ms for stage c50 | passed",
            "c50 | ttft.p95 <= 800ms (2) | passed",
            "c50 | ttft.p95 <= 800ms for c<=50 (2) | passed",
        ]
    );
}

#[test]
fn without_checks_each_stage_is_a_case_and_a_run_that_ended_badly_is_an_error() {
    let mut run = fixture::none_answered(Lang::En);
    run.exit = Exit { code: 5, reasons: vec!["no request was ok".to_owned()] };
    assert_eq!(shown(&run), ["run | completed | passed", "c1 | ran | failure", "c5 | ran | failure"]);
    run.stages[0].counts.ok = 3;
    (run.stages[1].status, run.status) = (StageStatus::Incomplete, RunStatus::Interrupted);
    assert_eq!(shown(&run), ["run | completed | error", "c1 | ran | passed", "c5 | ran | error"]);
    run.stages[1].status = StageStatus::Skipped;
    assert_eq!(shown(&run)[2], "c5 | ran | skipped");
    assert_eq!(shown(&fixture::nothing_measured(Lang::En)), ["run | completed | error"]);
}

#[test]
fn a_run_whose_exit_code_is_not_zero_is_never_all_green() {
    let mut run = fixture::all_good(Lang::En);
    assert_eq!(shown(&run)[0], "run | completed | passed");
    run.exit = Exit { code: 6, reasons: vec!["`x.html` cannot be written".to_owned()] };
    assert_eq!(shown(&run)[0], "run | completed | error");
    (run.gate.verdict, run.exit.code) = (Verdict::Fail, 1);
    run.gate.checks[0].result = CheckResult::Fail;
    assert_eq!(shown(&run)[0], "run | completed | passed", "the check says it");
}

#[test]
fn the_stages_of_a_search_are_no_cases() {
    let mut run = fixture::none_answered(Lang::En);
    run.stages[1].name = "try-5".to_owned();
    assert_eq!(shown(&run).len(), 3);
    run.search = Some(measure::result::SearchLine {
        unit: measure::LoadUnit::Users,
        low: 1,
        high: 5,
        resolution: 1,
        holds: None,
        breaks: None,
        undecided: None,
    });
    assert_eq!(shown(&run).len(), 2);
}

#[test]
fn out_07_hostile_texts_are_texts_in_junit() {
    for lang in Lang::ALL {
        let run = hostile(lang);
        let text = junit::render(&run, lang).unwrap();
        let file = roxmltree::Document::parse(&text).unwrap();
        let names: BTreeSet<_> =
            file.descendants().filter(|n| n.is_element()).map(|n| n.tag_name().name()).collect();
        let expected = ["testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"];
        assert!(names.is_subset(&expected.into()), "{names:?}");
        let name = file.root_element().attribute("name").unwrap();
        assert!(
            name.contains("<img src=x") && name.contains("\\u0000 @all") && name.contains("]]>"),
            "{name}"
        );
        assert_eq!(cases(&run, lang).len(), 3);
    }
}
