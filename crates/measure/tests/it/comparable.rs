//! When a run and a baseline can be compared: as a whole, and stage by stage.

use measure::Workload;
use measure::gate::{Baseline, Check, Comparable, Level, Reason, Reference, Rule, judge};
use measure::result::{CheckResult, RunResult, SearchLine, StageResult, StageStatus};

use crate::run::{result, stage};

/// A change of a run, and how it is named.
type Row = (fn(&mut RunResult), &'static str);

/// A run of two stages that came to their end.
fn whole() -> RunResult {
    let second = StageResult { name: "c5".to_owned(), ..stage() };
    RunResult { stages: vec![stage(), second], ..result() }
}

fn workload(run: &mut RunResult) -> &mut Workload {
    run.scenario.workload.as_mut().unwrap()
}

fn comparable(run: &RunResult) -> Comparable<'_> {
    let workload = run.scenario.workload.as_ref();
    Comparable { api: &run.api, model: run.model.as_deref(), testbed: "", workload }
}

#[test]
fn what_differs_as_a_whole_is_named_and_nothing_is_compared() {
    let changes: [Row; 6] = [
        (|run| run.api = "ollama-chat".into(), "api \"openai-chat\", this run has \"ollama-chat\""),
        (|run| run.model = None, "model \"m\", this run has \"-\""),
        (|run| workload(run).bodies.push('0'), "another body"),
        (
            |run| {
                workload(run).bodies.push('0');
                workload(run).data.push('0');
            },
            "other prompts",
        ),
        (
            |run| {
                workload(run).settings.insert("order".into(), "random, seed 1".into());
            },
            "another load: `order` was \"round-robin\", now \"random, seed 1\"",
        ),
        // What stands first is said alone: with another model the bodies are other ones, too.
        (
            |run| {
                run.model = None;
                workload(run).bodies.push('0');
            },
            "model \"m\", this run has \"-\"",
        ),
    ];
    for (change, said) in changes {
        let mut run = whole();
        change(&mut run);
        let reason = Baseline::of(&whole(), "").for_run(comparable(&run)).unwrap_err();
        assert_eq!(reason, format!("the baseline was measured with {said}"));
    }
    let other = Baseline::of(&whole(), "big").for_run(comparable(&whole())).unwrap_err();
    assert_eq!(other, "the baseline was measured with testbed \"big\", this run has \"\"");
}

#[test]
fn a_stage_with_another_load_is_not_judged_and_the_others_are() {
    let mut run = whole();
    let stages = &mut workload(&mut run).stages;
    stages.get_mut("c5").unwrap().insert("length".into(), "30s".into());
    let baseline = Baseline::of(&whole(), "").for_run(comparable(&run)).unwrap();
    let gaps: Vec<Option<String>> = run.stages.iter().map(|stage| baseline.gap(stage)).collect();
    let expected = "its load is another one (`length` was \"60s\", now \"30s\")";
    assert_eq!(gaps, [None, Some(expected.to_owned())]);
    let check = Check::parse("e2e.mean <= baseline + 50%").unwrap();
    let rule = Rule { check, level: Level::Strict, min_change: None };
    let gate = judge(&[rule], &run.stages, Some(Reference::Baseline(&baseline)));
    let came: Vec<_> = gate.checks.iter().map(|line| (line.result, line.reason_code)).collect();
    assert_eq!(came, [(CheckResult::Pass, None), (CheckResult::NoData, Some(Reason::OtherLoad))]);
}

#[test]
fn a_number_that_is_counted_by_something_else_is_not_judged_and_the_others_are() {
    let checks = [
        "goodput >= baseline - 90%",
        "goodput_ratio >= baseline - 90%",
        "smoothness >= baseline - 90%",
        "e2e.mean <= baseline + 50%",
    ];
    let rules = checks.map(|text| Rule {
        check: Check::parse(text).unwrap(),
        level: Level::Strict,
        min_change: None,
    });
    let came = |name: &str| {
        let mut run = whole();
        workload(&mut run).yardsticks.insert(name.into(), "another".into());
        let baseline = Baseline::of(&whole(), "").for_run(comparable(&run)).unwrap();
        let gate = judge(&rules, &run.stages[..1], Some(Reference::Baseline(&baseline)));
        gate.checks.iter().map(|line| line.reason_code == Some(Reason::OtherYardstick)).collect::<Vec<_>>()
    };
    assert_eq!(came("objectives"), [true, true, false, false]);
    assert_eq!(came("reading_speed"), [false, false, true, false]);
    assert_eq!(came("later"), [false; 4]);
}

#[test]
fn what_an_older_version_did_not_store_is_not_compared() {
    let mut old = whole();
    old.scenario.workload = None;
    for (then, now) in [(&old, &whole()), (&whole(), &old), (&old, &old)] {
        let baseline = Baseline::of(then, "").for_run(comparable(now)).unwrap();
        assert!(now.stages.iter().all(|stage| baseline.gap(stage).is_none()));
    }
    // The level always was.
    let mut more = whole();
    more.stages[1].concurrency = Some(9);
    let gap = Baseline::of(&old, "").gap(&more.stages[1]);
    assert_eq!(gap.as_deref(), Some("its load is another one"));
    let text = serde_json::to_string(&Baseline::of(&whole(), "")).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(value["workload"]["bodies"].is_string() && value.get("other_loads").is_none(), "{value}");
    value.as_object_mut().unwrap().remove("workload");
    let read: Baseline = serde_json::from_value(value).unwrap();
    assert_eq!(read.workload, None);
}

#[test]
fn a_baseline_has_the_stages_of_the_ladder_that_came_to_their_end() {
    let climbed = |run: &RunResult| run.climbed().map(|stage| stage.name.clone()).collect::<Vec<_>>();
    let mut old = whole();
    old.stages.push(StageResult { name: "try-7".to_owned(), ..stage() });
    assert_eq!(climbed(&old), ["c2", "c5"]);
    old.scenario.workload = None;
    assert_eq!(climbed(&old), ["c2", "c5", "try-7"], "without a search it is a name of the scenario's own");
    let unit = measure::LoadUnit::Users;
    let (low, high, resolution) = (2, 9, 1);
    old.search = Some(SearchLine { unit, low, high, resolution, holds: None, breaks: None, undecided: None });
    assert_eq!(climbed(&old), ["c2", "c5"]);
    for status in [StageStatus::Incomplete, StageStatus::Stopped, StageStatus::Skipped] {
        let mut run = whole();
        run.stages[1].status = status;
        run.stages.push(StageResult { name: "try-7".to_owned(), ..stage() });
        let baseline = Baseline::of(&run, "");
        assert_eq!(baseline.stages.keys().collect::<Vec<_>>(), ["c2"], "{status:?}");
        let gap = baseline.gap(&run.stages[1]);
        assert_eq!(gap.as_deref(), Some("the baseline has no row for it"));
    }
}
