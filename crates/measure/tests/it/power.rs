//! How often the gate is red where nothing changed, and where something did; `examples/gate_power.rs` asks it of thousands.

use measure::result::CheckResult;

use crate::model::{Model, USUAL, pair, rule};

const PAIRS: u64 = 40;

/// How many of the pairs came out so.
fn count(check: &str, slower: f64, result: CheckResult) -> u64 {
    let rules = [rule(check)];
    (0..PAIRS).filter(|seed| pair(USUAL, slower, &rules, *seed) == [result]).count() as u64
}

#[test]
fn an_unchanged_server_is_never_red_and_one_that_is_slower_than_allowed_is() {
    for check in ["tpot.p95 <= baseline + 20%", "ttft.mean <= baseline + 20%"] {
        assert_eq!(count(check, 1.0, CheckResult::Fail), 0, "{check}");
        assert!(count(check, 1.0, CheckResult::Pass) >= PAIRS * 95 / 100, "{check}");
        assert!(count(check, 1.3, CheckResult::Fail) >= PAIRS * 85 / 100, "{check}");
    }
}

#[test]
fn a_server_that_is_exactly_as_slow_as_allowed_is_mostly_left_open() {
    for check in ["tpot.p95 <= baseline + 20%", "e2e.mean <= baseline + 20%"] {
        assert!(count(check, 1.2, CheckResult::Inconclusive) >= PAIRS * 80 / 100, "{check}");
    }
}

#[test]
fn a_tail_of_few_requests_is_left_open_rather_than_guessed() {
    // The p95 of 60 log-normal values scatters by about 8 %: a change of 10 % cannot be told from none.
    let few = Model { requests: 60, ..USUAL };
    let rules = [rule("ttft.p95 <= baseline + 10%")];
    let red = |seed: &u64| pair(few, 1.0, &rules, *seed) == [CheckResult::Fail];
    let open = |seed: &u64| pair(few, 1.0, &rules, *seed) == [CheckResult::Inconclusive];
    assert!((0..PAIRS).filter(red).count() <= 2 && (0..PAIRS).filter(open).count() as u64 >= PAIRS / 2);
}
