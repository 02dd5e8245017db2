//! The page: what it says, that it stays small, that it asks nothing of anybody, and that nothing hostile gets through.

use std::collections::BTreeSet;

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{Token, Tokenizer};
use measure::Amount;
use measure::result::RunResult;
use report::{Lang, html};

use crate::charts;
use crate::fixture::{self, HOSTILE};

/// Every element that the templates write.
pub(crate) const ELEMENTS: &str = "a b body button code dd details div dl dt figcaption figure footer h1 h2 h3 head header html li \
    main meta nav noscript p script section small span strong style summary table tbody td th thead title tr ul";
/// Every attribute that the templates write.
pub(crate) const ATTRIBUTES: &str = "aria-label aria-labelledby charset class colspan content data-chart data-language data-zoom \
    hidden href http-equiv id lang name open role rowspan scope tabindex type";

#[test]
fn out_07_hostile_texts_are_shown_and_become_neither_element_nor_attribute() {
    for lang in Lang::ALL {
        let page = html::render(&fixture::hostile(lang), lang);
        let tags: Vec<StartTag<()>> = tokens(&page).filter_map(tag).collect();
        let elements: BTreeSet<String> = tags.iter().map(|tag| text(&tag.name)).collect();
        let attributes = tags.iter().flat_map(|tag| tag.attributes.keys()).map(|name| text(name)).collect();
        assert!(elements.is_subset(&words(ELEMENTS)), "{elements:?}");
        assert!(words(ATTRIBUTES).is_superset(&attributes), "{attributes:?}");
        assert_eq!(tags.iter().filter(|tag| *tag.name == *b"script").count(), 3);
        let shown = visible(&page, lang).matches(HOSTILE).count();
        assert!(shown > 40, "{shown}");
    }
}

#[test]
fn the_page_refers_to_nothing_outside_itself() {
    for run in [fixture::hostile(Lang::En), fixture::all_good(Lang::En)] {
        let page = html::render(&run, Lang::En);
        for tag in tokens(&page).filter_map(tag) {
            for (name, value) in &tag.attributes {
                let (name, value) = (text(name), text(value));
                assert!(!["src", "style", "action", "data"].contains(&name.as_str()), "{name}={value}");
                assert!(name != "href" || value.starts_with('#'), "{name}={value}");
            }
        }
        assert!(
            page.contains("content=\"default-src &#x27;none&#x27;; script-src &#x27;sha256-"),
            "no policy"
        );
    }
}

#[test]
fn chart_data_keeps_hostile_names_as_they_are() {
    let data = charts::data(&fixture::hostile(Lang::Zh));
    assert_eq!(data["stages"][0]["name"], format!("0{HOSTILE}"));
    assert_eq!(data["trends"].as_array().map(Vec::len), Some(12));
}

#[test]
fn eight_hours_stay_under_two_and_a_half_megabytes() {
    let page = html::render(&fixture::eight_hours(Lang::En), Lang::En);
    assert!(page.len() < 2_500_000, "{} bytes", page.len());
}

#[test]
fn a_chart_without_values_says_why_in_place_of_axes() {
    let charts = |run: &RunResult| {
        let page = html::render(run, Lang::En);
        (page.matches("<figure").count(), page.matches("<div class=\"plot\"").count())
    };
    assert_eq!(charts(&fixture::half_failing(Lang::En)), (24, 24));
    assert_eq!(charts(&fixture::all_good(Lang::En)), (24, 23), "nothing failed");
    assert_eq!(charts(&fixture::nothing_measured(Lang::En)), (24, 0));
    let page = html::render(&fixture::none_answered(Lang::En), Lang::En);
    assert!(page.contains("No request succeeded.") && page.contains("data-chart=\"requests_per_s\""));
}

