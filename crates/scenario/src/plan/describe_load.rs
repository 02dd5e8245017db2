//! The load in words: the ladder in one line, and a line per stage.

use measure::{Amount, Level};

use super::{Arrival, Plan, Shape, Stage, StageEnd, ThinkTime, Work};
use crate::value::show_duration;

/// The ladder in one line, with what ends it and what comes after.
pub(super) fn describe_load(plan: &Plan) -> String {
    let rows = plan.bodies.rows();
    let noun = if rows == 1 { "prompt" } else { "prompts" };
    let retries = match plan.load.retry.max {
        0 => String::new(),
        max => format!(", each request up to {} times", max + 1),
    };
    let search = match &plan.load.search {
        None => String::new(),
        Some(search) => format!(
            ", then a search between {} and {} (at most {} stages)",
            search.low,
            search.high,
            search.stages_at_most()
        ),
    };
    let checks: Vec<String> = plan.load.stop.iter().map(|rule| format!("`{}`", rule.check.text)).collect();
    let stop = match checks.is_empty() {
        true => String::new(),
        false => format!(", while {} over the last 10 s", checks.join(" and ")),
    };
    let leave = plan.load.cancel.map(|cancel| {
        format!(", {} of the requests left after {}", percent(cancel.ratio), show_duration(cancel.after))
    });
    let leave = leave.unwrap_or_default();
    let rounds = rounds(plan);
    format!("ladder  {}{rounds}, {rows} {noun}{stop}{retries}{leave}{search}", levels(&plan.load.stages))
}

/// How often the ladder is climbed, and what is measured again; of an A/B run, how its sides alternate.
fn rounds(plan: &Plan) -> String {
    if plan.against.is_some() {
        return format!(
            ", each stage on A and on B by turns, in {} blocks on each side",
            blocks(&plan.load.stages)
        );
    }
    let repeats = match plan.gate.repeats {
        1 => String::new(),
        times => format!(", {times} times"),
    };
    match plan.gate.confirm {
        0 => repeats,
        times => format!("{repeats}, a stage with a failed check up to {times} more"),
    }
}

/// `10`, or `2 to 10` where stages differ.
fn blocks(stages: &[Stage]) -> String {
    let counts = || stages.iter().map(Stage::blocks);
    match (counts().min(), counts().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (_, most) => most.unwrap_or_default().to_string(),
    }
}

fn percent(share: f64) -> String {
    format!("{}%", (share * 1000.0).round() / 10.0)
}

/// `1 -> 5 -> 20 users`; a ramp is a `~>`. The unit is named where it changes.
fn levels(stages: &[Stage]) -> String {
    let mut text = String::new();
    for (index, stage) in stages.iter().enumerate() {
        let arrow = match (stage.shape, index) {
            (Shape::Step { .. }, 0) => "",
            (Shape::Step { .. }, _) => " -> ",
            (Shape::Ramp { from }, 0) => &format!("{} ~> ", Amount(from)),
            (Shape::Ramp { .. }, _) => " ~> ",
        };
        text += arrow;
        text += &stage.level().amount().to_string();
        let next = stages.get(index + 1).map(|next| next.level().unit());
        if next != Some(stage.level().unit()) {
            text += match stage.level() {
                Level::Users(1) if stages.len() == 1 => " user",
                Level::Users(_) => " users",
                Level::Rate(_) => " requests/s",
            };
        }
    }
    text
}

/// One stage in one line.
pub fn describe_stage(stage: &Stage) -> String {
    let words = [who(stage), until(stage)].join(" ");
    format!("stage   {}: {}{}", stage.name, words.trim_end(), manner(&stage.work))
}

fn who(stage: &Stage) -> String {
    let amount = stage.level().amount();
    let from = stage.ramp_from().map(|from| format!("{} to ", from.amount())).unwrap_or_default();
    match &stage.work {
        Work::Users { .. } => format!("{from}{amount} users"),
        Work::Arrivals { arrival: Arrival::Trace(times), .. } => {
            format!("{} requests when the trace says ({amount}/s on average)", times.len())
        }
        Work::Arrivals { arrival, .. } => {
            format!("{from}{amount} requests/s, {} arrivals,", arrival.kind().name())
        }
    }
}

fn until(stage: &Stage) -> String {
    let ramp = match (stage.ramp_up(), stage.level()) {
        (ramp_up, _) if ramp_up.is_zero() => String::new(),
        (ramp_up, Level::Users(_)) => {
            format!(", users start{} over {}", together(stage.shape), show_duration(ramp_up))
        }
        (ramp_up, Level::Rate(_)) => format!(", the rate rises over {} before", show_duration(ramp_up)),
    };
    let end = match (stage.end, stage.shape) {
        (StageEnd::Requests(n), _) if follows_trace(&stage.work, n) => String::new(),
        (StageEnd::After(window), Shape::Ramp { .. }) => format!("evenly over {}", show_duration(window)),
        (StageEnd::After(window), Shape::Step { .. }) => format!("for {}", show_duration(window)),
        (StageEnd::Requests(requests), _) => format!("for {requests} requests"),
        (StageEnd::OnePerUser, _) => "for one request each".to_owned(),
    };
    format!("{end}{ramp}")
}

/// Whether a stage ends with its trace.
fn follows_trace(work: &Work, requests: u64) -> bool {
    matches!(work, Work::Arrivals { arrival: Arrival::Trace(times), .. } if times.len() as u64 == requests)
}

fn together(shape: Shape) -> String {
    match shape {
        Shape::Step { together, .. } if together > 1 => format!(" {together} at a time"),
        Shape::Step { .. } | Shape::Ramp { .. } => String::new(),
    }
}

fn manner(work: &Work) -> String {
    match work {
        Work::Users { think_time, .. } => pause(*think_time),
        Work::Arrivals { max_in_flight, .. } => format!(", at most {max_in_flight} in flight"),
    }
}

fn pause(think_time: ThinkTime) -> String {
    match (think_time.min, think_time.max) {
        (_, max) if max.is_zero() => String::new(),
        (min, max) if min == max => format!(", {} pause", show_duration(min)),
        (min, max) => format!(", {}..{} pause", show_duration(min), show_duration(max)),
    }
}
