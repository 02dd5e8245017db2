//! The two sides of an A/B run: what A is against B, number by number. The reports of the run show it beside what they tell
//! of A.

mod sentence;
mod table;

use measure::ladder::ladder;
use measure::result::{GateResult, RunResult, Verdict};

pub(crate) use self::sentence::against;
pub(crate) use self::table::{Block, Line, blocks, legend, shown};
use crate::comparison::Comparison;

/// The sides as runs of their own: B, which A is compared with, and A. `None` of a run with one side.
pub(crate) fn runs(run: &RunResult) -> Option<[RunResult; 2]> {
    let a = RunResult { against: None, ..run.clone() };
    let b = run.against.clone()?;
    let of_b = RunResult {
        provider: b.provider,
        base_url: b.base_url,
        url: b.url,
        proxy: b.proxy,
        api: b.api,
        model: b.model,
        stream: b.stream,
        auth_header: b.auth_header,
        headers: b.headers,
        preflight: b.preflight,
        // Which of its rungs met the objectives is not judged: they are no part of a result.
        ladder: ladder(&b.stages, [None; 3]),
        stages: b.stages,
        search: None,
        stop: None,
        gate: GateResult { verdict: Verdict::None, checks: Vec::new() },
        ..a.clone()
    };
    Some([of_b, a])
}

/// What is made of the sides laid beside one another; `None` of a run with one side.
pub(crate) fn compared<T>(run: &RunResult, make: impl FnOnce(&Comparison<'_>) -> T) -> Option<T> {
    let runs = runs(run)?;
    let differences = &run.against.as_ref()?.differences;
    Some(make(&Comparison::of_sides(&runs, differences)))
}
