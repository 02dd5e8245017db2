//! Who sends the requests of a stage: users, or a rate.

use std::time::Duration;

use super::arrival;
use super::inherit::Inherit;
use super::stages::MOST_USERS;
use super::think_time;
use crate::layers::Node;
use crate::plan::{Arrival, Work};
use crate::read::Section;

/// More than a process can open in a second.
const MOST_RATE: f64 = 100_000.0;
/// Keys that mean something only with a rate, and only with users.
pub(super) const OF_RATES: &[&str] = &["arrival", "burstiness", "max_in_flight", "speed"];
pub(super) const OF_USERS: &[&str] = &["think_time", "spawn_rate"];
const CLOSED: &str = "the stage has users, who send their next request when the last one ended";
const OPEN: &str = "the stage has a rate, and no users";

/// A closed loop of so many users.
pub(super) fn users(stage: Inherit<'_>, count: u32) -> Work {
    stage.refuse(OF_RATES, CLOSED);
    let pause = think_time::read(stage.of("think_time"));
    Work::Users { count, think_time: pause.unwrap_or_default() }
}

/// An open loop of the rate at `node`, which may be 0 where the stage only passes through it.
pub(super) fn rate(stage: Inherit<'_>, section: Section<'_>, least: Least) -> Option<Work> {
    stage.refuse(OF_USERS, OPEN);
    let node = section.get("rate")?;
    let rate = read_rate(section, node, least);
    let arrival = arrival::read(stage);
    let most = most_in_flight(stage);
    Some(Work::Arrivals { rate: rate?, arrival: arrival?, max_in_flight: most? })
}

/// An open loop of the trace.
pub(super) fn trace(stage: Inherit<'_>, trace: Option<&[Duration]>) -> Option<Work> {
    stage.refuse(OF_USERS, OPEN);
    let arrival = arrival::read_trace(stage, trace);
    let most = most_in_flight(stage);
    let Arrival::Trace(times) = arrival? else { return None };
    let span = times.last().map_or(0.0, Duration::as_secs_f64);
    // The mean over its span; of requests that all start at once there is none.
    let rate = if span > 0.0 { (times.len() - 1) as f64 / span } else { times.len() as f64 };
    let rate = (rate * 100.0).round() / 100.0;
    Some(Work::Arrivals { rate, arrival: Arrival::Trace(times), max_in_flight: most? })
}

/// The least level a stage may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Least {
    /// A ramp passes through nothing.
    Zero,
    /// A step holds something.
    Some,
}

fn read_rate(section: Section<'_>, node: &Node, least: Least) -> Option<f64> {
    let rate = match least {
        Least::Zero => section.number("rate")?,
        Least::Some => section.positive_number("rate")?,
    };
    if rate > MOST_RATE {
        section.context.expected(node, &format!("at most {MOST_RATE} requests per second"));
        return None;
    }
    Some(rate)
}

fn most_in_flight(stage: Inherit<'_>) -> Option<u32> {
    stage.of("max_in_flight").count("max_in_flight", 1..=MOST_USERS).map(|most| most as u32)
}
