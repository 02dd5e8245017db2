//! What counts as a rung, and as one that held.

use measure::ladder::ladder;
use measure::result::StageResult;
use measure::{Amount, LoadUnit};

use crate::run;

/// A stage where all went well, at so many requests per second, that started so many of 1000.
fn open(rate: f64, started: u64) -> StageResult {
    let mut stage = run::stage();
    (stage.concurrency, stage.rate) = (None, Some(Amount(rate)));
    (stage.http_429, stage.success_rate) = (0, Some(1.0));
    (stage.counts.planned, stage.counts.started, stage.counts.dropped) = (1000, started, 1000 - started);
    stage
}

#[test]
fn a_rate_that_was_not_sent_has_not_held() {
    let ladder = ladder(&[open(10.0, 1000), open(20.0, 990), open(30.0, 989)], [None; 3]);
    assert_eq!(ladder.unit, LoadUnit::RequestsPerS);
    assert_eq!((ladder.last_ok, ladder.first_breach), (Some(Amount(20.0)), Some(Amount(30.0))));
}

#[test]
fn users_and_ramps_are_no_rungs_of_a_ladder_of_rates() {
    let ramp = StageResult { ramp_from: Some(Amount(0.0)), ..open(90.0, 1000) };
    let users = StageResult { rate: None, concurrency: Some(50), ..open(90.0, 1000) };
    let ladder = ladder(&[ramp, open(10.0, 1000), users], [None; 3]);
    assert_eq!(
        (ladder.unit, ladder.last_ok, ladder.first_breach),
        (LoadUnit::RequestsPerS, Some(Amount(10.0)), None)
    );
}
