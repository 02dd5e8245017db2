//! A/B runs: which passage belongs to which side, what their differences are, and how the gate takes them.

use std::time::Duration;

use measure::Level as Load;
use measure::gate::{Check, Level, Reason, Reference, Rule, Statistic, judge};
use measure::result::{
    Against, CheckLine, CheckResult, Difference, Interval, StageDifference, StageResult, StageStatus, Unit,
};
use measure::stage::{ClientLook, Intervals, Passages, Purpose, Round, Side, StageFrame, StageRecorder};

use crate::run::{answer, ms, stage};

const BLOCKS: u32 = 6;

/// A block of two seconds: forty requests that take `e2e` ms, each a hundredth longer than the one before.
fn block(side: Side, number: u32, at: u64, e2e: u64) -> StageRecorder {
    let begins = ms(at);
    let frame = StageFrame {
        name: "c2".into(),
        level: Load::Users(2),
        ramp_from: None,
        open_loop: None,
        ramp_up: None,
        think_time: None,
        begins,
        duration: Some(Duration::from_secs(2)),
        requests: None,
        window_start: begins,
        keys: 1,
        stall_after: Duration::from_millis(500),
        reading_speed: 10.0,
        objectives: [None; 3],
        intervals: Intervals {
            of: ["e2e.p50", "e2e.mean", "qps"].map(|of| Statistic::try_from(of.to_owned()).unwrap()).to_vec(),
            confidence: 0.95,
            seed: 7,
        },
        round: Some(Round { of: 0, number, purpose: Purpose::Block { side, blocks: BLOCKS } }),
    };
    let mut recorder = StageRecorder::new(frame);
    for request in 0..40 {
        recorder.record(&answer(at + request * 40, e2e + e2e * request / 100));
    }
    recorder
}

fn take(passages: &mut Passages, recorder: StageRecorder) {
    let closing = recorder.closing(StageStatus::Complete, ClientLook::default());
    passages.take(recorder, closing);
}

/// So many pairs. Everything gets slower as time goes on; A takes a fifth longer than B.
fn run(pairs: u32) -> Passages {
    let mut passages = Passages::default();
    let mut at = 0;
    for pair in 1..=pairs {
        for side in Side::order(pair) {
            let factor = if side == Side::A { 6 } else { 5 };
            take(&mut passages, block(side, pair, at, factor * (20 + u64::from(pair))));
            at += 3_000;
        }
    }
    passages
}

#[test]
fn sides_take_turns_so_that_what_drifts_meets_both_alike() {
    let order: Vec<Side> = (1..=4).flat_map(Side::order).collect();
    assert_eq!(order, [Side::A, Side::B, Side::B, Side::A, Side::A, Side::B, Side::B, Side::A]);
}

#[test]
fn each_side_is_one_stage_of_all_its_blocks() {
    let passages = run(BLOCKS);
    for stages in [passages.results(), passages.others()] {
        let [stage] = stages.as_slice() else { panic!("{}", stages.len()) };
        assert_eq!((stage.status, stage.counts.ok, stage.window_s), (StageStatus::Complete, 240, 12.0));
        assert_eq!((stage.duration.as_deref(), stage.rounds.len()), (Some("12s"), 0));
        // Blocks of one side are no repeats: what scatters within the run is drawn.
        assert_eq!(stage.intervals["e2e.p50"].unit, Unit::Blocks);
    }
    let mean = |stages: &[measure::result::StageResult]| stages[0].e2e_ms.mean.unwrap();
    let ratio = mean(&passages.results()) / mean(&passages.others());
    assert!((ratio - 1.2).abs() < 0.01, "{ratio}");
}

#[test]
fn what_differs_is_known_closer_than_either_side() {
    let passages = run(BLOCKS);
    let [stage] = passages.differences().try_into().unwrap();
    assert_eq!((stage.stage.as_str(), stage.pairs), ("c2", 6));
    let mean = stage.of["e2e.mean"];
    let [low, high] = mean.share_interval.unwrap();
    assert!((mean.share.unwrap() - 0.2).abs() < 0.01 && low > 0.19 && high < 0.21, "{mean:?}");
    let alone = passages.results()[0].intervals["e2e.mean"];
    assert!(mean.interval.unwrap().standard_error < 0.3 * alone.standard_error, "{mean:?} {alone:?}");
}

#[test]
fn short_blocks_say_together_whether_the_generator_was_at_its_limit() {
    let saturated = |lag: Duration| {
        let mut passages = Passages::default();
        for number in 1..=BLOCKS {
            let mut ticks = measure::Distribution::default();
            (0..40).for_each(|_| ticks.record(lag));
            let recorder = block(Side::A, number, u64::from(number) * 3_000, 100);
            let look = ClientLook { lag_ms: ticks.summary(), cpu_percent: Some(20.0) };
            let closing = recorder.closing(StageStatus::Complete, look);
            assert!(!passages.take(recorder, closing).client.saturated, "forty ticks say nothing");
        }
        let client = passages.results().remove(0).client;
        assert_eq!(client.lag_ms.n, 240);
        client.saturated
    };
    assert_eq!([1, 20].map(|ms| saturated(Duration::from_millis(ms))), [false, true]);
}

