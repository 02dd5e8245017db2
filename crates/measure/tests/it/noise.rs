//! The noise floor that calibration finds, and the checks that it is too coarse for.

use measure::gate::{Baseline, Check, Level, Rule, Statistic, tight};
use measure::result::{RoundLine, RunResult, StageResult, StageStatus};

use crate::run::result;

/// A run of one stage that was measured so often, with these medians of `ttft` and as many rates.
fn rounds(medians: &[f64], rates: &[f64]) -> RunResult {
    let mut run = result();
    run.stages.truncate(1);
    let stage = &mut run.stages[0];
    (stage.ttft_ms.p50, stage.qps) = (Some(100.0), Some(10.0));
    let round = |(number, (median, rate)): (usize, (&f64, &f64))| RoundLine {
        round: number as u32 + 1,
        status: StageStatus::Complete,
        saturated: false,
        begins_s: number as f64,
        window_s: 1.0,
        ok: 10,
        failed: 0,
        values: [("ttft.p50".to_owned(), *median), ("qps".to_owned(), *rate)].into(),
    };
    stage.rounds = medians.iter().zip(rates).enumerate().map(round).collect();
    run
}

fn of(name: &str) -> Statistic {
    Statistic::try_from(name.to_owned()).unwrap()
}

#[test]
fn a_percentile_is_not_known_better_than_the_histogram_tells_it() {
    let baseline = Baseline::of(&rounds(&[100.0, 100.0], &[10.0, 10.0]), "");
    let stage = &result().stages[0].name;
    assert_eq!(baseline.noise_floor(of("ttft.p50"), stage, 1), Some(0.001));
    assert_eq!(baseline.noise_floor(of("ttft.p50"), stage, 100), Some(0.001));
    assert!(
        baseline.stages[stage].noise["ttft.p50"].deviation > 0.0,
        "a single run is taken to differ by it"
    );
    // A rate is counted, not read from a histogram.
    assert_eq!(baseline.noise_floor(of("qps"), stage, 1), Some(0.0));
    let wide = Baseline::of(&rounds(&[99.0, 101.0], &[10.0, 10.0]), "");
    // The deviation is sqrt(2), Student's quantile of one degree of freedom 12.706.
    let expected = 12.706 * 2.0_f64.sqrt() * 1.5_f64.sqrt() / 100.0;
    let floor = wide.noise_floor(of("ttft.p50"), stage, 1).unwrap();
    assert!((floor - expected).abs() < 1e-3, "{floor}");
}

#[test]
fn the_mean_of_several_climbs_differs_less_than_a_single_run() {
    let run = rounds(&[99.0, 100.0, 101.0, 99.5, 100.5], &[10.0; 5]);
    let baseline = Baseline::of(&run, "");
    let floor = |climbs| baseline.noise_floor(of("ttft.p50"), &run.stages[0].name, climbs).unwrap();
    // Of one further run sqrt(1 + 1/5), of four the root of 1/4 + 1/5.
    let expected = floor(1) * (0.45_f64 / 1.2).sqrt();
    assert!((floor(4) - expected).abs() < 1e-9, "{} {expected}", floor(4));
    assert_eq!(floor(0), floor(1), "a stage without rounds is one run");

    let check = Check::parse("ttft.p50 <= baseline + 2%").unwrap();
    let rules = [Rule { check, level: Level::Strict, min_change: None }];
    let too_tight = |climbs: usize| {
        let climbs = move |_: &StageResult| climbs;
        !tight(&rules, &run.stages, climbs, &baseline).is_empty()
    };
    assert!(floor(1) > 0.02 && floor(4) < 0.02, "{} {}", floor(1), floor(4));
    assert_eq!((too_tight(1), too_tight(4)), (true, false));
}
