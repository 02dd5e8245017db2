//! The conclusion of rates and ramps: whatever is said of users is said of them as well, and nothing that was not measured.

use measure::result::{RunResult, SearchLine, StopLine};
use measure::{Amount, LoadUnit};
use report::{Lang, conclusion};

use crate::fixture;

type Change = fn(&mut RunResult);
/// Users at both ends of ramps.
type Ends = &'static [(u32, u32)];

#[test]
fn a_rate_of_an_open_loop_is_said_as_one_wherever_a_level_is_named() {
    let told = |change: fn(&mut RunResult)| {
        let mut run = fixture::open_loop(Lang::En);
        change(&mut run);
        Lang::ALL.map(|lang| conclusion::of(&run, [None; 3], lang))
    };
    let rows: [(Change, [&str; 2]); 5] = [
        (
            |run| (run.stages[2].http_429, run.stages[2].http_429_ratio) = (50, Some(0.02)),
            [
                "At 40 requests/s the 429 ratio rose to 2%, so the limit lies between 20 and 40 requests/s: capacity.",
                "每秒 40 个请求时 429 占比升至 2%，上限在每秒 20 与 40 个请求之间（容量问题）。",
            ],
        ),
        (
            |run| run.ladder.knee = Some(Amount(40.0)),
            [
                "Throughput stopped growing with the rate at 40 requests/s (3120 tokens/s, after 1560 at 20 requests/s).",
                "吞吐在每秒 40 个请求处不再随请求速率增长（3120 token/秒，每秒 20 个请求时为 1560）。",
            ],
        ),
        (
            |run| run.search = Some(search(LoadUnit::RequestsPerS)),
            [
                "The search between 10 and 50 requests/s: holds at 36 requests/s, breaks at 38 requests/s.",
                "在每秒 10 与 50 个请求之间搜索：每秒 36 个请求可以稳定运行，每秒 38 个请求越限。",
            ],
        ),
        (
            |run| run.stop = Some(stop("r40")),
            [
                "The climb was ended at 40 requests/s, 12 s into the run: `error_rate <= 50%` did not hold (61% over 10 s).",
                "运行到第 12 秒、每秒 40 个请求时停止加压：`error_rate <= 50%` 不再成立（最近 10 秒为 61%）。",
            ],
        ),
        (
            |run| {
                (run.stages[2].counts.dropped, run.stages[2].counts.started) = (20, 2380);
                run.stages[2].queue_ms.p95 = Some(1.0);
                run.ladder = measure::ladder::ladder(&run.stages, [None; 3]);
            },
            [
                "40 requests/s held for 60 s with no 429, 100% success, 36.5 answered per second, 20 of 2400 requests dropped",
                "每秒 40 个请求稳定运行 60 秒，无 429，成功率 100%，每秒完成 36.5 个，2400 个请求中有 20 个被丢弃，",
            ],
        ),
    ];
    for (change, expected) in rows {
        for (text, expected) in told(change).iter().zip(expected) {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
    }
}

fn search(unit: LoadUnit) -> SearchLine {
    SearchLine { unit, low: 10, high: 50, resolution: 2, holds: Some(36), breaks: Some(38), undecided: None }
}

fn stop(stage: &str) -> StopLine {
    StopLine {
        side: None,
        stage: stage.to_owned(),
        concurrency: None,
        rate: None,
        check: "error_rate <= 50%".to_owned(),
        value: 0.61,
        limit: 0.5,
        at_s: 12.0,
    }
}

#[test]
fn a_search_among_users_and_a_stop_on_a_ramp_are_said_so() {
    let mut run = fixture::ramps(Lang::En);
    run.search = Some(search(LoadUnit::Users));
    run.stop = Some(stop("up"));
    let [en, zh] = Lang::ALL.map(|lang| conclusion::of(&run, [None; 3], lang));
    assert!(en.contains("The search between 10 and 50: holds at 36, breaks at 38."), "{en}");
    assert!(zh.contains("在 10 与 50 之间搜索：并发 36 可以稳定运行，38 越限。"), "{zh}");
    assert!(en.contains("The climb was ended on the way from 0 to 100 users, 12 s into the run"), "{en}");
    assert!(zh.contains("运行到第 12 秒、并发从 0 到 100 的途中停止加压"), "{zh}");
}

#[test]
fn slots_that_ran_out_are_to_be_raised_before_anything_else_is_concluded() {
    let [en, zh] = Lang::ALL.map(|lang| fixture::open_loop(lang).conclusion);
    assert!(en.ends_with("Next: run 40 requests/s again with a `max_in_flight` above 64, to see whether the endpoint can take it."));
    assert!(
        zh.ends_with("下一步：把 `max_in_flight` 调到 64 以上后重跑每秒 40 个请求，确认端点能否承受。"),
        "{zh}"
    );
}

/// How ramps with these ends are told.
fn way(ends: &[(u32, u32)]) -> [String; 2] {
    let mut run = fixture::ramps(Lang::En);
    let stage = run.stages[0].clone();
    let ramp = |(from, to): &(u32, u32)| {
        let mut ramp = stage.clone();
        (ramp.ramp_from, ramp.concurrency) = (Some(Amount(f64::from(*from))), Some(*to));
        ramp
    };
    run.stages = ends.iter().map(ramp).collect();
    Lang::ALL.map(|lang| conclusion::of(&run, [None; 3], lang))
}

#[test]
fn a_run_of_ramps_tells_its_way() {
    let rows: [(Ends, [&str; 2]); 5] = [
        (
            &[(0, 50)],
            ["the load went from 0 to 50 users over 50 s: 100% success", "50 秒内并发从 0 到 50：成功率"],
        ),
        (&[(50, 50)], ["the load was 50 users over 50 s", "50 秒内并发 50：成功率"]),
        (
            &[(0, 50), (50, 0)],
            ["went from 0 to 50 users and back over 100 s", "100 秒内并发从 0 到 50 再回到 0："],
        ),
        (
            &[(0, 20), (20, 20), (20, 50), (50, 10)],
            ["went from 0 to 10 users by way of 20, 50 over 200 s", "并发从 0 到 10（途经 20、50）："],
        ),
        (
            &[(0, 20), (20, 5), (5, 30), (30, 4), (4, 40), (40, 0)],
            ["went up and down between 0 and 40 users over 300 s", "300 秒内并发在 0 与 40 之间升降："],
        ),
    ];
    for (ends, expected) in rows {
        for (text, expected) in way(ends).iter().zip(expected) {
            assert!(text.contains(expected), "{expected}\n{text}");
            assert!(!text.contains("held") && !text.contains("Next"), "{text}");
        }
    }
}

#[test]
fn refusals_on_a_ramp_are_told_with_it_and_a_ramp_after_a_ladder_by_its_way() {
    let mut run = fixture::ramps(Lang::En);
    (run.stages[0].http_429, run.stages[0].http_429_ratio) = (12, Some(0.002));
    let text = conclusion::of(&run, [None; 3], Lang::En);
    assert!(text.contains("12 of 12500 attempts answered 429"), "{text}");
    let mut mixed = fixture::all_good(Lang::En);
    mixed.stages.push(run.stages[0].clone());
    let [en, zh] = Lang::ALL.map(|lang| conclusion::of(&mixed, [None; 3], lang));
    assert!(en.contains("concurrency 100 held for 60 s"), "{en}");
    assert!(
        en.contains("Off the rungs the load went from 0 to 100 users over 50 s: 100% success, 12 of 5000"),
        "{en}"
    );
    assert!(zh.contains("阶梯之外：50 秒内并发从 0 到 100：成功率 100%，5000 次尝试中有 12 次 429"), "{zh}");
}
