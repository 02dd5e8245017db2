//! `[gate]`: checks that can be judged, on stages that exist.

use std::path::Path;
use std::sync::Arc;

use measure::gate::{Check, CheckError, Level, Limit, Rule, Scope};
use measure::metric::{Metric, Unit};

use crate::diagnostic::{Place, Problems, nearest};
use crate::layers::Node;
use crate::plan::{GatePlan, Plan, Stage};
use crate::read::Section;

/// Confidence of the intervals where the file says nothing.
const CONFIDENCE: f64 = 0.95;
/// More climbs than this are a mistake.
const MOST_ROUNDS: u64 = 100;

/// The stages that checks are judged on, and whether they are those that the checks were written for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ladder<'a> {
    /// The file's own.
    Own(&'a [Stage]),
    /// Overridden from outside.
    Other(&'a [Stage]),
}

/// How often a ladder is climbed, so that a stage has the values of so many climbs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Climbs {
    /// As often as `[gate] repeats` says.
    AsSaid,
    /// Once: the blocks of an A/B run are its rounds, and each side has the requests of a stage.
    Once,
}

impl<'a> Ladder<'a> {
    fn stages(self) -> &'a [Stage] {
        match self {
            Self::Own(stages) | Self::Other(stages) => stages,
        }
    }
}

/// Says what the checks against the baseline are judged by, where that may surprise.
pub(crate) fn note_baseline(plan: &Plan, problems: &Problems) {
    if !plan.gate.rules.iter().any(|rule| matches!(rule.check.limit, Limit::Baseline { .. })) {
        return;
    }
    match (&plan.against, &plan.gate.baseline) {
        (Some(_), Some(file)) => problems.notice(format!(
            "checks against the baseline are judged by B of the same run: `{}` is not read",
            file.display()
        )),
        (Some(_), None) => problems.notice("checks against the baseline are judged by B of the same run"),
        (None, None) => problems.notice(
            "checks compare with a baseline, but `[gate] baseline` names none: they cannot be judged",
        ),
        (None, Some(_)) => {}
    }
}

/// Reads `[gate]`. `baseline` is the command line's.
pub(crate) fn read(
    section: Section<'_>,
    ladder: Ladder<'_>,
    climbs: Climbs,
    baseline: Option<&Path>,
) -> GatePlan {
    let repeats = section.count("repeats", 1..=MOST_ROUNDS).unwrap_or(1);
    let climbs = match climbs {
        Climbs::AsSaid => repeats,
        Climbs::Once => 1,
    };
    let mut rules = Vec::new();
    for node in section.list("checks") {
        let check = read_judged(node, section, ladder, climbs);
        rules.extend(check.map(|check| Rule { check, level: Level::Strict, min_change: None }));
    }
    for table in section.sections("check") {
        rules.extend(read_table(table, ladder, climbs));
    }
    let baseline = baseline.map(Path::to_owned).or_else(|| section.path("baseline"));
    GatePlan {
        rules,
        baseline,
        testbed: section.text("testbed").unwrap_or_default(),
        confidence: read_confidence(section).unwrap_or(CONFIDENCE),
        repeats: repeats as u32,
        confirm: section.count("confirm", 0..=MOST_ROUNDS).unwrap_or(0) as u32,
        also: Vec::new(),
    }
}

/// More than the upper end needs more draws than an interval is made from.
fn read_confidence(section: Section<'_>) -> Option<f64> {
    let share = section.share("confidence")?;
    let usual = (0.5..=0.999).contains(&share);
    if !usual && let Some(node) = section.get("confidence") {
        section.context.expected_with_hint(node, "a share from 50% to 99.9%", "95% is the custom");
    }
    usual.then_some(share)
}

fn read_table(table: Section<'_>, ladder: Ladder<'_>, climbs: u64) -> Option<Rule> {
    let levels = [("strict", Level::Strict), ("advisory", Level::Advisory)];
    let level = table.choice("level", &levels);
    let Some(node) = table.get("check") else {
        let hint = "say `check = \"ttft.p95 <= baseline + 20%\"`";
        table.missing("nothing says what this check compares", hint);
        return None;
    };
    let check = read_judged(node, table, ladder, climbs)?;
    let min_change = read_min_change(table, &check);
    Some(Rule { check, level: level.unwrap_or_default(), min_change })
}

/// A check on stages as a whole, each with the values of so many climbs.
fn read_judged(node: &Node, section: Section<'_>, ladder: Ladder<'_>, climbs: u64) -> Option<Check> {
    let check = read_check(node, section, ladder)?;
    check_values(&check, node, section, ladder, climbs);
    Some(check)
}

