//! What a stage of an A/B run cannot be: it is cut into blocks, which start anew each time.

use super::inherit::Inherit;
use crate::plan::{Arrival, Load, Stage, StageEnd, Work};
use crate::read::Section;

/// Refuses what cannot be run on two sides by turns.
pub(crate) fn refuse_indivisible(load: Section<'_>, plan: &Load) {
    let tables = load.sections("stage");
    for (at, stage) in plan.stages.iter().enumerate() {
        // Fewer stages than tables only after a problem; then the place of this one is not known.
        let own = tables.get(at).copied().filter(|_| tables.len() == plan.stages.len());
        if let Some((key, why, hint)) = indivisible(stage) {
            let said = Inherit { own, load }.said(key);
            let place = said.map_or_else(|| load.place(), |node| node.place.clone());
            let message = format!("stage `{}` cannot alternate between A and B: {why}", stage.name);
            load.context.problems.error_with_hint(&place, message, hint);
        }
    }
    if plan.search.is_some() {
        load.context.problems.error_with_hint(
            &load.section("search").place(),
            "a search has one side, and this is an A/B run",
            "take `[load.search]` out, or `[target.b]`, and search on each side in a run of its own",
        );
    }
}

/// The key that makes a stage so, why, and what to do.
fn indivisible(stage: &Stage) -> Option<(&'static str, &'static str, &'static str)> {
    if stage.follows_on() {
        return Some((
            "shape",
            "a ramp goes on from the stage before, without a break",
            "make it a step (`ramp_up` is how a step starts), or compare two runs with `rungs compare`",
        ));
    }
    if let Work::Arrivals { arrival: Arrival::Trace(_), .. } = stage.work {
        return Some((
            "arrival",
            "a trace is one piece",
            "replay it against each side in a run of its own, and lay the two results side by side with `rungs compare`",
        ));
    }
    match stage.end {
        StageEnd::OnePerUser => Some((
            "duration",
            "one request per user cannot be divided",
            "say `duration = \"60s\"` or `requests = 200`",
        )),
        StageEnd::Requests(0 | 1) => {
            Some(("requests", "one request cannot be divided", "send at least two requests on each side"))
        }
        StageEnd::Requests(_) | StageEnd::After(_) => None,
    }
}
