//! Every rule of the conclusion: a result where it speaks, and one where it is silent.

use measure::result::{
    CancelLine, ErrorLine, KeyLine, RunResult, RunStatus, SearchLine, StageStatus, StopLine,
};
use measure::{Amount, LoadUnit};
use report::{Lang, conclusion};

use crate::fixture;

type Make = fn() -> RunResult;

/// A rule, where it speaks and a part of what it says, where it is silent.
struct Row(&'static str, Make, &'static str, Make);

const ROWS: &[Row] = &[
    Row("ended", interrupted, "The run was interrupted", good),
    Row("against", two_sides, "At 20 users A has TTFT P50 291 ms against 242 ms, +20% (+18% to +22%)", good),
    Row("held", good, "concurrency 100 held for 60 s with no 429", none_held),
    Row(
        "cut_short",
        cut_at_first,
        "until then 60 requests in 60 s at 1 user, 100% success, a response time P95 of",
        interrupted,
    ),
    Row("ramped", ramps, "the load went from 0 to 100 users", good),
    Row(
        "broke",
        failing,
        "At 50 the 429 ratio rose to 68%, so the limit lies between 20 and 50: capacity.",
        good,
    ),
    Row("stopped", stopped, "The climb was ended at 50 users, 12 s into the run", good),
    Row("searched", searched, "The search between 10 and 50: holds at 36, breaks at 38.", good),
    Row("unreached", dropping, "210 of 2400 requests found no slot and were dropped", good),
    Row("wall", refused_above, "From 100 users on the endpoint answers 429", failing),
    Row("success", failing, "Success was lowest at 50 users: 32% (under 95%).", little_failed),
    Row(
        "faults",
        failing,
        "Failed: 6060 `rate_limited` (capacity), 7 `stream_interrupted` (stability).",
        good,
    ),
    Row("key_limited", one_key_limited, "Only key 2 of 3 was limited: 36", all_keys_limited),
    Row(
        "key_dead",
        one_key_dead,
        "Every one of the 40 requests of key 2 of 3 failed (`unauthorized`)",
        all_keys_dead,
    ),
    Row("left", leaving, "(30% of the requests after 2 s): 1 of 10560 requests was ended before", cut_off),
    Row("nothing_broke", good, "No rung up to 100 broke.", failing),
    Row(
        "grew",
        good,
        "From 1 to 100 users throughput grew from 78.0 to 7800 tokens/s, in proportion.",
        one_rung,
    ),
    Row(
        "knee",
        failing,
        "Throughput stopped growing with users at 50 (1248 tokens/s, after 1560 at 20).",
        good,
    ),
    Row("queueing", failing, "From 20 to 50 users the median TPOT went from", good),
    Row("first_token", close_head, "TTFB is close to TTFT (medians 280 ms and 291 ms)", between_head),
    Row("long_tail", tail, "At 20 TPOT has a long tail (P99 500 ms", weak_tail),
    Row("generator", failing, "From 100 users on the load generator itself was at its limit", good),
    Row("verdict", good, "The gate passed.", ramps),
    Row("next", failing, "Next: hold 35 for 5 minutes", interrupted),
];

#[test]
fn every_rule_speaks_where_it_should_and_is_silent_where_it_should_not() {
    let names: Vec<&str> = ROWS.iter().map(|Row(name, ..)| *name).collect();
    assert_eq!(names, conclusion::rules().collect::<Vec<_>>());
    for Row(name, speaks, part, silent) in ROWS {
        let said = said(name, &speaks(), Lang::En).unwrap_or_default();
        assert!(said.contains(part), "{name}: {said}");
        let zh = self::said(name, &speaks(), Lang::Zh).unwrap_or_default();
        assert!(zh.ends_with('。') && !zh.contains(" ，") && !zh.contains(" 。"), "{name}: {zh}");
        assert_eq!(self::said(name, &silent(), Lang::En), None, "{name}");
        assert_eq!(self::said(name, &silent(), Lang::Zh), None, "{name}");
    }
}

