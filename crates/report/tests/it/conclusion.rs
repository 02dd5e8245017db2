//! The conclusion of results written by hand: a ladder of users, and what keys tell.

use std::time::Duration;

use measure::result::{RunResult, RunStatus};
use report::{Lang, conclusion};

use crate::fixture;

/// The conclusion of a ladder that held at 20 and not at 50, after a change to the run.
fn concluded(change: impl FnOnce(&mut RunResult)) -> String {
    let mut run = fixture::half_failing(Lang::En);
    change(&mut run);
    conclusion::of(&run, [None; 3], Lang::En)
}

#[test]
fn what_broke_is_named_after_whose_fault_it_is() {
    let class = |class: &'static str| {
        concluded(move |run| {
            run.stages[3].http_429 = 0;
            run.stages[3].errors.truncate(1);
            class.clone_into(&mut run.stages[3].errors[0].class);
        })
    };
    let rows = [
        ("unauthorized", "configuration"),
        ("overloaded", "capacity"),
        ("stream_interrupted", "stability"),
        ("malformed", "protocol"),
        ("client_resource", "this machine"),
    ];
    for (name, fault) in rows {
        let text = class(name);
        // Only what has to do with the load says where its limit lies.
        let limit = match fault {
            "capacity" | "stability" => ", so the limit lies between 20 and 50",
            _ => "",
        };
        let expected = format!("At 50 success fell to 32%, mostly by `{name}`{limit}: {fault}.");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn a_missed_objective_is_named_with_its_limit() {
    let mut run = fixture::half_failing(Lang::En);
    (run.stages[3].http_429, run.stages[3].success_rate) = (0, Some(1.0));
    let tpot = [None, Some(Duration::from_millis(50)), None];
    let text = conclusion::of(&run, tpot, Lang::En);
    assert!(
        text.contains("At 50 TPOT P95 = 87.5 ms > 50.0 ms, so the limit lies between 20 and 50: latency."),
        "{text}"
    );
}

#[test]
fn queueing_is_a_median_that_doubles_from_one_rung_to_the_next() {
    assert!(concluded(|_| {}).contains("From 20 to 50 users the median TPOT went from 20.0 ms to 80.2 ms"));
    let calm = concluded(|run| {
        let stages = &mut run.stages;
        (stages[3].tpot_ms, stages[4].tpot_ms) = (stages[2].tpot_ms.clone(), stages[2].tpot_ms.clone());
        (stages[3].ttft_ms, stages[4].ttft_ms) = (stages[2].ttft_ms.clone(), stages[2].ttft_ms.clone());
    });
    assert!(!calm.contains("requests queue"), "{calm}");
}

#[test]
fn a_long_tail_is_told_only_where_enough_values_show_it() {
    let tail = |weak: &'static [&'static str]| {
        concluded(move |run| {
            run.stages[2].tpot_ms.p99 = Some(500.0);
            run.stages[2].tpot_ms.weak = weak.iter().map(|name| (*name).to_owned()).collect();
        })
    };
    assert!(tail(&[]).contains("At 20 TPOT has a long tail (P99 500 ms"));
    assert!(!tail(&["p99"]).contains("long tail"));
}

#[test]
fn an_interrupted_run_says_so_first_and_recommends_nothing() {
    let text = concluded(|run| run.status = RunStatus::Interrupted);
    assert!(text.starts_with("The run was interrupted"), "{text}");
    assert!(!text.contains("Next:"), "{text}");
}

#[test]
fn the_next_run_lies_between_what_held_and_what_broke_or_beyond() {
    assert!(concluded(|_| {}).ends_with("Next: hold 35 for 5 minutes and watch whether P99 and 5xx drift."));
    let good = fixture::all_good(Lang::En).conclusion;
    assert!(good.ends_with("Next: climb beyond 100 to find the limit."), "{good}");
}

/// The sentence about keys, where each key of a run was asked so often and refused so often.
fn about_keys(keys: &[(u64, u64)]) -> [Option<String>; 2] {
    let mut run = fixture::all_good(Lang::En);
    for stage in &mut run.stages {
        stage.keys.clear();
    }
    for (stage, share) in [(0, 1), (1, 3)] {
        let line = |(index, (requests, http_429)): (usize, &(u64, u64))| measure::result::KeyLine {
            key: format!("key {}", index + 1),
            requests: requests * share / 4,
            http_429: http_429 * share / 4,
            failed: 0,
            ttft_ms_p95: None,
        };
        run.stages[stage].keys = keys.iter().enumerate().map(line).collect();
    }
    let sentences = Lang::ALL.map(|lang| conclusion::of(&run, [None; 3], lang));
    let [en, zh] = sentences;
    let about = |text: &str, end: &str, word: &str| {
        text.split_inclusive(end)
            .find(|sentence| sentence.contains(word))
            .map(|sentence| sentence.trim().to_owned())
    };
    [about(&en, ". ", "limited:"), about(&zh, "。", "Key")]
}

#[test]
fn one_limited_key_among_others_is_told_as_its_own_quota() {
    let [en, zh] = about_keys(&[(200, 0), (200, 36), (200, 0)]);
    assert_eq!(
        en.as_deref(),
        Some(
            "Only key 2 of 3 was limited: 36 of the answers to its 200 requests were 429, and none to the 400 requests of \
             the others; the limit is that key's quota, not the endpoint's."
        )
    );
    assert_eq!(
        zh.as_deref(),
        Some(
            "3 个 Key 中仅 key 2 被限流：其 200 个请求收到 36 次 429，其余 Key 的 400 个请求均未出现 429；受限的是 Key 自身的配额，\
             而非端点。"
        )
    );
    let [en, _] = about_keys(&[(40, 12), (40, 8), (40, 0), (40, 0)]);
    assert!(en.is_some_and(|text| {
        text.starts_with("Only key 1 and key 2 of 4 were limited: 20 of the answers to their 80")
    }));
}

#[test]
fn keys_are_not_told_apart_where_all_are_limited_none_is_or_chance_may_explain_it() {
    let rows: [&[(u64, u64)]; 6] = [
        &[(200, 36), (200, 40)],
        &[(200, 0), (200, 0)],
        &[(200, 36)],
        // Too few requests went by the other key.
        &[(200, 100), (16, 0)],
        // One refusal in two hundred: that the other key had none says nothing.
        &[(200, 4), (200, 0)],
        &[],
    ];
    for keys in rows {
        assert_eq!(about_keys(keys), [None, None], "{keys:?}");
    }
}
