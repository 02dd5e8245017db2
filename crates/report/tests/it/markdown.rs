//! Markdown, read as GitHub reads it: nothing hostile means anything in it, and both languages say the same.

use std::collections::BTreeSet;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use report::{Lang, markdown};

use crate::fixture;
use crate::outputs::{RUNS, hostile};

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

#[test]
fn a_change_from_the_baseline_is_shown_for_every_check_that_has_one() {
    let mut run = fixture::all_good(Lang::En);
    run.gate.checks[0].baseline = Some(300.0);
    let text = markdown::render(&run, Lang::En);
    assert!(text.contains("| limit | baseline | change | n | reason |"), "{text}");
    assert!(
        text.contains(
            "| pass | `ttft.p95 <= 800ms` | `c50` | strict | 310 ms | 800 ms | 300 ms | +3.4% | 400 |"
        ),
        "{text}"
    );
    assert!(!text.contains("success_rate >="), "{text}");
    let line = run.gate.checks[0].clone();
    run.gate.checks.extend((0..20).map(|_| line.clone()));
    let text = markdown::render(&run, Lang::En);
    assert!(text.contains("<details><summary>21 passed against the baseline</summary>"), "{text}");
}
