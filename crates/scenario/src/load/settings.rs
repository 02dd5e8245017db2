//! `[load]` as a whole.

use std::time::Duration;

use super::work::{OF_RATES, OF_USERS};
use super::{cancel, retry, search, stages, stop};
use crate::plan::{Arrival, Load, Stage, WarmUp, Work};
use crate::read::Section;
use crate::value::show_duration;

/// Reads `[load]`. `longest` is the longest that a request may last by any single timeout, `trace` when the requests of a
/// trace start.
pub(crate) fn read(load: Section<'_>, longest: Duration, trace: Option<&[Duration]>) -> Load {
    let stages = stages::read(load, trace);
    refuse_idle(load, &stages);
    let drain_timeout = load.duration("drain_timeout").unwrap_or(longest);
    let problems = load.context.problems;
    if drain_timeout < longest {
        problems.notice(format!(
            "`drain_timeout` is {}, shorter than the longest timeout ({}): slow requests will be cancelled, not judged",
            show_duration(drain_timeout),
            show_duration(longest)
        ));
    }
    for stage in &stages {
        if let Some(requests) = stage.requests()
            && let Some(users) = stage.level().users()
            && requests < u64::from(users)
        {
            problems.notice(format!(
                "stage `{}` has {users} users but only {requests} requests: some users never send one",
                stage.name
            ));
        }
    }
    Load {
        stop: stop::read(load, &stages),
        search: search::read(load, stages.last()),
        stages,
        preflight: load.boolean("preflight").unwrap_or_default(),
        warm_up: read_warm_up(load),
        drain_timeout,
        cool_down: load.duration("cool_down").unwrap_or_default(),
        cancel: cancel::read(load),
        retry: retry::read(load),
        max_requests: load.count("max_requests", 1..=u64::MAX),
    }
}

/// Keys that mean something only for a kind of stage that is not there.
fn refuse_idle(load: Section<'_>, stages: &[Stage]) {
    let has_open = stages.iter().any(|stage| matches!(stage.work, Work::Arrivals { .. }));
    let has_closed = stages.iter().any(|stage| matches!(stage.work, Work::Users { .. }));
    let idle = match (has_closed, has_open) {
        (true, false) => load.all_said(OF_RATES),
        (false, true) => load.all_said(OF_USERS),
        (true, true) | (false, false) => Vec::new(),
    };
    let arrival = |wanted: fn(&Arrival) -> bool| {
        stages.iter().any(|stage| matches!(&stage.work, Work::Arrivals { arrival, .. } if wanted(arrival)))
    };
    // A stage that is wrong is not there yet: what it would use may look unused.
    if has_open && load.context.problems.is_empty() {
        let unused = [
            (
                "burstiness",
                arrival(|arrival| matches!(arrival, Arrival::Gamma { .. })),
                "`arrival = \"gamma\"`",
            ),
            ("speed", arrival(|arrival| matches!(arrival, Arrival::Trace(_))), "`arrival = \"trace\"`"),
        ];
        for (key, used, needs) in unused {
            if let Some(node) = load.said(key).filter(|_| !used) {
                let message = format!("`{key}` has no effect: no stage has {needs}");
                load.context.problems.error_with_hint(&node.key, message, "take it out");
            }
        }
    }
    let why = if has_open { "every stage has a rate, and no users" } else { "no stage has a `rate`" };
    for node in idle {
        let message = format!("`{}` has no effect: {why}", node.path.name());
        load.context.problems.error_with_hint(&node.key, message, "take it out");
    }
}

fn read_warm_up(load: Section<'_>) -> Option<WarmUp> {
    let section = load.section("warm_up");
    if !section.is_present() {
        return None;
    }
    let keys = ["requests", "duration"];
    let hint = "a warm-up is `{ requests = 10 }` or `{ duration = \"10s\" }`";
    section.at_most_one(&keys, hint);
    match section.all_said(&keys).first().map(|node| node.path.name()) {
        Some("requests") => section.count("requests", 1..=u64::MAX).map(WarmUp::Requests),
        Some(key) => section.positive_duration(key).map(WarmUp::For),
        None => {
            section.missing("nothing says how long the warm-up is", hint);
            None
        }
    }
}
