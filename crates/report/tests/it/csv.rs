//! CSV, read back by another reader: the numbers of the result, empty cells for what is absent, and no formulas.

use std::collections::BTreeSet;

use measure::result::{RunResult, StageStatus};
use report::{Lang, csv};

use crate::fixture::{self, HOSTILE};
use crate::outputs::{TRICKS, hostile};

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
