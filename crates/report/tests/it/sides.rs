//! What reports say of the two sides of an A/B run beside their numbers.

use measure::Amount;
use measure::result::{ErrorExample, ErrorLine, RunResult, StopLine};
use measure::stage::Side;
use report::comparison::{self, Comparison};
use report::{Lang, conclusion, warnings};

use crate::fixture;

fn changed(change: impl FnOnce(&mut RunResult)) -> RunResult {
    let mut run = fixture::two_sides(Lang::En);
    change(&mut run);
    run
}

fn said(run: &RunResult) -> Vec<(String, String)> {
    warnings::of_stages(run, Lang::En).into_iter().map(|warning| (warning.code, warning.text)).collect()
}

#[test]
fn a_reference_that_fails_is_warned_of_with_its_classes() {
    let run = changed(|run| {
        let stage = &mut run.against.as_mut().unwrap().stages[1];
        (stage.counts.ok, stage.counts.failed) = (90, 10);
        let example = ErrorExample::default();
        stage.errors = vec![ErrorLine { class: "server_error".into(), count: 10, example }];
    });
    let text = "B: 10 of 100 requests failed (10 `server_error`): A is compared with the others alone";
    assert!(said(&run).contains(&("reference_fails".into(), text.into())), "{:?}", said(&run));
    assert!(said(&changed(|_| ())).iter().all(|(code, _)| code != "reference_fails"));
}

#[test]
fn blocks_that_no_or_few_answers_fit_into_are_warned_of_on_the_side_where_it_is_so() {
    let run = changed(|run| {
        let against = run.against.as_mut().unwrap();
        against.stages[0].counts.started = 0;
        against.stages[1].e2e_ms.p50 = Some(5_000.0);
    });
    let blocks: Vec<_> = said(&run).into_iter().filter(|(code, _)| code == "short_blocks").collect();
    let texts: Vec<&str> = blocks.iter().map(|(_, text)| &text[..44]).collect();
    assert_eq!(
        texts,
        ["B: no request began inside its blocks of 6 s", "B: blocks of 6 s hold few whole answers of 5"]
    );
}

#[test]
fn where_nothing_was_measured_on_both_sides_that_is_what_is_said() {
    let run = changed(|run| {
        run.against.as_mut().unwrap().stages.iter_mut().for_each(|stage| stage.counts.started = 0)
    });
    let text = conclusion::of(&run, [None; 3], Lang::En);
    assert!(text.contains("at no level was anything measured on both"), "{text}");
}

#[test]
fn a_stop_rule_is_said_to_be_broken_on_the_side_that_broke_it() {
    let run = changed(|run| {
        run.stop = Some(StopLine {
            stage: run.stages[1].name.clone(),
            concurrency: Some(20),
            rate: None::<Amount>,
            side: Some(Side::B),
            check: "error_rate <= 30%".into(),
            value: 0.6,
            limit: 0.3,
            at_s: 12.0,
        });
    });
    let text = conclusion::of(&run, [None; 3], Lang::En);
    assert!(text.contains("`error_rate <= 30%` did not hold on B (60% over 10 s)"), "{text}");
}

#[test]
fn a_comparison_says_that_it_shows_a_alone() {
    let runs = [fixture::two_sides(Lang::En), fixture::slower(Lang::En)];
    let text = comparison::conclusion(&Comparison::of(&runs), Lang::En);
    assert!(text.contains("Of the A/B run “") && text.contains("only A is compared"), "{text}");
}
