//! The rungs: `stages`, `[[load.stage]]`, a `rate`, a trace, or the older `threads`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::end::{self, Said};
use super::inherit::Inherit;
use super::shape::{self, Word};
use super::work::{self, Least};
use super::{arrival, manner};
use crate::layers::{Node, NodeKind};
use crate::plan::{Arrival, Shape, Stage, Work, level_name};
use crate::read::Section;

const WAYS: &str =
    "the load is `stages = [1, 5, 20]`, or `[[load.stage]]` tables, or `rate = 10`, or `threads = 5`";
const SPAWN: &str = "both say how fast the users start: keep one of them";
/// More users than ports on one address cannot be open at once.
pub(super) const MOST_USERS: u64 = 60_000;

/// Reads the stages in order; problems are recorded. `trace` is when the requests of a trace start.
pub(super) fn read(load: Section<'_>, trace: Option<&[Duration]>) -> Vec<Stage> {
    let ways = ["stages", "stage", "threads", "rate"];
    load.at_most_one(&ways, WAYS);
    load.at_most_one(&["ramp_up", "spawn_rate"], SPAWN);
    manner::check(load);
    let whole = Inherit { own: None, load };
    let end = end::of_load(load);
    let stages = match load.all_said(&ways).first().copied() {
        None if arrival::is_trace(whole) => {
            work::trace(whole, trace).and_then(|work| whole_load(whole, end, work)).into_iter().collect()
        }
        None => {
            load.missing("nothing says how much load there is", WAYS);
            return Vec::new();
        }
        Some(way) => match way.path.name() {
            "stages" => ladder(whole, way, end),
            "stage" => one_by_one(load, way, end, trace),
            "threads" => threads(whole, way, end),
            _ => open_loop(whole, way, end),
        },
    };
    unique_names(stages)
}

fn ladder(whole: Inherit<'_>, way: &Node, end: Said) -> Vec<Stage> {
    let load = whole.load;
    let items = load.list("stages");
    if is_empty(way) {
        load.context.expected(way, "at least one stage");
    }
    if end == Said::Nothing {
        load.context.problems.error_with_hint(&way.key, "nothing says when a stage is over", end::LADDER);
    }
    let word = Word::read(whole);
    let mut stages: Vec<Stage> = Vec::new();
    for item in items {
        let Some(users) = load.count_of(item, least(word)..=MOST_USERS) else { continue };
        let work = work::users(whole, users as u32);
        let stage = finish(whole, None, work, word, end, stages.last());
        stages.extend(stage);
    }
    stages
}

fn least(word: Word) -> u64 {
    match word.least() {
        Least::Zero => 0,
        Least::Some => 1,
    }
}

fn threads(whole: Inherit<'_>, way: &Node, end: Said) -> Vec<Stage> {
    if end == Said::Nothing {
        whole.load.context.problems.error_with_hint(
            &way.key,
            "nothing says when the stage is over",
            end::THREADS,
        );
    }
    let users = whole.load.count_of(way, 1..=MOST_USERS);
    let stage = users.and_then(|users| whole_load(whole, end, work::users(whole, users as u32)));
    stage.into_iter().collect()
}

fn open_loop(whole: Inherit<'_>, way: &Node, end: Said) -> Vec<Stage> {
    if end == Said::Nothing {
        whole.load.context.problems.error_with_hint(
            &way.key,
            "nothing says when the stage is over",
            end::STAGE,
        );
    }
    let word = Word::read(whole);
    let work = work::rate(whole, whole.load, word.least());
    work.and_then(|work| whole_load(whole, end, work)).into_iter().collect()
}

/// The one stage of a load without a list.
fn whole_load(whole: Inherit<'_>, end: Said, work: Work) -> Option<Stage> {
    finish(whole, None, work, Word::read(whole), end, None)
}

fn one_by_one(load: Section<'_>, way: &Node, end: Said, trace: Option<&[Duration]>) -> Vec<Stage> {
    if is_empty(way) {
        load.context.expected(way, "at least one stage");
    }
    let mut names = BTreeSet::new();
    let mut stages: Vec<Stage> = Vec::new();
    for table in load.sections("stage") {
        let name = stage_name(table);
        if let (Some(name), Some(node)) = (&name, table.get("name"))
            && !names.insert(name.clone())
        {
            load.context.problems.error(&node.place, format!("two stages are named `{name}`"));
        }
        let stage = one_stage(table, load, name, end, trace, stages.last());
        stages.extend(stage);
    }
    stages
}

