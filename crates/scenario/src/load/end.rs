//! When a stage is over: after a time, or after so many requests.

use std::time::Duration;

use crate::layers::Node;
use crate::plan::StageEnd;
use crate::read::Section;

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