/// Where a rule must not say what it says elsewhere: the rule, the run, a part that it says, and one that it does not.
const CAREFUL: &[(&str, Make, &str, &str)] = &[
    ("broke", broke_below_what_held, "although 100 held: this run shows no limit", "so the limit"),
    ("broke", refused_by_configuration, "mostly by `unauthorized`: configuration.", "so the limit"),
    (
        "broke",
        failed_without_examples,
        "At 50 success fell to 32%, so the limit lies between 20 and 50.",
        "mostly by",
    ),
    ("wall", refused_once, "At 20 users the endpoint answered 429", "From 20"),
    ("ended", interrupted_in_warm_up, "The run was interrupted before the first stage.", "preflight"),
    ("ended", given_up_in_warm_up, "The run was given up before the first stage", "twenty requests"),
];

#[test]
fn no_rule_claims_more_than_the_numbers_show() {
    for (rule, run, part, claim) in CAREFUL {
        let text = said(rule, &run(), Lang::En).unwrap_or_default();
        assert!(text.contains(part) && !text.contains(claim), "{rule}: {text}");
        assert!(said(rule, &run(), Lang::Zh).is_some_and(|text| text.ends_with('。')), "{rule}");
    }
    for (rule, run) in [
        ("next", refused_by_configuration as Make),
        ("key_dead", most_keys_fail),
        ("grew", shrinking),
        ("queueing", few_values),
        ("queueing", saturated_above),
    ] {
        assert_eq!(said(rule, &run(), Lang::En), None, "{rule}");
    }
}

fn two_sides() -> RunResult {
    fixture::two_sides(Lang::En)
}

fn error(class: &str, count: u64) -> ErrorLine {
    ErrorLine { class: class.to_owned(), count, example: measure::result::ErrorExample::default() }
}

fn broke_below_what_held() -> RunResult {
    changed(good(), |run| {
        run.stages[1].http_429 = 60;
        run.stages[1].http_429_ratio = Some(0.2);
        run.ladder.first_breach = Some(Amount(5.0));
    })
}

fn refused_by_configuration() -> RunResult {
    changed(failing(), |run| {
        for stage in &mut run.stages {
            stage.http_429 = 0;
            stage.errors = vec![error("unauthorized", 3_000)];
        }
    })
}

fn failed_without_examples() -> RunResult {
    changed(refused_by_configuration(), |run| run.stages.iter_mut().for_each(|stage| stage.errors.clear()))
}

fn refused_once() -> RunResult {
    changed(good(), |run| {
        run.stages[2].http_429 = 1;
        run.ladder.first_breach = None;
    })
}

fn interrupted_in_warm_up() -> RunResult {
    changed(good(), |run| {
        run.status = RunStatus::Interrupted;
        run.stages.iter_mut().for_each(|stage| stage.status = StageStatus::Skipped);
        run.preflight = Some(measure::result::Preflight {
            outcome: measure::Outcome::Ok,
            ttft_ms: Some(12.0),
            e2e_ms: Some(30.0),
            error: None,
        });
    })
}

fn given_up_in_warm_up() -> RunResult {
    changed(interrupted_in_warm_up(), |run| run.status = RunStatus::Aborted)
}

/// Ten keys whose requests fail in six of ten cases; of one all five did.
fn most_keys_fail() -> RunResult {
    changed(good(), |run| {
        let key = |index: u64| KeyLine {
            key: format!("key {index}"),
            requests: if index == 1 { 5 } else { 10 },
            http_429: 0,
            failed: if index == 1 { 5 } else { 6 },
            ttft_ms_p95: None,
        };
        run.stages.iter_mut().for_each(|stage| stage.keys.clear());
        run.stages[0].keys = (1..=10).map(key).collect();
    })
}

fn shrinking() -> RunResult {
    changed(good(), |run| {
        for (stage, rate) in run.stages.iter_mut().zip([100.0, 80.0, 60.0, 40.0, 20.0]) {
            stage.output_tokens_per_s = Some(rate);
        }
        run.ladder.knee = None;
    })
}

fn few_values() -> RunResult {
    changed(failing(), |run| {
        for stage in &mut run.stages {
            (stage.tpot_ms.n, stage.ttft_ms.n) = (9, 9);
        }
    })
}

fn saturated_above() -> RunResult {
    changed(failing(), |run| run.stages.iter_mut().for_each(|stage| stage.client.saturated = true))
}

