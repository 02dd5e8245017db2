//! Terminal, conclusion and warnings of results written by hand.

use std::time::Duration;

use measure::result::{RunResult, RunStatus, StageStatus};
use report::{Lang, conclusion, terminal, warnings};
use unicode_width::UnicodeWidthStr;

use crate::fixture;

type Make = fn(Lang) -> RunResult;

/// Every result, by its name.
const RUNS: [(&str, Make); 4] = [
    ("all_good", fixture::all_good),
    ("half_failing", fixture::half_failing),
    ("nothing_measured", fixture::nothing_measured),
    ("none_answered", fixture::none_answered),
];

#[test]
fn the_terminal_shows_ladder_marks_and_verdict() {
    for (name, run) in RUNS {
        for lang in Lang::ALL {
            let run = run(lang);
            let lines = [terminal::legend(&run, lang), terminal::gate(&run, lang)].concat().join("\n");
            let shown = format!("{}{lines}\n{}", terminal::ladder(&run, lang), run.conclusion);
            insta::assert_snapshot!(format!("terminal_{name}_{}", lang.code()), shown);
        }
    }
}

#[test]
fn the_ladder_fits_a_hundred_columns_and_every_row_is_as_wide_as_the_head() {
    for lang in Lang::ALL {
        let table = terminal::ladder(&fixture::half_failing(lang), lang);
        let widths: Vec<usize> = table.lines().map(UnicodeWidthStr::width).collect();
        assert!(widths.iter().all(|width| *width == widths[0] && *width <= 100), "{widths:?}\n{table}");
    }
}

#[test]
fn a_skipped_stage_shows_no_number_but_its_users() {
    let mut run = fixture::all_good(Lang::En);
    run.stages[4].status = StageStatus::Skipped;
    let table = terminal::ladder(&run, Lang::En);
    let row: Vec<&str> = table.lines().last().unwrap().split_whitespace().collect();
    assert_eq!(row[..2], ["100", "skipped"]);
    assert!(row[2..].iter().all(|cell| *cell == "—"), "{row:?}");
}

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
        let expected = format!(
            "At 50 success fell to 32%, mostly by `{name}`, so the limit lies between 20 and 50: {fault}."
        );
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
    assert!(!calm.contains("queue"), "{calm}");
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

/// Codes of the warnings after a change to a stage that gives none.
fn warned(change: impl FnOnce(&mut measure::result::StageResult)) -> Vec<String> {
    let mut run = fixture::all_good(Lang::En);
    run.stages.truncate(3);
    change(&mut run.stages[2]);
    warnings::of_stages(&run, Lang::En).into_iter().map(|warning| warning.code).collect()
}

fn flagged(flag: &str) -> Vec<String> {
    warned(|stage| {
        stage.flags.insert(flag.to_owned(), 3);
    })
}

#[test]
fn each_warning_is_given_for_its_own_reason() {
    assert_eq!(warned(|_| {}), [""; 0]);
    assert_eq!(warned(|stage| stage.client.saturated = true), ["saturated"]);
    assert_eq!(warned(|stage| stage.status = StageStatus::Incomplete), ["incomplete"]);
    assert_eq!(warned(|stage| stage.window_s = 5.0), ["short_window"]);
    assert_eq!(warned(|stage| stage.e2e_ms.p50 = Some(7000.0)), ["short_window"]);
    assert_eq!(warned(|stage| stage.in_flight_max = 18), ["not_steady"]);
    assert_eq!(warned(|stage| stage.tokens.source.none = 3), ["no_usage"]);
    assert_eq!(flagged("not_streamed"), ["not_streamed"]);
    assert_eq!(flagged("burst"), ["burst"]);
    assert_eq!(warned(|stage| stage.counts.cancelled = 2), ["cancelled"]);
    assert_eq!(warned(|stage| stage.status = StageStatus::Skipped), [""; 0]);
}

#[test]
fn a_warning_names_its_stage_and_speaks_both_languages() {
    let mut run = fixture::all_good(Lang::En);
    run.stages[1].counts.cancelled = 2;
    let [en, zh] = Lang::ALL.map(|lang| warnings::of_stages(&run, lang).remove(0));
    assert_eq!((en.stage.as_deref(), zh.stage.as_deref()), (Some("c5"), Some("c5")));
    assert_eq!(en.text, "2 requests were still running when the stage's drain ended, and were cut off");
    assert_eq!(zh.text, "2 个请求在收尾时限结束时仍在进行，已被中止");
}
