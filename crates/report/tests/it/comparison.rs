//! Runs side by side: what is put beside what, what it is called, what changed, and that nothing hostile gets through.

use std::collections::BTreeSet;

use html5gum::emitters::default::StartTag;
use measure::Amount;
use measure::result::{RunResult, StageStatus};
use report::comparison::{COLUMNS, Column, Comparison, Tone, conclusion, facts, terminal};
use report::{Lang, csv, html, markdown};
use unicode_width::UnicodeWidthStr as _;

use crate::fixture::{self, HOSTILE};
use crate::outputs::hostile;
use crate::page::{ATTRIBUTES, ELEMENTS, tag, text, tokens, visible, words};

type Runs = fn(Lang) -> Vec<RunResult>;

const COMPARED: [(&str, Runs); 4] = [
    ("providers", |lang| vec![fixture::all_good(lang), fixture::slower(lang)]),
    ("half_failing", |lang| vec![fixture::all_good(lang), fixture::half_failing(lang)]),
    ("nothing_measured", |lang| vec![fixture::all_good(lang), fixture::nothing_measured(lang)]),
    ("units", |lang| vec![fixture::ramps(lang), fixture::open_loop(lang), fixture::none_answered(lang)]),
];

#[test]
fn every_output_of_a_comparison_says_what_was_measured_and_nothing_that_was_not() {
    for (name, runs) in COMPARED {
        for lang in Lang::ALL {
            let runs = runs(lang);
            let of = Comparison::of(&runs);
            let texts = [
                ("page", visible(&html::comparison(&of, lang), lang)),
                ("markdown", markdown::comparison(&of, lang)),
                ("terminal", terminal(&of, lang)),
                ("csv", csv::comparison(&of).unwrap()),
            ];
            for (format, text) in texts {
                for word in ["NaN", "inf ", "null", "None", "undefined"] {
                    assert!(!text.contains(word), "{name} {format}: {word}");
                }
                if (format, lang) != ("csv", Lang::Zh) {
                    insta::assert_snapshot!(format!("{format}_{name}_{}", lang.code()), text);
                }
            }
        }
    }
}

#[test]
fn runs_are_called_by_the_fewest_facts_that_tell_them_apart() {
    let mut runs = [fixture::all_good(Lang::En), fixture::all_good(Lang::En), fixture::all_good(Lang::En)];
    let labels = |runs: &[RunResult]| -> Vec<String> {
        Comparison::of(runs).runs().iter().map(|side| side.label.clone()).collect()
    };
    assert_eq!(labels(&runs), ["chat-ladder", "chat-ladder (2)", "chat-ladder (3)"]);
    runs[1].model = Some("other".to_owned());
    assert_eq!(labels(&runs[..2]), ["qwen-small", "other"]);
    runs[2].provider = None;
    assert_eq!(labels(&runs), ["Example Cloud · qwen-small", "Example Cloud · other", "— · qwen-small"]);
    runs[2].started_at = "2026-01-02T00:00:00Z".to_owned();
    runs[0].test_name = "before".to_owned();
    assert_eq!(labels(&runs[..2]), ["before", "chat-ladder"]);
}

#[test]
fn stages_stand_together_by_level_and_two_of_one_level_by_name_then_order() {
    let mut runs = [fixture::all_good(Lang::En), fixture::all_good(Lang::En)];
    let again = |run: &mut RunResult, place: usize, name: &str| {
        let mut stage = run.stages[2].clone();
        name.clone_into(&mut stage.name);
        run.stages.insert(place, stage);
    };
    again(&mut runs[0], 3, "again");
    again(&mut runs[1], 0, "again");
    runs[1].stages[5].status = StageStatus::Skipped;
    let of = Comparison::of(&runs);
    let names: Vec<Vec<&str>> = of
        .groups()
        .iter()
        .map(|group| group.stages.iter().map(|stage| stage.map_or("", |stage| &stage.name)).collect())
        .collect();
    assert_eq!(
        names,
        [["c1", "c1"], ["c5", "c5"], ["c20", "c20"], ["again", "again"], ["c50", "c50"], ["c100", ""]]
    );
}

fn column(metric: &str, percentile: &str) -> &'static Column {
    COLUMNS.iter().find(|of| of.metric.name() == metric && of.percentile == percentile).unwrap()
}

#[test]
fn a_result_against_itself_has_changed_by_nothing() {
    let runs = [fixture::half_failing(Lang::En), fixture::half_failing(Lang::En)];
    let of = Comparison::of(&runs);
    for group in of.groups() {
        for column in &COLUMNS {
            assert_eq!(column.change(group, 0), None);
            let change = column.change(group, 1);
            assert!(change.is_none_or(|change| change.absolute == 0.0 && change.tone == Tone::Neutral));
        }
    }
}

#[test]
fn a_change_has_a_tone_only_where_enough_requests_stand_behind_it() {
    let runs = [fixture::all_good(Lang::En), fixture::slower(Lang::En)];
    let of = Comparison::of(&runs);
    let of_group =
        |at: usize, metric, percentile| column(metric, percentile).change(&of.groups()[at], 1).unwrap();
    assert_eq!(of_group(2, "ttft", "p95").tone, Tone::Bad);
    assert_eq!(of_group(0, "ttft", "p99").tone, Tone::Neutral, "60 requests are too few for a p99");
    assert_eq!(of_group(2, "qps", "").tone, Tone::Neutral);
    assert_eq!(column("ttft", "p95").change(&of.groups()[4], 1), None, "the other did not go there");
}