fn said(rule: &str, run: &RunResult, lang: Lang) -> Option<String> {
    let all = conclusion::sentences(run, [None; 3], lang);
    all.into_iter().find(|(name, _)| *name == rule).map(|(_, text)| text)
}

fn good() -> RunResult {
    fixture::all_good(Lang::En)
}

fn failing() -> RunResult {
    fixture::half_failing(Lang::En)
}

fn ramps() -> RunResult {
    fixture::ramps(Lang::En)
}

fn dropping() -> RunResult {
    // Else it is told as the break.
    changed(fixture::open_loop(Lang::En), |run| run.ladder.first_breach = None)
}

fn none_held() -> RunResult {
    fixture::none_answered(Lang::En)
}

fn changed(mut run: RunResult, change: impl FnOnce(&mut RunResult)) -> RunResult {
    change(&mut run);
    run
}

fn interrupted() -> RunResult {
    changed(failing(), |run| run.status = RunStatus::Interrupted)
}

fn cut_at_first() -> RunResult {
    changed(good(), |run| {
        run.status = RunStatus::Interrupted;
        run.stages[0].status = StageStatus::Incomplete;
        run.stages[1..].iter_mut().for_each(|stage| stage.status = StageStatus::Skipped);
        run.ladder = measure::ladder::ladder(&run.stages[..1], [None; 3]);
    })
}

fn stopped() -> RunResult {
    changed(failing(), |run| {
        run.stop = Some(StopLine {
            side: None,
            stage: "c50".to_owned(),
            concurrency: Some(50),
            rate: None,
            check: "error_rate <= 50%".to_owned(),
            value: 0.61,
            limit: 0.5,
            at_s: 12.0,
        });
    })
}

fn searched() -> RunResult {
    changed(good(), |run| {
        let (holds, breaks) = (Some(36), Some(38));
        let unit = LoadUnit::Users;
        run.search =
            Some(SearchLine { unit, low: 10, high: 50, resolution: 2, holds, breaks, undecided: None });
    })
}

/// Something else broke first, and 429 came above.
fn refused_above() -> RunResult {
    changed(good(), |run| {
        (run.stages[4].http_429, run.stages[4].http_429_ratio) = (50, Some(0.008));
        run.ladder.first_breach = Some(Amount(50.0));
    })
}

fn little_failed() -> RunResult {
    changed(failing(), |run| run.stages.iter_mut().for_each(|stage| stage.success_rate = Some(0.97)))
}

/// The keys of the only stage that has any: requests, 429s, failures of each.
fn with_keys(keys: &[(u64, u64, u64)]) -> RunResult {
    changed(good(), |run| {
        run.stages.iter_mut().for_each(|stage| stage.keys.clear());
        let line = |(index, (requests, http_429, failed)): (usize, &(u64, u64, u64))| KeyLine {
            key: format!("key {}", index + 1),
            requests: *requests,
            http_429: *http_429,
            failed: *failed,
            ttft_ms_p95: None,
        };
        run.stages[0].keys = keys.iter().enumerate().map(line).collect();
        let mut error: ErrorLine = failing().stages[3].errors[0].clone();
        (error.class, error.count) = ("unauthorized".to_owned(), 40);
        run.stages[0].errors = vec![error];
    })
}

fn one_key_limited() -> RunResult {
    with_keys(&[(200, 0, 0), (200, 36, 36), (200, 0, 0)])
}

fn all_keys_limited() -> RunResult {
    with_keys(&[(200, 36, 36), (200, 40, 40)])
}

fn one_key_dead() -> RunResult {
    with_keys(&[(40, 0, 0), (40, 0, 40), (40, 0, 1)])
}

fn all_keys_dead() -> RunResult {
    with_keys(&[(40, 0, 40), (40, 0, 40)])
}

#[test]
fn a_key_that_is_only_limited_or_was_hardly_asked_is_not_dead_and_a_dead_one_is_not_unlimited() {
    for keys in [[(40, 0, 0), (40, 40, 40)], [(40, 0, 0), (4, 0, 4)]] {
        assert_eq!(said("key_dead", &with_keys(&keys), Lang::En), None, "{keys:?}");
    }
    assert_eq!(said("key_limited", &with_keys(&[(200, 36, 36), (200, 0, 200)]), Lang::En), None);
}

