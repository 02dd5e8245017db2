//! `docs/metrics.md`: its table is the dictionary, and it explains every class and flag there is.

use measure::metric::{Kind, TABLE, Unit};
use measure::{ErrorClass, Flag};

use crate::generated;

const PAGE: &str = "docs/metrics.md";

#[test]
fn the_table_of_metrics_is_fresh() {
    let mut lines =
        vec!["| name | unit | | English | 中文 |".to_owned(), "| --- | --- | --- | --- | --- |".to_owned()];
    lines.extend(TABLE.iter().map(|entry| {
        let unit = match entry.unit {
            Unit::Milliseconds => "ms",
            Unit::Ratio => "share",
            Unit::PerSecond => "1/s",
            Unit::Count => "count",
        };
        let kind = match entry.kind {
            Kind::Scalar => "number",
            Kind::Distribution => "distribution",
        };
        format!("| `{}` | {unit} | {kind} | {} | {} |", entry.name, entry.en, entry.zh)
    }));
    generated::assert_parts_fresh(PAGE, &[("generated: metrics".to_owned(), lines.join("\n"))]);
}

#[test]
fn every_class_and_flag_is_explained() {
    let page = std::fs::read_to_string(generated::path(PAGE)).unwrap();
    for class in ErrorClass::ALL {
        let row = format!("| `{}` | {} |", class.name(), class.group().name());
        assert!(page.contains(&row), "{row}");
    }
    for flag in Flag::ALL {
        let row = format!("| `{}` | ", flag.name());
        assert!(page.contains(&row), "{row}");
    }
}
