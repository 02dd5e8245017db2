//! A table with a header line; quoted fields may hold commas and line breaks.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use csv::{ErrorKind, Position, ReaderBuilder, StringRecord};
use serde_json::{Map, Value};

use super::rows::{Row, RowPlace};
use crate::diagnostic::{Place, Problems};
use crate::text_file::TextFile;

/// Reads every record as strings; blank ones are skipped, broken ones reported.
pub(super) fn read(file: &Arc<TextFile>, problems: &Problems) -> Vec<Row> {
    let mut reader = ReaderBuilder::new().from_reader(file.text.as_bytes());
    let header: Vec<String> = match reader.headers() {
        Ok(header) => header.iter().map(|name| name.trim().to_owned()).collect(),
        Err(error) => {
            refuse(file, &error, problems);
            return Vec::new();
        }
    };
    check_header(file, &header, problems);
    let mut rows = Vec::new();
    for record in reader.records() {
        match record {
            Ok(record) if record.iter().all(|field| field.trim().is_empty()) => {}
            Ok(record) => rows.push(row(file, &header, &record)),
            Err(error) => refuse(file, &error, problems),
        }
    }
    rows
}

fn check_header(file: &Arc<TextFile>, header: &[String], problems: &Problems) {
    let mut seen = BTreeSet::new();
    for name in header {
        if name.is_empty() || !seen.insert(name) {
            let message = match name.is_empty() {
                true => "the header line has a column without a name".to_owned(),
                false => format!("the header line has two columns `{name}`"),
            };
            problems.error(&Place::Text { file: Arc::clone(file), span: file.line(0) }, message);
        }
    }
}

fn row(file: &Arc<TextFile>, header: &[String], record: &StringRecord) -> Row {
    let fields = header.iter().zip(record.iter());
    let fields: Map<String, Value> =
        fields.map(|(name, value)| (name.clone(), Value::String(value.to_owned()))).collect();
    Row::fields(fields, RowPlace::File(Arc::clone(file), span(file, record.position())))
}

fn refuse(file: &Arc<TextFile>, error: &csv::Error, problems: &Problems) {
    let message = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("the header has {expected_len} columns, this line has {len}")
        }
        _ => format!("not CSV: {error}"),
    };
    problems.error(&Place::Text { file: Arc::clone(file), span: span(file, error.position()) }, message);
}

fn span(file: &Arc<TextFile>, position: Option<&Position>) -> Range<usize> {
    let start = position.map_or(0, |position| usize::try_from(position.byte()).unwrap_or(0));
    let breaks =
        file.text[start.min(file.text.len())..].chars().take_while(|c| matches!(c, '\n' | '\r')).count();
    file.line(start + breaks)
}