#[test]
fn a_side_that_lacks_blocks_is_incomplete_and_pairs_are_what_both_have() {
    let mut passages = run(3);
    take(&mut passages, block(Side::B, 4, 60_000, 100));
    assert_eq!(passages.results()[0].status, StageStatus::Incomplete);
    assert_eq!(passages.others()[0].status, StageStatus::Incomplete);
    let [stage] = passages.differences().try_into().unwrap();
    assert_eq!((stage.pairs, stage.of["e2e.mean"].interval), (3, None), "three pairs are too few");
}

/// A check against the other side, where A's is so many percent off, give or take.
fn judged(text: &str, min_change: Option<f64>, share: f64, reach: f64) -> CheckLine {
    judged_by(text, min_change, [share, reach], |_| ())
}

/// The same with another B.
fn judged_by(
    text: &str,
    min_change: Option<f64>,
    [share, reach]: [f64; 2],
    change: impl FnOnce(&mut StageResult),
) -> CheckLine {
    let stage = stage();
    let mut of_b = stage.clone();
    change(&mut of_b);
    let a = stage.e2e_ms.mean.unwrap();
    let b = a / (1.0 + share);
    let [low, high] = [share - reach, share + reach];
    let interval = Interval {
        low: b * low,
        high: b * high,
        confidence: 0.95,
        standard_error: b * reach / 2.0,
        unit: Unit::Pairs,
        units: 10,
    };
    let difference = Difference {
        a,
        b,
        absolute: a - b,
        interval: Some(interval).filter(|_| reach > 0.0),
        share: Some(share),
        share_interval: Some([low, high]).filter(|_| reach > 0.0),
    };
    let of = [("e2e.mean".to_owned(), difference)].into();
    let differences = vec![StageDifference { stage: stage.name.clone(), pairs: 10, of }];
    let other = Against { stages: vec![of_b], differences, ..crate::run::against() };
    let rule = Rule { check: Check::parse(text).unwrap(), level: Level::Strict, min_change };
    judge(&[rule], &[stage], Some(Reference::Against(&other))).checks.remove(0)
}

#[test]
fn checks_against_the_baseline_are_judged_by_the_paired_change() {
    let upper = "e2e.mean <= baseline + 20%";
    let rows = [
        (upper, None, 0.0, 0.15, CheckResult::Pass),
        (upper, None, 0.3, 0.05, CheckResult::Fail),
        (upper, None, 0.3, 0.15, CheckResult::Inconclusive),
        (upper, Some(1e6), 0.3, 0.05, CheckResult::Pass),
        (upper, Some(1.0), 0.3, 0.05, CheckResult::Fail),
        (upper, None, 0.3, 0.0, CheckResult::Inconclusive),
        ("e2e.mean >= baseline - 20%", None, 0.0, 0.15, CheckResult::Pass),
        ("e2e.mean >= baseline - 20%", None, -0.3, 0.05, CheckResult::Fail),
        ("e2e.mean >= baseline - 20%", Some(1e6), -0.3, 0.05, CheckResult::Pass),
        ("e2e.p95 <= baseline + 20%", None, 0.0, 0.1, CheckResult::NoData),
    ];
    for (text, least, share, reach, expected) in rows {
        let line = judged(text, least, share, reach);
        assert_eq!(line.result, expected, "{text} {share} {reach}: {line:?}");
    }
    let line = judged(upper, None, 0.3, 0.15);
    assert_eq!(line.reason_code, Some(Reason::Undecided));
    // Half as far as it reaches: nine times the values make that a third.
    assert_eq!(line.would_decide, Some((line.n as f64 * 2.25).ceil() as u64));
    assert_eq!(judged(upper, None, 0.3, 0.0).reason_code, Some(Reason::TooFewPairs));
}

#[test]
fn what_b_cannot_be_compared_by_judges_nothing() {
    type Change = fn(&mut StageResult);
    let rows: [(&str, Change, Reason); 6] = [
        ("e2e.mean <= baseline", |b| b.status = StageStatus::Incomplete, Reason::OtherCutShort),
        ("e2e.mean <= baseline", |b| b.status = StageStatus::Skipped, Reason::OtherCutShort),
        ("e2e.mean <= baseline", |b| b.client.saturated = true, Reason::OtherSaturated),
        ("e2e.mean <= baseline", |b| b.name = "c9".into(), Reason::NotOnOtherSide),
        ("e2e.mean <= baseline", |b| b.e2e_ms.n = 0, Reason::NotOnOtherSide),
        // A rate of nothing is no reference: anything is better.
        ("qps >= baseline - 10%", |b| (b.counts.ok, b.qps) = (0, Some(0.0)), Reason::NotOnOtherSide),
    ];
    for (text, change, reason) in rows {
        let line = judged_by(text, None, [0.0, 0.1], change);
        assert_eq!((line.result, line.reason_code), (CheckResult::NoData, Some(reason)), "{text}");
    }
}

#[test]
fn a_statistic_that_was_not_asked_for_is_compared_as_if_the_sides_were_apart() {
    let line = judged("ttft.p50 <= baseline + 900%", None, 0.0, 0.1);
    assert_eq!(line.result, CheckResult::Pass, "{line:?}");
    assert!(line.change.is_some() && line.baseline == line.value, "{line:?}");
}
