//! The rungs: `stages`, `[[load.stage]]`, or the older `threads`.

use std::collections::BTreeSet;
use std::time::Duration;

use super::end::{self, Said};
use super::think_time;
use crate::layers::{Node, NodeKind};
use crate::plan::{Stage, ThinkTime};
use crate::read::Section;

const WAYS: &str = "the ladder is `stages = [1, 5, 20]`, or `[[load.stage]]` tables, or `threads = 5`";
const ENDS: &str = "say `stage_duration = \"60s\"` or `stage_requests = 200`";
/// More users than ports on one address cannot be open at once.
pub(super) const MOST_USERS: u64 = 60_000;

/// What `[load]` says for all its stages.
struct Defaults {
    end: Said,
    ramp: Ramp,
    think_time: ThinkTime,
}

#[derive(Clone, Copy)]
enum Ramp {
    Over(Duration),
    /// Users per second.
    Rate(f64),
}

impl Ramp {
    fn of(self, users: u32) -> Duration {
        match self {
            Self::Over(duration) => duration,
            Self::Rate(rate) => Duration::try_from_secs_f64(f64::from(users) / rate).unwrap_or(Duration::MAX),
        }
    }
}

/// Reads the stages in order; problems are recorded.
pub(super) fn read(load: Section<'_>) -> Vec<Stage> {
    load.at_most_one(&["stages", "stage", "threads"], WAYS);
    let defaults = defaults(load);
    let ways = load.all_said(&["stages", "stage", "threads"]);
    let Some(way) = ways.first() else {
        load.missing("nothing says how many users there are", WAYS);
        return Vec::new();
    };
    let stages = match way.path.name() {
        "stages" => ladder(load, way, &defaults),
        "stage" => one_by_one(load, way, &defaults),
        _ => threads(load, way, &defaults),
    };
    unique_names(stages)
}

fn defaults(load: Section<'_>) -> Defaults {
    load.at_most_one(&["ramp_up", "spawn_rate"], "both say how fast the users start: keep one of them");
    let ramp = match load.said("spawn_rate") {
        Some(_) => Ramp::Rate(load.positive_number("spawn_rate").unwrap_or(f64::INFINITY)),
        None => Ramp::Over(load.duration("ramp_up").unwrap_or_default()),
    };
    Defaults { end: end::of_load(load), ramp, think_time: think_time::read(load).unwrap_or_default() }
}

fn ladder(load: Section<'_>, way: &Node, defaults: &Defaults) -> Vec<Stage> {
    let problems = load.context.problems;
    let items = load.list("stages");
    if is_empty(way) {
        load.context.expected(way, "at least one stage");
    }
    if defaults.end == Said::Nothing {
        problems.error_with_hint(&way.key, "nothing says when a stage is over", ENDS);
    }
    let users = items.iter().filter_map(|item| load.count_of(item, 1..=MOST_USERS));
    users.filter_map(|users| plain_stage(users as u32, defaults)).collect()
}

fn threads(load: Section<'_>, way: &Node, defaults: &Defaults) -> Vec<Stage> {
    if defaults.end == Said::Nothing {
        let hint = "say `duration = \"60s\"`; `duration = 0` sends one request per user";
        load.context.problems.error_with_hint(&way.key, "nothing says when the stage is over", hint);
    }
    let users = load.count_of(way, 1..=MOST_USERS);
    users.and_then(|users| plain_stage(users as u32, defaults)).into_iter().collect()
}

fn plain_stage(users: u32, defaults: &Defaults) -> Option<Stage> {
    let end = defaults.end.end()?;
    let ramp_up = defaults.ramp.of(users);
    Some(Stage {
        name: format!("c{users}"),
        concurrency: users,
        end,
        ramp_up,
        think_time: defaults.think_time,
    })
}

fn one_by_one(load: Section<'_>, way: &Node, defaults: &Defaults) -> Vec<Stage> {
    let tables = load.sections("stage");
    if is_empty(way) {
        load.context.expected(way, "at least one stage");
    }
    let mut names = BTreeSet::new();
    let stages = tables.into_iter().filter_map(|table| {
        let name = stage_name(table);
        if let (Some(name), Some(node)) = (&name, table.get("name"))
            && !names.insert(name.clone())
        {
            load.context.problems.error(&node.place, format!("two stages are named `{name}`"));
        }
        one_stage(table, name, defaults)
    });
    stages.collect()
}

fn one_stage(table: Section<'_>, name: Option<String>, defaults: &Defaults) -> Option<Stage> {
    let own_end = end::of_stage(table);
    let end = if own_end == Said::Nothing { defaults.end } else { own_end };
    if end == Said::Nothing {
        let hint = "say `duration = \"60s\"` or `requests = 200`, here or in [load]";
        table.missing("nothing says when this stage is over", hint);
    }
    if table.said("concurrency").is_none() {
        table.missing("nothing says how many users this stage has", "say `concurrency = 10`");
    }
    let own_ramp = table.said("ramp_up").and_then(|_| table.duration("ramp_up"));
    let own_pause = table.said("think_time").and_then(|_| think_time::read(table));
    let users = table.count("concurrency", 1..=MOST_USERS)? as u32;
    Some(Stage {
        name: name.unwrap_or_else(|| format!("c{users}")),
        concurrency: users,
        end: end.end()?,
        ramp_up: own_ramp.unwrap_or_else(|| defaults.ramp.of(users)),
        think_time: own_pause.unwrap_or(defaults.think_time),
    })
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
