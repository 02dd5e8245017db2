//! JUnit XML for CI systems: what passed, what failed, what could not be judged and what was skipped, told apart.
//!
//! Names depend on the scenario alone, so that a CI system recognises a case from run to run, and no two cases of a suite
//! have the same one. The first suite is the run
//! itself. Then comes a suite per stage, with a case per check; without checks a stage is one case, which says that it ran.

mod case;
mod check;
mod ran;

use std::time::Duration;

use measure::result::{CheckLine, RunResult, StageResult, Verdict};
use quick_junit::{Report, SerializeError, TestCase, TestSuite};

use crate::{Lang, search, stored};
use case::text;
use ran::ExitSaid;

/// Name of the suite of the run itself.
const RUN: &str = "run";
/// What the gate writes in place of a stage where a check covers none, and what its suite is called.
const NO_STAGE: (&str, &str) = ("-", "no stage");

/// The result as a JUnit file: a strict check that did not hold is a failure, one that could not be judged an error. An
/// advisory one that did not hold is skipped, with what was measured: it is no reason to fail. A run whose exit code is
/// not 0 has a failure or an error. Names are the same in every language, messages are not.
///
/// # Errors
/// Never for a result that this program made.
pub fn render(run: &RunResult, lang: Lang) -> Result<String, SerializeError> {
    let suites = match run.gate.verdict {
        Verdict::None => rungs(run).map(|stage| of_stage(run, stage, lang)).collect(),
        Verdict::Pass | Verdict::Fail | Verdict::NotJudged => of_gate(run, lang),
    };
    let said = match suites.iter().any(|suite| suite.failures + suite.errors > 0) {
        true => ExitSaid::ByOthers,
        false => ExitSaid::ByNone,
    };
    let mut report = Report::new(text(&run.test_name));
    report.timestamp = run.started_at.parse().ok();
    report.add_test_suite(of_run(run, said, lang)).add_test_suites(suites);
    report.to_string()
}

/// The stages that the scenario names. Those of a search go where it leads, and break things on purpose.
fn rungs(run: &RunResult) -> impl Iterator<Item = &StageResult> {
    run.stages.iter().filter(|stage| !search::is_of_search(run, stage))
}

/// The run as a whole.
fn of_run(run: &RunResult, said: ExitSaid, lang: Lang) -> TestSuite {
    let mut suite = TestSuite::new(RUN);
    let mut case = case(run, RUN, "completed", ran::completed(run, said, lang));
    case.set_system_out(text(&stored::conclusion(run, lang)));
    suite.add_test_case(case);
    suite
}

fn of_stage(run: &RunResult, stage: &StageResult, lang: Lang) -> TestSuite {
    let mut suite = TestSuite::new(text(&stage.name));
    suite.time = Some(window(stage));
    let mut case = case(run, &stage.name, "ran", ran::stage(stage, lang));
    case.time = suite.time;
    suite.add_test_case(case);
    suite
}

/// A suite per stage that a check covers, in the order of the checks.
fn of_gate(run: &RunResult, lang: Lang) -> Vec<TestSuite> {
    let mut stages: Vec<&str> = Vec::new();
    for line in &run.gate.checks {
        if !stages.contains(&line.stage.as_str()) {
            stages.push(&line.stage);
        }
    }
    stages.into_iter().map(|stage| of_checks(run, stage, lang)).collect()
}

fn of_checks(run: &RunResult, name: &str, lang: Lang) -> TestSuite {
    let stage = run.stages.iter().find(|stage| stage.name == name);
    let shown = if name == NO_STAGE.0 { NO_STAGE.1 } else { name };
    let mut suite = TestSuite::new(text(shown));
    suite.time = stage.map(window);
    let lines: Vec<&CheckLine> = run.gate.checks.iter().filter(|line| line.stage == name).collect();
    for (line, called) in lines.iter().zip(check::names(&lines)) {
        suite.add_test_case(case(run, shown, &called, check::status(line, stage, lang)));
    }
    suite
}

/// A case; its class says the scenario and the stage, since some systems show nothing else of a suite.
fn case(run: &RunResult, stage: &str, name: &str, status: quick_junit::TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(text(name), status);
    case.set_classname(text(&format!("{}.{stage}", run.test_name)));
    case
}

/// How long the stage was measured.
fn window(stage: &StageResult) -> Duration {
    Duration::try_from_secs_f64(stage.window_s).unwrap_or_default()
}
