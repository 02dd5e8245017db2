//! JSON, Markdown, JUnit and CSV: what they say of a run, snapshot by snapshot.

use measure::result::RunResult;
use report::{Lang, csv, json, junit, markdown};

use crate::fixture::{self, HOSTILE};

pub(crate) type Make = fn(Lang) -> RunResult;

/// Every result, by its name.
pub(crate) const RUNS: [(&str, Make); 9] = [
    ("all_good", fixture::all_good),
    ("half_failing", fixture::half_failing),
    ("nothing_measured", fixture::nothing_measured),
    ("none_answered", fixture::none_answered),
    ("open_loop", fixture::open_loop),
    ("ramps", fixture::ramps),
    ("searched", fixture::searched),
    ("two_sides", fixture::two_sides),
    ("several_rounds", fixture::several_rounds),
];

/// More that somebody might write into a name.
pub(crate) const TRICKS: &str =
    "=cmd()|a\n| b ]]> `x` \0 @all #1 [l](http://e.example) www.e.example **b** \u{1b}[2J \u{ffff}";

/// As hostile as the page's, in what means something in these formats.
pub(crate) fn hostile(lang: Lang) -> RunResult {
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
fn the_saved_result_is_strict_json_and_says_nothing_that_was_not_measured() {
    for (name, run) in &RUNS[..3] {
        let run = run(Lang::En);
        let text = json::render(&run).unwrap();
        // JSON has null in place of NaN and infinities: they would come back as something else, or not at all.
        let read = RunResult::from_json(&text).unwrap();
        assert!(read == run, "{name}");
        let shown = shortened(&text);
        for word in ["NaN", "inf"] {
            let mut words = shown.split(|letter: char| !letter.is_alphanumeric());
            assert_eq!(words.find(|found| *found == word), None, "{name}");
        }
        insta::assert_snapshot!(format!("json_{name}"), shown);
    }
}

/// What is long and says little to a reader: packed histograms, and all but one second of the timelines.
fn shortened(text: &str) -> String {
    let mut result: serde_json::Value = serde_json::from_str(text).unwrap();
    for stage in result["stages"].as_array_mut().unwrap() {
        stage["timeline"].as_array_mut().unwrap().truncate(1);
        for distribution in
            stage.as_object_mut().unwrap().values_mut().filter(|value| value["hdr"].is_string())
        {
            distribution["hdr"] = "(packed)".into();
        }
    }
    serde_json::to_string_pretty(&result).unwrap()
}
