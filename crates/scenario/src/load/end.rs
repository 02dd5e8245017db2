//! When a stage is over: after a time, or after so many requests.

use std::time::Duration;

use super::inherit::Inherit;
use crate::layers::Node;
use crate::plan::{Arrival, StageEnd, Work};
use crate::read::Section;

/// How to say it.
pub(super) const LADDER: &str = "say `stage_duration = \"60s\"` or `stage_requests = 200`";
pub(super) const THREADS: &str = "say `duration = \"60s\"`; `duration = 0` sends one request per user";
pub(super) const STAGE: &str = "say `duration = \"60s\"` or `requests = 200`, here or in [load]";

/// What `[load]` says about every stage's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing: each stage must say it.
    Nothing,
    /// Said, but wrongly: reported already.
    Wrongly,
    This(StageEnd),
}

impl Said {
    /// The end, where it is said.
    pub(super) fn end(self) -> Option<StageEnd> {
        match self {
            Self::Nothing | Self::Wrongly => None,
            Self::This(end) => Some(end),
        }
    }
}

/// Reads the keys of `[load]` that end its stages. A zero `duration` is the older form's "once each".
pub(super) fn of_load(load: Section<'_>) -> Said {
    let keys = ["stage_duration", "stage_requests", "duration", "requests"];
    load.at_most_one(&keys, "a stage ends after a time or after a number of requests: keep one of them");
    let Some(node) = load.all_said(&keys).first().copied() else { return Said::Nothing };
    let end = match node.path.name() {
        key @ ("stage_requests" | "requests") => load.count(key, 1..=u64::MAX).map(StageEnd::Requests),
        "duration" => match load.duration("duration") {
            Some(Duration::ZERO) => return Said::This(StageEnd::OnePerUser),
            duration => duration.map(StageEnd::After),
        },
        key => load.positive_duration(key).map(StageEnd::After),
    };
    end.map_or(Said::Wrongly, Said::This)
}

/// Reads the end of one `[[load.stage]]`.
pub(super) fn of_stage(stage: Section<'_>) -> Said {
    stage.at_most_one(
        &["duration", "requests"],
        "a stage ends after a time or after a number of requests: keep one of them",
    );
    let said: Vec<&Node> = stage.all_said(&["duration", "requests"]);
    let end = match said.first().map(|node| node.path.name()) {
        None => return Said::Nothing,
        Some("requests") => stage.count("requests", 1..=u64::MAX).map(StageEnd::Requests),
        Some(key) => stage.positive_duration(key).map(StageEnd::After),
    };
    end.map_or(Said::Wrongly, Said::This)
}

/// The end of a stage of this work, given what was said; `None` where that is wrong (reported).
pub(super) fn of_work(stage: Inherit<'_>, work: &Work, said: Said) -> Option<StageEnd> {
    match (said, work) {
        // A trace ends by itself.
        (Said::Nothing, Work::Arrivals { arrival: Arrival::Trace(times), .. }) => {
            Some(StageEnd::Requests(times.len() as u64))
        }
        (Said::This(StageEnd::Requests(requests)), Work::Arrivals { arrival: Arrival::Trace(times), .. }) => {
            Some(StageEnd::Requests(requests.min(times.len() as u64)))
        }
        (Said::This(StageEnd::OnePerUser), Work::Arrivals { .. }) => {
            let node = stage.load.said("duration")?;
            let message = "`duration = 0` means one request per user, and the stage has a rate";
            stage.load.context.problems.error_with_hint(&node.place, message, STAGE);
            None
        }
        (said, _) => said.end(),
    }
}