#[test]
fn the_page_says_what_was_measured_in_both_languages() {
    let runs = [
        ("all_good", fixture::all_good as fn(Lang) -> RunResult),
        ("half_failing", fixture::half_failing),
        ("nothing_measured", fixture::nothing_measured),
        ("open_loop", fixture::open_loop),
        ("ramps", fixture::ramps),
        ("searched", fixture::searched),
        ("two_sides", fixture::two_sides),
        ("several_rounds", fixture::several_rounds),
    ];
    for (name, run) in runs {
        for lang in Lang::ALL {
            let page = html::render(&run(lang), lang);
            let shown = visible(&page, lang);
            for word in ["NaN", "inf ", "null", "None", "undefined"] {
                assert!(!shown.contains(word), "{name}: {word}");
            }
            insta::assert_snapshot!(format!("page_{name}_{}", lang.code()), shown);
        }
    }
}

#[test]
fn a_page_in_the_other_language_says_the_same() {
    let (en, zh) = (fixture::half_failing(Lang::En), fixture::half_failing(Lang::Zh));
    for lang in Lang::ALL {
        let [one, other] = [&en, &zh].map(|run| visible(&html::render(run, Lang::En), lang));
        assert_eq!(one, other);
    }
}

#[test]
fn a_breach_of_an_objective_is_told_in_both_languages_and_keeps_its_limit_in_the_stored_one() {
    let mut run = fixture::all_good(Lang::Zh);
    (run.ladder.last_ok, run.ladder.first_breach) = (Some(Amount(50.0)), Some(Amount(100.0)));
    let limit = Some(std::time::Duration::from_millis(300));
    run.conclusion = report::conclusion::of(&run, [limit, None, None], Lang::Zh);
    let page = html::render(&run, Lang::En);
    assert!(visible(&page, Lang::Zh).contains("TTFT P95 = 317 ms > 300 ms"));
    assert!(visible(&page, Lang::En).contains("At 100 a P95 missed its objective"));
}

#[test]
fn a_conclusion_of_an_older_version_is_shown_as_it_was_stored() {
    let mut run = fixture::all_good(Lang::En);
    run.conclusion = "concurrency 100 held. No rung up to 100 broke. Next: climb.".to_owned();
    let page = visible(&html::render(&run, Lang::En), Lang::En);
    assert!(page.contains("concurrency 100 held. No rung up to 100 broke. Next: climb.\n"));
    assert!(!page.contains("throughput grew"));
}

pub(crate) fn tokens(page: &str) -> impl Iterator<Item = Token> {
    // Script and style hold text up to their end tag, as in a browser.
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(page, emitter).map(|Ok(token)| token)
}

pub(crate) fn tag(token: Token) -> Option<StartTag<()>> {
    match token {
        Token::StartTag(tag) => Some(tag),
        _ => None,
    }
}

/// What a reader of one language sees, a line per row, cells apart by ` | `.
pub(crate) fn visible(page: &str, lang: Lang) -> String {
    let mut shown = String::new();
    let mut hidden = false;
    for token in tokens(page) {
        match token {
            // Code inside a sentence of the other language.
            Token::StartTag(tag) if hidden && *tag.name == *b"code" => {}
            Token::EndTag(tag) if hidden && *tag.name == *b"code" => {}
            Token::StartTag(tag) => {
                let other = tag.attributes.get(b"lang".as_slice()).is_some_and(|of| text(of) != lang.code());
                hidden = matches!(&tag.name[..], b"script" | b"style") || (*tag.name == *b"span" && other);
                shown.push_str(before(&tag.name));
            }
            Token::EndTag(_) => hidden = false,
            Token::String(string) if !hidden => shown.push_str(text(&string).replace('\n', " ").as_str()),
            _ => {}
        }
    }
    let lines = shown
        .lines()
        .map(|line| line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// How an element stands apart from what is before it.
fn before(element: &[u8]) -> &'static str {
    match element {
        b"span" | b"b" | b"code" | b"strong" => "",
        b"td" | b"th" | b"dd" | b"small" => " | ",
        _ => "\n",
    }
}

pub(crate) fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(ToOwned::to_owned).collect()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
