//! Markdown, JUnit and CSV: what they say of a run, and that nothing hostile means anything in them.

use std::collections::BTreeSet;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use measure::result::{CheckLine, CheckResult, Exit, RunResult, RunStatus, StageStatus, Verdict};
use report::{Lang, csv, junit, markdown};

use crate::fixture::{self, HOSTILE};

type Make = fn(Lang) -> RunResult;

/// Every result, by its name.
const RUNS: [(&str, Make); 6] = [
    ("all_good", fixture::all_good),
    ("half_failing", fixture::half_failing),
    ("nothing_measured", fixture::nothing_measured),
    ("none_answered", fixture::none_answered),
    ("open_loop", fixture::open_loop),
    ("ramps", fixture::ramps),
];

/// More that somebody might write into a name.
const TRICKS: &str =
    "=cmd()|a\n| b ]]> `x` \0 @all #1 [l](http://e.example) www.e.example **b** \u{1b}[2J \u{ffff}";

/// As hostile as the page's, in what means something in these formats.
fn hostile(lang: Lang) -> RunResult {
    let text = serde_json::to_string(&fixture::hostile(lang)).unwrap();
    let own = serde_json::to_string(&format!("{TRICKS}{HOSTILE}")).unwrap();
    let whole = serde_json::to_string(HOSTILE).unwrap();
    RunResult::from_json(&text.replace(whole.trim_matches('"'), own.trim_matches('"'))).unwrap()
}

#[test]
fn the_outputs_say_what_was_measured_and_nothing_that_was_not() {
    for (name, run) in RUNS {
        let [en, zh] = Lang::ALL.map(run);
        let texts = [
            ("markdown", markdown::render(&en, Lang::En)),
            ("markdown_zh", markdown::render(&zh, Lang::Zh)),
            ("junit", junit::render(&en, Lang::En).unwrap()),
            ("junit_zh", junit::render(&zh, Lang::Zh).unwrap()),
            ("csv", csv::render(&en).unwrap()),
        ];
        for (format, text) in texts {
            for word in ["NaN", "inf ", "null", "None"] {
                assert!(!text.contains(word), "{name} {format}: {word}");
            }
            insta::assert_snapshot!(format!("{format}_{name}"), text);
        }
    }
}

#[test]
fn markdown_in_the_other_language_says_the_same() {
    for (_, run) in RUNS {
        let (en, zh) = (run(Lang::En), run(Lang::Zh));
        for lang in Lang::ALL {
            assert_eq!(markdown::render(&en, lang), markdown::render(&zh, lang));
        }
    }
}

/// What a reader of GitHub's Markdown finds: kinds of nodes, and how many cells each row of a table has.
fn found(text: &str) -> (BTreeSet<&'static str>, Vec<usize>) {
    let arena = Arena::new();
    let mut options = Options::default();
    let extension = &mut options.extension;
    (extension.table, extension.autolink, extension.strikethrough) = (true, true, true);
    (extension.tasklist, extension.footnotes, extension.math_dollars) = (true, true, true);
    let root = parse_document(&arena, text, &options);
    let mut kinds = BTreeSet::new();
    let mut cells = Vec::new();
    for node in root.descendants() {
        let value = &node.data.borrow().value;
        if let NodeValue::TableRow(_) = value {
            cells.push(node.children().count());
        }
        kinds.insert(value.xml_node_name());
    }
    (kinds, cells)
}

#[test]
fn out_07_hostile_texts_are_no_markup_in_markdown() {
    let expected: BTreeSet<_> = [
        "document",
        "heading",
        "paragraph",
        "text",
        "code",
        "strong",
        "list",
        "item",
        "table",
        "table_row",
        "table_cell",
        "table_header",
    ]
    .into();
    for lang in Lang::ALL {
        let text = markdown::render(&hostile(lang), lang);
        let (kinds, cells) = found(&text);
        assert!(kinds.is_subset(&expected), "{kinds:?}\n{text}");
        let widths: BTreeSet<usize> = cells.iter().copied().collect();
        assert_eq!((widths, cells.len()), ([8, 14].into(), 3 + 6), "{text}");
        for forbidden in ["@all", "@a", " #1", "http://e", "www.e", "\0", "\u{1b}", "\u{2028}", "<script"] {
            assert!(!text.contains(forbidden), "{forbidden}\n{text}");
        }
    }
}

