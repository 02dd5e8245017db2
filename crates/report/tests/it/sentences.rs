//! Terminal and warnings of results written by hand.

use measure::Amount;
use measure::result::{Exit, RunResult, StageStatus, Verdict};
use report::{Lang, conclusion, html, markdown, terminal, warnings};
use unicode_width::UnicodeWidthStr;

use crate::fixture;

type Make = fn(Lang) -> RunResult;

/// Every result, by its name.
const RUNS: [(&str, Make); 7] = [
    ("all_good", fixture::all_good),
    ("half_failing", fixture::half_failing),
    ("nothing_measured", fixture::nothing_measured),
    ("none_answered", fixture::none_answered),
    ("open_loop", fixture::open_loop),
    ("ramps", fixture::ramps),
    ("searched", fixture::searched),
];

#[test]
fn the_terminal_shows_ladder_marks_and_verdict() {
    for (name, run) in RUNS {
        for lang in Lang::ALL {
            let run = run(lang);
            let shown = terminal::closing(&run, lang) + &terminal::exit(&run, lang).join("\n");
            insta::assert_snapshot!(format!("terminal_{name}_{}", lang.code()), shown);
        }
    }
}

#[test]
fn the_ladder_fits_a_hundred_columns_and_every_row_is_as_wide_as_the_head() {
    for lang in Lang::ALL {
        for run in RUNS.map(|(_, make)| make(lang)).into_iter().chain([wide(lang), wider(lang)]) {
            if run.stages.is_empty() {
                continue;
            }
            let legend = terminal::legend(&run, lang);
            assert!(legend.iter().all(|line| line.width() <= 100), "{legend:?}");
            let table = terminal::ladder(&run, lang);
            let widths: Vec<usize> = table.lines().map(UnicodeWidthStr::width).collect();
            assert!(widths.iter().all(|width| *width == widths[0] && *width <= 100), "{widths:?}\n{table}");
        }
    }
}

/// An open loop whose every number is long, with a ramp.
fn wide(lang: Lang) -> RunResult {
    let mut run = fixture::open_loop(lang);
    let stage = &mut run.stages[2];
    (stage.rate, stage.ramp_from, stage.status) =
        (Some(Amount(1000.0)), Some(Amount(12.5)), StageStatus::Stopped);
    (stage.qps, stage.output_tokens_per_s, stage.success_rate) = (Some(1000.0), Some(78_000.0), Some(0.9996));
    (stage.http_429, stage.http_5xx, stage.client.saturated) = (10_000, 1000, true);
    for of in [&mut stage.queue_ms, &mut stage.ttft_ms, &mut stage.tpot_ms, &mut stage.e2e_ms] {
        (of.p50, of.p95, of.p99) = (Some(10_000.0), Some(10_000.0), Some(60_000.0));
        of.weak = vec!["p95".to_owned(), "p99".to_owned()];
    }
    run
}

/// The same of a search that is marked in every way at once.
fn wider(lang: Lang) -> RunResult {
    let mut run = wide(lang);
    run.search = fixture::searched(lang).search;
    let stage = &mut run.stages[2];
    (stage.name, stage.status, stage.ramp_from) = ("try-r1000".to_owned(), StageStatus::Incomplete, None);
    stage.counts.dropped = 3;
    run
}

#[test]
fn a_check_that_fails_against_the_baseline_shows_how_far_it_moved() {
    let mut run = fixture::half_failing(Lang::En);
    run.gate.checks[0].baseline = Some(248.0);
    let first = terminal::gate(&run, Lang::En).remove(0);
    assert!(first.contains("measured 310 ms (+25.1%), n = 400"), "{first}");
}