fn one_stage(
    table: Section<'_>,
    load: Section<'_>,
    name: Option<String>,
    end: Said,
    trace: Option<&[Duration]>,
    before: Option<&Stage>,
) -> Option<Stage> {
    let stage = Inherit { own: Some(table), load };
    table.at_most_one(&["concurrency", "rate"], "a stage has users or a rate: keep one of them");
    table.at_most_one(&["ramp_up", "spawn_rate"], SPAWN);
    manner::check(table);
    let own_end = end::of_stage(table);
    let end = if own_end == Said::Nothing { end } else { own_end };
    let word = Word::read(stage);
    let way = table.all_said(&["concurrency", "rate"]).first().map(|node| node.path.name());
    let follows_trace = way.is_none() && arrival::is_trace(stage);
    if end == Said::Nothing && !follows_trace {
        table.missing("nothing says when this stage is over", end::STAGE);
    }
    let work = match way {
        Some("concurrency") => {
            let users = table.count("concurrency", least(word)..=MOST_USERS)?;
            work::users(stage, users as u32)
        }
        Some(_) => work::rate(stage, table, word.least())?,
        None if follows_trace => work::trace(stage, trace)?,
        None => {
            let hint = "say `concurrency = 10`, or `rate = 10` for an open loop";
            table.missing("nothing says how much load this stage has", hint);
            return None;
        }
    };
    finish(stage, name, work, word, end, before)
}

/// A stage of this work: when it ends, how it comes to its level, what it is called.
fn finish(
    stage: Inherit<'_>,
    name: Option<String>,
    work: Work,
    word: Word,
    end: Said,
    before: Option<&Stage>,
) -> Option<Stage> {
    let level = work.level();
    let end = end::of_work(stage, &work, end)?;
    let shape = match &work {
        Work::Arrivals { arrival: Arrival::Trace(_), .. } if word == Word::Step => {
            stage.refuse(&["ramp_up"], "the trace says when requests start");
            Shape::AT_ONCE
        }
        _ => shape::read(stage, word, level, end, before)?,
    };
    let work = match word {
        Word::Step => work,
        Word::Ramp => carried_on(stage, work, before)?,
    };
    let name = name.unwrap_or_else(|| match (word, &work) {
        (Word::Step, Work::Arrivals { arrival: Arrival::Trace(_), .. }) => "trace".to_owned(),
        (Word::Step, _) => level_name(level),
        (Word::Ramp, _) => format!("to-{}", level_name(level)),
    });
    Some(Stage { name, work, shape, end })
}

/// The work of a ramp: the arrivals of the stage before go on.
fn carried_on(stage: Inherit<'_>, work: Work, before: Option<&Stage>) -> Option<Work> {
    let Work::Arrivals { rate, arrival, max_in_flight } = work else { return Some(work) };
    let (arrival, max_in_flight) = match before.map(|before| &before.work) {
        Some(Work::Arrivals { arrival, max_in_flight, .. }) => (arrival.clone(), *max_in_flight),
        Some(Work::Users { .. }) | None => (arrival, max_in_flight),
    };
    if let Arrival::Trace(_) = arrival {
        let place = stage.said("shape").map_or_else(|| stage.load.place(), |node| node.place.clone());
        stage
            .load
            .context
            .problems
            .error(&place, "a trace says when requests start: there is nothing to ramp");
        return None;
    }
    Some(Work::Arrivals { rate, arrival, max_in_flight })
}

/// Whether a list says nothing.
pub(super) fn is_empty(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::List(items) if items.is_empty())
}

fn stage_name(table: Section<'_>) -> Option<String> {
    let node = table.get("name")?;
    let name = table.visible_text("name")?;
    if name.trim() != name || name.chars().any(char::is_control) {
        table.context.expected(node, "a name without control characters or spaces around it");
        return None;
    }
    Some(name)
}

/// A second `c5` becomes `c5-2`.
fn unique_names(mut stages: Vec<Stage>) -> Vec<Stage> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for stage in &mut stages {
        let base = stage.name.clone();
        let mut times = 1;
        while !seen.insert(stage.name.clone()) {
            times += 1;
            stage.name = format!("{base}-{times}");
        }
    }
    stages
}