#[test]
fn many_checks_that_did_not_pass_are_folded_away() {
    let mut run = fixture::half_failing(Lang::En);
    let line = run.gate.checks[0].clone();
    run.gate.checks.extend((0..20).map(|_| line.clone()));
    let text = markdown::render(&run, Lang::En);
    assert!(
        text.contains("0 of 22 checks passed.\n\n<details><summary>22 did not pass</summary>\n\n| result |")
    );
    assert!(text.contains("|\n\n</details>\n"), "{text}");
}

/// Suites and cases of a JUnit file as another reader finds them: suite, case, how it ended.
fn cases(run: &RunResult, lang: Lang) -> Vec<[String; 3]> {
    let text = junit::render(run, lang).unwrap();
    let file = roxmltree::Document::parse(&text).unwrap();
    let elements =
        |of: roxmltree::Node<'_, '_>, name: &str| of.descendants().filter(|n| n.has_tag_name(name)).count();
    let mut all = Vec::new();
    for counted in file.descendants().filter(|node| node.has_attribute("tests")) {
        let names =
            [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")];
        for (attribute, element) in names {
            let count = elements(counted, element);
            assert_eq!(counted.attribute(attribute), Some(count.to_string().as_str()), "{attribute}\n{text}");
        }
        assert!(elements(counted, "testcase") > 0, "an empty suite\n{text}");
    }
    for case in file.descendants().filter(|node| node.has_tag_name("testcase")) {
        let suite = case.parent_element().and_then(|suite| suite.attribute("name")).unwrap();
        let ended = case.children().find(|node| node.is_element() && !node.has_tag_name("system-out"));
        let ended = ended.map_or("passed", |node| node.tag_name().name());
        all.push([suite, case.attribute("name").unwrap(), ended].map(str::to_owned));
    }
    all
}

fn shown(run: &RunResult) -> Vec<String> {
    cases(run, Lang::En).into_iter().map(|case| case.join(" | ")).collect()
}

#[test]
fn failures_errors_and_skipped_cases_are_told_apart() {
    let mut run = fixture::half_failing(Lang::En);
    let line = run.gate.checks[0].clone();
    let more = |stage: &str, level: &str, result: CheckResult| CheckLine {
        stage: stage.to_owned(),
        level: level.to_owned(),
        result,
        ..line.clone()
    };
    run.stages[2].status = StageStatus::Skipped;
    run.gate.checks.extend([
        more("c1", "advisory", CheckResult::Fail),
        more("c5", "strict", CheckResult::Inconclusive),
        more("c20", "strict", CheckResult::NoData),
        more("-", "strict", CheckResult::NoData),
        more("c1", "strict", CheckResult::Pass),
    ]);
    assert_eq!(
        shown(&run),
        [
            "run | completed | passed",
            "c50 | ttft.p95 <= 800ms | failure",
            "c50 | success_rate >= 99% | error",
            "c1 | ttft.p95 <= 800ms | skipped",
            "c1 | ttft.p95 <= 800ms | passed",
            "c5 | ttft.p95 <= 800ms | error",
            "c20 | ttft.p95 <= 800ms | skipped",
            "no stage | ttft.p95 <= 800ms | error",
        ]
    );
}

#[test]
fn without_checks_each_stage_is_a_case_and_a_run_that_ended_badly_is_an_error() {
    let mut run = fixture::none_answered(Lang::En);
    run.exit = Exit { code: 5, reasons: vec!["no request was ok".to_owned()] };
    assert_eq!(shown(&run), ["run | completed | passed", "c1 | ran | failure", "c5 | ran | failure"]);
    run.stages[0].counts.ok = 3;
    (run.stages[1].status, run.status) = (StageStatus::Incomplete, RunStatus::Interrupted);
    assert_eq!(shown(&run), ["run | completed | error", "c1 | ran | passed", "c5 | ran | error"]);
    run.stages[1].status = StageStatus::Skipped;
    assert_eq!(shown(&run)[2], "c5 | ran | skipped");
    assert_eq!(shown(&fixture::nothing_measured(Lang::En)), ["run | completed | error"]);
}

#[test]
fn a_run_whose_exit_code_is_not_zero_is_never_all_green() {
    let mut run = fixture::all_good(Lang::En);
    assert_eq!(shown(&run)[0], "run | completed | passed");
    run.exit = Exit { code: 6, reasons: vec!["`x.html` cannot be written".to_owned()] };
    assert_eq!(shown(&run)[0], "run | completed | error");
    (run.gate.verdict, run.exit.code) = (Verdict::Fail, 1);
    run.gate.checks[0].result = CheckResult::Fail;
    assert_eq!(shown(&run)[0], "run | completed | passed", "the check says it");
}

#[test]
fn the_stages_of_a_search_are_no_cases() {
    let mut run = fixture::none_answered(Lang::En);
    run.stages[1].name = "try-5".to_owned();
    assert_eq!(shown(&run).len(), 3);
    run.search = Some(measure::result::SearchLine {
        unit: measure::LoadUnit::Users,
        low: 1,
        high: 5,
        resolution: 1,
        holds: None,
        breaks: None,
        undecided: None,
    });
    assert_eq!(shown(&run).len(), 2);
}

#[test]
fn out_07_hostile_texts_are_texts_in_junit() {
    for lang in Lang::ALL {
        let run = hostile(lang);
        let text = junit::render(&run, lang).unwrap();
        let file = roxmltree::Document::parse(&text).unwrap();
        let names: BTreeSet<_> =
            file.descendants().filter(|n| n.is_element()).map(|n| n.tag_name().name()).collect();
        let expected = ["testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"];
        assert!(names.is_subset(&expected.into()), "{names:?}");
        let name = file.root_element().attribute("name").unwrap();
        assert!(
            name.contains("<img src=x") && name.contains("\\u0000 @all") && name.contains("]]>"),
            "{name}"
        );
        assert_eq!(cases(&run, lang).len(), 3);
    }
}

/// The table as another program reads it.
fn table(run: &RunResult) -> Vec<Vec<(String, String)>> {
    let text = csv::render(run).unwrap();
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().unwrap().clone();
    let owned = |(name, cell): (&str, &str)| (name.to_owned(), cell.to_owned());
    reader.records().map(|record| names.iter().zip(&record.unwrap()).map(owned).collect()).collect()
}

#[test]
fn a_row_of_csv_holds_the_numbers_of_the_result_and_nothing_for_what_is_absent() {
    let mut run = fixture::open_loop(Lang::En);
    run.stages[1].think_time_s = Some([0.5, 1.5]);
    run.stages[0].status = StageStatus::Skipped;
    let rows = table(&run);
    let of = |row: usize, name: &str| rows[row].iter().find(|(of, _)| of == name).unwrap().1.clone();
    let names = [
        "name",
        "status",
        "concurrency",
        "rate",
        "arrival",
        "think_time_s_min",
        "counts_started",
        "tpot_ms_p95",
    ];
    let shown: Vec<Vec<String>> = (0..3).map(|row| names.map(|name| of(row, name)).to_vec()).collect();
    let tpot = |row: usize| run.stages[row].tpot_ms.p95.unwrap().to_string();
    assert_eq!(shown[0], ["r10", "skipped", "", "10", "constant", "", "", ""]);
    assert_eq!(shown[1], ["r20", "complete", "", "20", "poisson", "0.5", "1200", &tpot(1)]);
    assert_eq!(shown[2], ["r40", "complete", "", "40", "gamma", "", "2190", &tpot(2)]);
    let names: BTreeSet<_> = rows[0].iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), rows[0].len(), "each name once");
}

