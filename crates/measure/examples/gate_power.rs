//! How often the gate is red, green or undecided, over pairs of runs of one server: the table of `docs/gate.md`.
//!
//! `cargo run --release -p rungs-measure --example gate_power -- 2000`

#![expect(clippy::print_stdout, reason = "a table is what it is for")]
#![expect(clippy::unwrap_used, reason = "a study that cannot set its scene has failed")]

#[path = "../tests/it/model.rs"]
mod model;

use measure::result::CheckResult;
use model::{USUAL, pair, rule};

/// How much slower the second run's server is.
const SLOWER: [f64; 4] = [1.0, 1.1, 1.2, 1.3];

const CHECKS: [&str; 4] = [
    "tpot.p95 <= baseline + 20%",
    "tpot.p99 <= baseline + 20%",
    "ttft.p95 <= baseline + 20%",
    "e2e.mean <= baseline + 20%",
];

fn main() {
    let pairs = std::env::args().nth(1).and_then(|pairs| pairs.parse().ok()).unwrap_or(2_000_u64);
    let rules = CHECKS.map(rule);
    println!("| check | the server is | red | undecided | green |");
    println!("| --- | --- | ---: | ---: | ---: |");
    for slower in SLOWER {
        let results: Vec<_> = (0..pairs).map(|seed| pair(USUAL, slower, &rules, seed)).collect();
        for (at, check) in CHECKS.iter().enumerate() {
            let share = |result| {
                let came = results.iter().filter(|results| results[at] == result).count();
                format!("{:.2} %", 100.0 * came as f64 / pairs as f64)
            };
            let is = if slower > 1.0 {
                format!("{:.0} % slower", 100.0 * (slower - 1.0))
            } else {
                "unchanged".to_owned()
            };
            let [red, open, green] =
                [CheckResult::Fail, CheckResult::Inconclusive, CheckResult::Pass].map(share);
            println!("| `{check}` | {is} | {red} | {open} | {green} |");
        }
    }
}