#[test]
fn a_gate_without_a_strict_check_is_not_said_to_have_passed() {
    let rows = [
        (
            Lang::En,
            "gate: no strict check (0 of 2 advisory checks passed)",
            "## No strict check: ",
            "\n0 of 2 advisory checks passed.\n",
            "No check of the gate is strict.",
        ),
        (
            Lang::Zh,
            "门禁：没有严格检查（2 项仅提示的检查中 0 项通过）",
            "## 没有严格检查：",
            "\n2 项仅提示的检查中 0 项通过。\n",
            "门禁没有严格检查。",
        ),
    ];
    for (lang, said, title, count, concluded) in rows {
        let mut run = fixture::half_failing(lang);
        (run.gate.verdict, run.exit) = (Verdict::Pass, Exit::default());
        run.gate.checks.iter_mut().for_each(|line| line.level = "advisory".to_owned());
        assert_eq!(terminal::gate(&run, lang).last().unwrap(), said);
        run.conclusion = conclusion::of(&run, [None; 3], lang);
        assert!(run.conclusion.contains(concluded), "{}", run.conclusion);
        let text = markdown::render(&run, lang);
        assert!(text.starts_with(title) && text.contains(count), "{text}");
        let page = html::render(&run, lang);
        assert!(page.contains("class=\"verdict neutral\""));
        assert!(page.contains(">No strict check<") && page.contains(">没有严格检查<"));
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
    assert_eq!(warned(|stage| (stage.in_flight_max, stage.think_time_s) = (18, Some([1.0, 1.0]))), [""; 0]);
    assert_eq!(warned(|stage| (stage.in_flight_max, stage.ramp_from) = (18, Some(Amount(1.0)))), [""; 0]);
    assert_eq!(warned(|stage| stage.counts.dropped = 3), [""; 0]);
    assert_eq!(warned(|stage| stage.tokens.source.none = 3), ["no_usage"]);
    assert_eq!(flagged("not_streamed"), ["not_streamed"]);
    assert_eq!(flagged("burst"), ["burst"]);
    assert_eq!(warned(|stage| stage.counts.cancelled = 2), ["cancelled"]);
    assert_eq!(warned(|stage| stage.status = StageStatus::Skipped), [""; 0]);
}

/// The warning about a rate, after a change to the last stage of an open loop: English, Chinese.
fn rate_warning(change: impl FnOnce(&mut measure::result::StageResult)) -> [Option<String>; 2] {
    let mut run = fixture::open_loop(Lang::En);
    change(&mut run.stages[2]);
    Lang::ALL.map(|lang| {
        let mut all = warnings::of_stages(&run, lang).into_iter();
        all.find(|warning| warning.code == "rate_not_reached").map(|warning| warning.text)
    })
}

#[test]
fn a_rate_that_was_not_reached_is_said_with_what_became_of_the_rest_and_what_to_do() {
    let [en, zh] = rate_warning(|_| {});
    assert_eq!(
        en.as_deref(),
        Some(
            "the stage was to send 40 requests/s and started 36.5; 210 of 2400 requests found no slot before its end and were \
             dropped: no other number counts them; requests waited in the client for a slot (queue P95 1422 ms), which no \
             latency counts; all 64 slots were taken at once: raise `max_in_flight`, and if the queue stays, the endpoint \
             cannot take more"
        )
    );
    assert_eq!(
        zh.as_deref(),
        Some(
            "本级设定每秒 40 个请求，实际每秒发出 36.5 个；2400 个请求中有 210 个直到本级结束仍无空位而被丢弃，其他数字均不包含它们；\
             请求在客户端等待空位（queue P95 1422 ms），各项时延均不含此等待；64 个空位曾全部占满：请调大 `max_in_flight`；\
             若仍排队，则端点无法承受更多请求"
        )
    );
    let [idle, _] = rate_warning(|stage| (stage.in_flight_max, stage.counts.dropped) = (40, 0));
    assert_eq!(idle, None);
    let [late, _] = rate_warning(|stage| {
        (stage.in_flight_max, stage.counts.dropped, stage.counts.started) = (40, 0, 1800);
        (stage.burstiness, stage.ramp_from) = (Some(2.0), Some(Amount(30.0)));
    });
    assert_eq!(
        late.as_deref(),
        Some(
            "the stage was to send 35 requests/s on average and started 30.0; slots were free, so that this machine did not \
             keep up: more `--workers`, or a larger machine"
        )
    );
}

#[test]
fn a_warning_names_its_stage_and_speaks_both_languages() {
    let mut run = fixture::all_good(Lang::En);
    run.stages[1].counts.cancelled = 1;
    let one = warnings::of_stages(&run, Lang::En).remove(0);
    assert_eq!(one.text, "1 request was still running when the stage's drain ended, and was cut off");
    run.stages[1].counts.cancelled = 2;
    let [en, zh] = Lang::ALL.map(|lang| warnings::of_stages(&run, lang).remove(0));
    assert_eq!((en.stage.as_deref(), zh.stage.as_deref()), (Some("c5"), Some("c5")));
    assert_eq!(en.text, "2 requests were still running when the stage's drain ended, and were cut off");
    assert_eq!(zh.text, "2 个请求在收尾时限结束时仍在进行，已被中止");
}