#[test]
fn every_column_of_csv_stands_in_the_result() {
    let mut run = fixture::open_loop(Lang::En);
    let stage = &mut run.stages[0];
    (stage.concurrency, stage.ramp_from, stage.think_time_s) =
        (Some(1), Some(measure::Amount(1.0)), Some([1.0, 2.0]));
    for part in [&mut stage.tokens.input, &mut stage.tokens.reasoning, &mut stage.tokens.cached] {
        *part = Some(1);
    }
    (stage.burstiness, stage.stalls.longest_ms) = (Some(1.0), Some(1.0));
    let full = stage.tpot_ms.clone();
    for of in [&mut stage.connect_ms, &mut stage.ttfo_ms, &mut stage.output_tps, &mut stage.retry_wait_ms] {
        *of = full.clone();
    }
    stage.time_to_error_ms = full;
    let empty: Vec<String> = table(&run)[0]
        .iter()
        .filter(|(name, cell)| cell.is_empty() && !name.ends_with("_weak"))
        .map(|(name, _)| name.clone())
        .collect();
    assert_eq!(empty, [""; 0]);
}

#[test]
fn out_07_hostile_names_are_one_harmless_cell_of_csv() {
    let mut run = hostile(Lang::En);
    run.stages[0].name = format!("{TRICKS}{HOSTILE}");
    let rows = table(&run);
    assert_eq!(rows.len(), run.stages.len());
    let name = &rows[0][0].1;
    assert!(name.starts_with("'=cmd()|a | b ]]> `x` \\u0000 @all"), "{name}");
    for (_, cell) in rows.iter().flatten() {
        assert!(!cell.starts_with(['=', '+', '@']) && !cell.contains(['\n', '\r', '\0']), "{cell}");
    }
}
