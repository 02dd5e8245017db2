//! What no run reaches. A digit too many in a damaged file would make a timeline of centuries.

use std::time::Duration;

use measure::Offset;
use measure::sample::{Attempt, TokenEvent};
use measure::stage::{Closing, StageFrame};

/// No run is longer.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3_600);
/// No key file has more keys.
const MOST_KEYS: usize = 100_000;
/// No stage counts more requests that found no slot.
const MOST_REQUESTS: u64 = 1 << 48;

pub(super) fn of_frame(frame: &StageFrame) -> bool {
    let times = [frame.ramp_up, frame.duration].into_iter().flatten();
    times.chain(frame.think_time.into_iter().flatten()).all(|time| time <= LONGEST)
        && [frame.begins, frame.window_start].into_iter().all(is_reached)
        && frame.keys <= MOST_KEYS
        && frame.intervals.confidence.is_finite()
        && frame.reading_speed.is_finite()
}

pub(super) fn of_closing(closing: &Closing) -> bool {
    closing.window_end.is_none_or(is_reached) && closing.dropped <= MOST_REQUESTS
}

pub(super) fn of_attempt(attempt: &Attempt, events: &[TokenEvent]) -> bool {
    let at = &attempt.at;
    let optional = [
        at.connected,
        at.sent,
        at.headers,
        at.first_event,
        at.first_token,
        at.first_generated,
        at.first_answer,
        at.last_token,
    ];
    let all = [at.start, at.end].into_iter().chain(optional.into_iter().flatten());
    all.chain(events.iter().map(|event| event.at)).all(is_reached)
}

fn is_reached(at: Offset) -> bool {
    at.since(Offset::ORIGIN) <= LONGEST
}
