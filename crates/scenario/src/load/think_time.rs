//! `"100ms"`, `"50ms..200ms"`, or seconds.

use std::time::Duration;

use crate::layers::NodeKind;
use crate::plan::ThinkTime;
use crate::read::Section;
use crate::value::parse_duration;

/// Reads the pause of a user between two requests; `None` when it is wrong (reported).
pub(super) fn read(section: Section<'_>) -> Option<ThinkTime> {
    let node = section.get("think_time")?;
    let NodeKind::Text(text) = &node.kind else {
        let fixed = section.duration("think_time")?;
        return Some(ThinkTime { min: fixed, max: fixed });
    };
    let (min, max) = text.split_once("..").unwrap_or((text, text));
    let pair: Option<(Duration, Duration)> = parse_duration(min).ok().zip(parse_duration(max).ok());
    match pair {
        Some((min, max)) if min <= max => Some(ThinkTime { min, max }),
        Some(_) => {
            section.context.expected_with_hint(
                node,
                "the shorter pause first",
                format!("write `\"{max}..{min}\"`"),
            );
            None
        }
        None => {
            section.context.expected(node, "a pause such as \"100ms\" or \"50ms..200ms\"");
            None
        }
    }
}