fn leaving() -> RunResult {
    changed(good(), |run| {
        run.stages[0].counts.cancelled = 1;
        if let Some(load) = &mut run.load {
            load.cancel = Some(CancelLine { ratio: 0.3, after_s: 2.0 });
        }
    })
}

/// Nobody leaves: the drain ended.
fn cut_off() -> RunResult {
    changed(good(), |run| run.stages[0].counts.cancelled = 1)
}

fn one_rung() -> RunResult {
    changed(good(), |run| run.stages.truncate(1))
}

fn with_head_at(ms: f64) -> RunResult {
    changed(good(), |run| {
        run.stages.iter_mut().for_each(|stage| stage.ttfb_ms.p50 = Some(ms));
    })
}

fn close_head() -> RunResult {
    with_head_at(280.0)
}

fn between_head() -> RunResult {
    with_head_at(200.0)
}

#[test]
fn a_first_token_long_after_the_head_is_the_prefill_or_a_proxy() {
    let said = said("first_token", &good(), Lang::En).unwrap();
    assert!(said.starts_with("At 100 users TTFT is far above TTFB (medians 291 ms and 12.0 ms)"), "{said}");
}

fn with_tail(weak: &[&str]) -> RunResult {
    changed(good(), |run| {
        run.stages[2].tpot_ms.p99 = Some(500.0);
        run.stages[2].tpot_ms.weak = weak.iter().map(|name| (*name).to_owned()).collect();
    })
}

fn tail() -> RunResult {
    with_tail(&[])
}

fn weak_tail() -> RunResult {
    with_tail(&["p99"])
}

/// What is said of a ladder of 1, 10 and 50 users that break at their first or last, with so many 429s of so many
/// attempts each.
fn broke(refused: [(u64, u64); 3], at: f64) -> String {
    let run = changed(good(), |run| {
        run.stages.truncate(3);
        for (stage, (http_429, attempts)) in run.stages.iter_mut().zip(refused) {
            (stage.http_429, stage.counts.attempts) = (http_429, attempts);
            stage.http_429_ratio = Some(http_429 as f64 / attempts as f64);
        }
        (run.ladder.last_ok, run.ladder.first_breach) = (None, Some(Amount(at)));
    });
    said("broke", &run, Lang::En).unwrap_or_default()
}

#[test]
fn refusals_are_capacity_only_where_they_depend_on_the_load() {
    let rows = [
        ([(0, 200), (0, 2000), (600, 2000)], 20.0, "At 20 the 429 ratio rose to 30%"),
        (
            [(10, 200), (100, 2000), (500, 10_000)],
            1.0,
            "429 was there from the first level (5% of the attempts at 1)",
        ),
        ([(10, 200), (900, 2000), (9000, 10_000)], 1.0, "At 1 the 429 ratio was 5%"),
        // That none came before may be chance: one in a hundred of twenty.
        ([(0, 20), (0, 20), (20, 2000)], 20.0, "At 20 the 429 ratio was 1%"),
    ];
    for (refused, at, expected) in rows {
        let text = broke(refused, at);
        assert!(text.starts_with(expected), "{expected}\n{text}");
    }
}

#[test]
fn throughput_that_lags_behind_the_users_is_said_with_its_share() {
    let slow = changed(good(), |run| run.stages[4].output_tokens_per_s = Some(3900.0));
    let said = said("grew", &slow, Lang::En).unwrap_or_default();
    assert!(said.ends_with("from 78.0 to 3900 tokens/s, less than in proportion (50% of that)."), "{said}");
}

#[test]
fn a_search_breaks_things_on_purpose_and_its_failures_are_none_of_the_ladders() {
    let run = changed(fixture::searched(Lang::En), |run| run.stages[2].success_rate = Some(0.5));
    assert_eq!(
        said("success", &run, Lang::En).as_deref(),
        Some("Success was lowest at 50 users: 50% (under 95%).")
    );
    assert_eq!(said("faults", &run, Lang::En).as_deref(), Some("Failed: 680 `rate_limited` (capacity)."));
}
