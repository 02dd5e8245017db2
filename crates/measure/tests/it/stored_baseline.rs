//! Baselines as they stand in files, edited by hand: what cannot be is refused by name, what is left out is not there.

use measure::gate::{Baseline, Check, Level, Noise, Reason, Reference, Rule, judge};
use measure::result::RunResult;
use serde_json::{Value, json};

use crate::run::result;

/// The row of the stage in a file.
fn row(file: &mut Value) -> &mut Value {
    &mut file["stages"]["c2"]
}

/// A baseline of one stage as a file, with everything that can stand there.
fn file() -> Value {
    let mut run = result();
    run.stages.truncate(1);
    run.stages[0].name = "c2".to_owned();
    let mut baseline = Baseline::of(&run, "");
    let stage = baseline.stages.get_mut("c2").unwrap();
    stage.standard_errors.insert("ttft.p50".to_owned(), 2.0);
    stage.noise.insert("ttft.p50".to_owned(), Noise { deviation: 1.0, floor: Some(0.02) });
    serde_json::to_value(baseline).unwrap()
}

fn refusal(change: impl Fn(&mut Value)) -> String {
    let mut file = file();
    change(&mut file);
    Baseline::from_json(&file.to_string()).unwrap_err().to_string()
}

#[test]
fn what_was_written_is_read() {
    let file = file();
    let read = Baseline::from_json(&file.to_string()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), file);
}

#[test]
fn a_number_that_no_run_can_have_is_refused_by_stage_and_name() {
    type Row = (fn(&mut Value), &'static str);
    let rows: [Row; 15] = [
        (|row| row["scalars"]["qps"] = json!(-1.5), "holds -1.5 for `qps` of stage c2, expected 0 or more"),
        (
            |row| row["scalars"]["success_rate"] = json!(99),
            "holds 99 for `success_rate` of stage c2, expected a share of 0 to 1",
        ),
        (
            |row| row["distributions"]["ttft"]["p50"] = json!(-3),
            "holds -3 for `ttft.p50` of stage c2, expected 0 or more",
        ),
        (
            |row| row["distributions"]["ttft"]["mean"] = json!(-3),
            "holds -3 for `ttft.mean` of stage c2, expected 0 or more",
        ),
        (
            |row| row["distributions"]["ttft"]["n"] = json!(0),
            "holds 0 for `ttft.n` of stage c2, expected 1 or more, as there are numbers of it",
        ),
        (
            |row| row["distributions"]["ttft"]["max"] = json!(1),
            "holds 1 for `ttft.max` of stage c2, expected no less than `ttft.p999`",
        ),
        (
            |row| row["distributions"]["ttft"]["hdr"] = json!("AAAA"),
            "holds a text that is no histogram for `ttft.hdr` of stage c2, expected an HdrHistogram (V2 deflate, base64)",
        ),
        (
            |row| row["distributions"]["ttft"]["n"] = json!(7),
            "holds a histogram of 2 values for `ttft.hdr` of stage c2, expected as many as `n`, 7",
        ),
        (
            |row| row["standard_errors"]["ttft.p50"] = json!(-0.5),
            "holds -0.5 for `standard_errors.ttft.p50` of stage c2, expected 0 or more",
        ),
        (
            |row| row["noise"]["ttft.p50"]["deviation"] = json!(-1),
            "holds -1 for `noise.ttft.p50.deviation` of stage c2, expected 0 or more",
        ),
        (
            |row| row["noise"]["ttft.p50"]["floor"] = json!(-1),
            "holds -1 for `noise.ttft.p50.floor` of stage c2, expected 0 or more",
        ),
        (|row| row["runs"] = json!(0), "holds 0 for `runs` of stage c2, expected 1 or more"),
        (
            |row| row["distributions"]["ttft"] = json!({}),
            "cannot be read at `ttft` of stage c2: missing field `n`",
        ),
        (
            |row| row["scalars"]["qps"] = json!("fast"),
            "cannot be read at `qps` of stage c2: invalid type: string \"fast\", expected f64",
        ),
        (
            |row| row["standard_errors"]["ttft.p50"] = Value::Null,
            "cannot be read at `standard_errors.ttft.p50` of stage c2: invalid type: null, expected f64",
        ),
    ];
    for (change, said) in rows {
        assert_eq!(refusal(|file| change(row(file))), said);
    }
}

#[test]
fn a_file_of_a_newer_version_or_without_a_stage_is_refused() {
    let newer = refusal(|file| {
        file["schema_version"] = json!(99);
        file["stages"] = json!("another form");
    });
    assert_eq!(newer, "was made by a newer rungs (99, this one reads up to 1)");
    let empty = refusal(|file| file["stages"] = json!({}));
    assert_eq!(empty, "holds no stage, expected at least one under `stages`");
    for text in ["{}", "[]", "", "{\"schema_version\": 1}"] {
        let said = Baseline::from_json(text).unwrap_err().to_string();
        assert!(said.starts_with("is not a baseline: "), "{text}: {said}");
    }
    let endless = file().to_string().replace("\"deviation\":1.0", "\"deviation\":1e999");
    let said = Baseline::from_json(&endless).unwrap_err().to_string();
    assert!(said.contains("number out of range at line 1"), "{said}");
}

#[test]
fn a_number_that_was_left_out_is_not_a_row_that_is_not_there() {
    let run = result();
    let stages = &RunResult { stages: vec![run.stages[0].clone()], ..run.clone() }.stages;
    let stage = &stages[0].name;
    let reason = |text: &str, change: fn(&mut Value)| {
        let mut file = serde_json::to_value(Baseline::of(&run, "")).unwrap();
        change(&mut file["stages"][stage]);
        let baseline = Baseline::from_json(&file.to_string()).unwrap();
        let rule = Rule { check: Check::parse(text).unwrap(), level: Level::Strict, min_change: None };
        let line = judge(&[rule], stages, Some(Reference::Baseline(&baseline))).checks.remove(0);
        (line.reason_code, line.reason.unwrap_or_default())
    };
    type Row = (&'static str, fn(&mut Value), &'static str);
    let rows: [Row; 3] = [
        ("ttft.p50 <= baseline", |row| row["distributions"]["ttft"]["p50"] = Value::Null, "ttft.p50"),
        ("qps >= baseline", |row| row["scalars"]["qps"] = Value::Null, "qps"),
        ("qps >= baseline", |row| drop(row["scalars"].as_object_mut().unwrap().remove("qps")), "qps"),
    ];
    for (text, change, number) in rows {
        let said = format!("the baseline's row for stage {stage} has no `{number}`");
        assert_eq!(reason(text, change), (Some(Reason::NumberNotInBaseline), said));
    }
}