/// A check that covers a stage; how many values it is judged on is the caller's affair.
pub(crate) fn read_check(node: &Node, section: Section<'_>, ladder: Ladder<'_>) -> Option<Check> {
    let problems = section.context.problems;
    let text = section.context.text(node)?;
    match Check::parse(text) {
        Ok(check) => {
            check_scope(&check, node, text, section, ladder);
            Some(check)
        }
        Err(error) => {
            let place = inside(node, text, error.at);
            match hint(&error) {
                Some(hint) => problems.error_with_hint(&place, error.message, hint),
                None => problems.error(&place, error.message),
            }
            None
        }
    }
}

fn hint(error: &CheckError) -> Option<String> {
    let near = error.candidates.as_ref().and_then(|(found, known)| nearest(found, known.iter().copied()));
    near.map(|near| format!("did you mean `{near}`?")).or_else(|| error.hint.clone())
}

/// A check must cover a stage.
fn check_scope(check: &Check, node: &Node, text: &str, section: Section<'_>, ladder: Ladder<'_>) {
    let problems = section.context.problems;
    let stages = ladder.stages();
    if stages.is_empty() {
        return;
    }
    if covered(check, stages).next().is_none() {
        let at = text.find(" for ").map_or(0, |at| at + 1);
        let message = match &check.scope {
            Scope::Stage(name) => format!("there is no stage `{name}`"),
            Scope::Every | Scope::Concurrency(..) => "no stage has so many users".to_owned(),
        };
        if let Ladder::Other(_) = ladder {
            problems
                .notice(format!("the check `{text}` covers no stage of this ladder: it will not be judged"));
            return;
        }
        let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
        problems.error_with_hint(
            &inside(node, text, at),
            message,
            format!("the stages are {}", names.join(", ")),
        );
    }
}

/// Every stage that a check covers must be able to give it enough values.
fn check_values(check: &Check, node: &Node, section: Section<'_>, ladder: Ladder<'_>, climbs: u64) {
    // One answer has many gaps.
    let Some(stat) = check.stat.filter(|_| check.metric != Metric::Gap) else { return };
    let sends = |stage: &Stage| stage.requests().map(|requests| requests.saturating_mul(climbs));
    let too_few = |requests: &u64| *requests < stat.needs();
    let short =
        covered(check, ladder.stages()).find_map(|stage| Some((stage, sends(stage).filter(too_few)?)));
    let (Some((stage, requests)), Some(text)) = (short, section.context.text(node)) else { return };
    let at = text.find('.').map_or(0, |at| at + 1);
    let in_climbs = if climbs > 1 { format!(" in {climbs} climbs") } else { String::new() };
    section.context.problems.error_with_hint(
        &inside(node, text, at),
        format!(
            "{stat} needs {} requests, but stage `{}` sends only {requests}{in_climbs}",
            stat.needs(),
            stage.name
        ),
        "send more requests, choose a lower percentile, or add `for c>=N` for the stages that have enough",
    );
}

fn covered<'a>(check: &Check, stages: &'a [Stage]) -> impl Iterator<Item = &'a Stage> {
    stages.iter().filter(|stage| check.scope.covers(&stage.name, stage.most_users()))
}

fn read_min_change(table: Section<'_>, check: &Check) -> Option<f64> {
    let node = table.get("min_change")?;
    let unit = check.metric.entry().unit;
    let found = match unit {
        Unit::Milliseconds => table.duration("min_change").map(|duration| duration.as_secs_f64() * 1e3),
        Unit::Ratio => table.share("min_change"),
        Unit::PerSecond | Unit::Count => table.positive_number("min_change"),
    };
    let compares = matches!(check.limit, Limit::Baseline { .. });
    if !compares {
        let message = "`min_change` has no effect: this check is not against the baseline";
        table.context.problems.error_with_hint(
            &node.key,
            message,
            "take it out, or compare with `baseline + 20%`",
        );
    }
    found
}

/// The place of byte `at` of a check's text: inside the string, if it is written without escapes.
fn inside(node: &Node, text: &str, at: usize) -> Place {
    let Place::Text { file, span } = &node.place else { return node.place.clone() };
    let written = file.text.get(span.start + 1..span.end.saturating_sub(1));
    if written != Some(text) {
        return node.place.clone();
    }
    let rest = &text[at.min(text.len())..];
    let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let start = span.start + 1 + at.min(text.len());
    Place::Text { file: Arc::clone(file), span: start..start + length.max(1) }
}