#[test]
fn what_was_not_the_same_is_said_before_the_numbers() {
    let mut runs = [fixture::all_good(Lang::En), fixture::all_good(Lang::En)];
    let said = |runs: &[RunResult]| conclusion(&Comparison::of(runs), Lang::En);
    assert!(said(&runs).starts_with("Held up to 100 users:"), "{}", said(&runs));
    runs[1].seed = 2;
    assert!(said(&runs).starts_with("Not the same in all runs: seed;"), "{}", said(&runs));
    runs[1].stages[4].client.saturated = true;
    assert!(said(&runs).contains("was at its limit at 100 users"));
    runs[1].ladder.last_ok = Some(Amount(20.0));
    assert!(said(&runs).contains("held the highest level, 100 users; “chat-ladder (2)” 20 users."));
    let differing: Vec<_> =
        facts(&Comparison::of(&runs), Lang::En).into_iter().filter(|fact| fact.differs()).collect();
    assert_eq!(differing.iter().map(|fact| fact.name).collect::<Vec<_>>(), ["Seed"]);
}

#[test]
fn out_07_hostile_texts_stay_inert_beside_one_another() {
    for lang in Lang::ALL {
        let runs = [fixture::hostile(lang), fixture::half_failing(lang)];
        let page = html::comparison(&Comparison::of(&runs), lang);
        let tags: Vec<StartTag<()>> = tokens(&page).filter_map(tag).collect();
        let elements: BTreeSet<String> = tags.iter().map(|tag| text(&tag.name)).collect();
        let attributes = tags.iter().flat_map(|tag| tag.attributes.keys()).map(|name| text(name)).collect();
        assert!(elements.is_subset(&words(&format!("{ELEMENTS} i"))), "{elements:?}");
        assert!(words(ATTRIBUTES).is_superset(&attributes), "{attributes:?}");
        assert_eq!(tags.iter().filter(|tag| *tag.name == *b"script").count(), 3);
        assert!(visible(&page, lang).contains(HOSTILE) && page.len() < 2_500_000);
        let runs = [hostile(lang), fixture::all_good(lang)];
        let of = Comparison::of(&runs);
        assert!(!markdown::comparison(&of, lang).contains("<script>"));
        assert!(!terminal(&of, lang).contains('\u{1b}'));
    }
}

#[test]
fn an_empty_chart_says_why() {
    let runs = [fixture::nothing_measured(Lang::En), fixture::nothing_measured(Lang::En)];
    let page = html::comparison(&Comparison::of(&runs), Lang::En);
    assert_eq!((page.matches("<figure").count(), page.matches("<div class=\"plot\"").count()), (10, 0));
    assert!(page.contains("No load was sent in any run."));
}

#[test]
fn the_table_fits_a_hundred_columns() {
    for lang in Lang::ALL {
        for (_, runs) in COMPARED {
            let mut runs = runs(lang);
            runs[0].test_name = "很长的名字".repeat(9);
            let shown = terminal(&Comparison::of(&runs), lang);
            let table = shown.split("\n\n").next().unwrap();
            assert!(table.lines().all(|line| line.width() <= 100), "{table}");
        }
    }
}

#[test]
fn every_number_that_is_compared_has_an_interval_in_every_run() {
    let name = |column: &Column| match column.percentile {
        "" => column.metric.to_string(),
        percentile => format!("{}.{percentile}", column.metric),
    };
    assert_eq!(
        COLUMNS.iter().map(name).collect::<Vec<_>>(),
        measure::gate::STANDARD.map(|of| of.to_string())
    );
}

#[test]
fn a_change_that_may_be_chance_is_neither_better_nor_worse() {
    let mut runs = [fixture::all_good(Lang::En), fixture::slower(Lang::En)];
    let column = COLUMNS
        .iter()
        .find(|column| column.metric == measure::Metric::Ttft && column.percentile == "p95")
        .unwrap();
    let tone = |runs: &[RunResult]| {
        let of = Comparison::of(runs);
        column.change(of.common().unwrap(), 1).map(|change| change.tone)
    };
    let said = |runs: &[RunResult]| terminal(&Comparison::of(runs), Lang::En);
    assert_eq!(tone(&runs), Some(Tone::Bad), "results of older versions go by the size of the change");
    assert!(said(&runs).contains("Not every one of these runs says how uncertain its values are"));
    for (half, expected) in [(10.0, Tone::Bad), (4_000.0, Tone::Neutral)] {
        for stage in runs.iter_mut().flat_map(|run| &mut run.stages) {
            let value = stage.ttft_ms.p95.unwrap();
            let interval = measure::result::Interval {
                low: value - half,
                high: value + half,
                confidence: 0.95,
                standard_error: half / 1.96,
                unit: measure::result::Unit::Blocks,
                units: 60,
            };
            stage.intervals.insert("ttft.p95".to_owned(), interval);
        }
        assert_eq!(tone(&runs), Some(expected), "{half}");
    }
    assert!(said(&runs).contains("leave no room for chance"));
}
