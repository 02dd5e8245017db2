//! What a line holds, for writing and for reading.

use std::borrow::Cow;

use measure::result::RunResult;
use measure::sample::{Attempt, Phase, TokenEvent};
use measure::stage::{Closing, StageFrame};
use measure::{Offset, Sample};
use serde::{Deserialize, Serialize};

/// A line of any kind but an attempt's.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line<'a> {
    /// The first: the result of a run that ends before its first request, and the stages to come.
    Run {
        /// As that of results.
        schema_version: u32,
        /// Without stages.
        result: Cow<'a, RunResult>,
        /// As planned; when they begin is not known yet.
        stages: Cow<'a, [StageFrame]>,
    },
    /// A stage begins.
    StageStart {
        /// Its index.
        stage: usize,
        #[serde(flatten)]
        frame: Cow<'a, StageFrame>,
    },
    /// A stage ended, and everything that was sent in it.
    StageEnd {
        /// Its index.
        stage: usize,
        #[serde(flatten)]
        closing: Cow<'a, Closing>,
    },
    /// The last, unless the run was killed.
    RunEnd {
        /// Without stages.
        result: Cow<'a, RunResult>,
    },
}

/// How a line of an attempt begins.
pub(super) const ATTEMPT: &[u8] = br#"{"type":"attempt","#;

/// One attempt of a finished request. Instants are nanoseconds since the run began.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AttemptLine<'a> {
    /// `attempt`.
    #[serde(rename = "type", default)]
    pub(super) kind: Cow<'a, str>,
    pub(super) stage: Option<usize>,
    pub(super) phase: Phase,
    pub(super) seq: u64,
    pub(super) user: u32,
    pub(super) row: usize,
    pub(super) key: Option<usize>,
    pub(super) due: Offset,
    pub(super) free: Offset,
    pub(super) in_flight: u32,
    /// Among the request's attempts, from 1.
    pub(super) attempt: usize,
    #[serde(flatten)]
    pub(super) of: Cow<'a, Attempt>,
    /// Number of token events.
    pub(super) chunks: usize,
    /// Token events: the first in microseconds since the run began, each further one since the one before.
    pub(super) arrivals_us: Vec<i64>,
    /// The choice of each, where there is more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) choices: Option<Vec<u32>>,
    /// Of the request as a whole, on the line of its last attempt: waits between attempts.
    pub(super) retry_wait: Option<u64>,
    /// The same: from its first attempt's start to the end.
    pub(super) total: Option<u64>,
}

/// Token events as a line holds them.
pub(super) fn packed(events: &[TokenEvent]) -> (Vec<i64>, Option<Vec<u32>>) {
    let mut before = 0;
    let arrivals = events.iter().map(|event| {
        let at = event.at.micros().cast_signed();
        at - std::mem::replace(&mut before, at)
    });
    let several = events.iter().any(|event| event.choice != 0);
    (arrivals.collect(), several.then(|| events.iter().map(|event| event.choice).collect()))
}

/// Token events as the engine saw them.
pub(super) fn unpacked(arrivals: &[i64], choices: Option<&[u32]>) -> Vec<TokenEvent> {
    let mut at = 0_i64;
    let choice = |index: usize| choices.and_then(|choices| choices.get(index)).copied().unwrap_or(0);
    let event = |(index, step): (usize, &i64)| {
        at = at.saturating_add(*step);
        TokenEvent { at: Offset::from_micros(at.try_into().unwrap_or(0)), choice: choice(index) }
    };
    arrivals.iter().enumerate().map(event).collect()
}

impl AttemptLine<'_> {
    /// The request that this attempt begins.
    pub(super) fn request(&self) -> Sample {
        let Self { stage, phase, seq, user, row, key, due, free, in_flight, .. } = *self;
        Sample { stage, phase, seq, user, row, key, due, free, in_flight, attempts: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_events_survive_the_way_into_a_line_and_back() {
        let event = |(micros, choice): (u64, u32)| TokenEvent { at: Offset::from_micros(micros), choice };
        let one: Vec<_> = [(500_000, 0), (520_012, 0), (520_012, 0), (540_000, 0)].map(event).to_vec();
        assert_eq!(packed(&one), (vec![500_000, 20_012, 0, 19_988], None));
        // Two choices, and a stamp of the kernel that lies before the one of the read before.
        let two: Vec<_> = [(7, 1), (9, 0), (8, 1)].map(event).to_vec();
        assert_eq!(packed(&two), (vec![7, 2, -1], Some(vec![1, 0, 1])));
        for events in [one, two, Vec::new()] {
            let (arrivals, choices) = packed(&events);
            assert_eq!(unpacked(&arrivals, choices.as_deref()), events);
        }
    }
}
