//! How the requests of an open loop follow one another.

use std::sync::Arc;
use std::time::Duration;

use super::inherit::Inherit;
use crate::plan::Arrival;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Constant,
    Poisson,
    Gamma,
    Trace,
}

pub(super) const KINDS: &[(&str, Kind)] = &[
    ("constant", Kind::Constant),
    ("poisson", Kind::Poisson),
    ("gamma", Kind::Gamma),
    ("trace", Kind::Trace),
];

/// Whether the stage's requests start when a trace says.
pub(super) fn is_trace(stage: Inherit<'_>) -> bool {
    stage.of("arrival").get("arrival").and_then(|node| node.as_text()) == Some("trace")
}

/// Reads the arrivals of a stage with a rate.
pub(super) fn read(stage: Inherit<'_>) -> Option<Arrival> {
    let problems = stage.load.context.problems;
    let kind = stage.of("arrival").choice("arrival", KINDS)?;
    if kind != Kind::Gamma {
        stage.refuse(&["burstiness"], "only `arrival = \"gamma\"` has it");
    }
    match kind {
        Kind::Constant => Some(Arrival::Constant),
        Kind::Poisson => Some(Arrival::Poisson),
        Kind::Gamma if stage.said("burstiness").is_none() => {
            let section = stage.of("arrival");
            let place = section.get("arrival").map_or_else(|| section.place(), |node| node.place.clone());
            problems.error_with_hint(
                &place,
                "gamma arrivals need `burstiness`",
                "say `burstiness = 0.5`: 1 is Poisson, less comes in bursts, more is evener",
            );
            None
        }
        Kind::Gamma => {
            let burstiness = stage.of("burstiness").positive_number("burstiness")?;
            Some(Arrival::Gamma { burstiness })
        }
        Kind::Trace => {
            let node = stage.said("rate").or_else(|| stage.said("arrival"))?;
            problems.error_with_hint(
                &node.key,
                "`rate` and `arrival = \"trace\"` together",
                "the trace says when requests start: take `rate` out, and hasten it by `speed`",
            );
            None
        }
    }
}

/// The times of a trace, at the speed asked for.
pub(super) fn read_trace(stage: Inherit<'_>, trace: Option<&[Duration]>) -> Option<Arrival> {
    let problems = stage.load.context.problems;
    let Some(times) = trace else {
        let node = stage.said("arrival")?;
        problems.error_with_hint(
            &node.place,
            "there is no trace to follow",
            "say `trace = \"trace.jsonl\"` in [data]: a line per request with its `timestamp` in ms",
        );
        return None;
    };
    let speed = stage.of("speed").positive_number("speed")?;
    let at = |time: &Duration| Duration::try_from_secs_f64(time.as_secs_f64() / speed).ok();
    let times: Option<Arc<[Duration]>> = times.iter().map(at).collect();
    // Empty only after a problem with the file.
    times.filter(|times| !times.is_empty()).map(Arrival::Trace)
}
