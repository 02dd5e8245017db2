//! One JSON object (or string) a line.

use std::sync::Arc;

use serde_json::Value;

use super::rows::{Row, RowPlace};
use crate::diagnostic::{Place, Problems};
use crate::text_file::TextFile;

/// Reads every line; blank ones are skipped, broken ones reported.
pub(super) fn read(file: &Arc<TextFile>, problems: &Problems) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = 0;
    // Only `\n` ends a line: U+2028 and its like may stand inside a JSON string.
    for line in file.text.split('\n') {
        let text = line.trim_matches([' ', '\t', '\r']);
        let at = start + (line.len() - line.trim_start_matches([' ', '\t', '\r']).len());
        start += line.len() + 1;
        if text.is_empty() {
            continue;
        }
        let span = at..at + text.len();
        match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(fields)) => {
                rows.push(Row::fields(fields, RowPlace::File(Arc::clone(file), span)))
            }
            Ok(Value::String(prompt)) => {
                rows.push(Row::prompt(&prompt, RowPlace::File(Arc::clone(file), span)))
            }
            Ok(_) => {
                let place = Place::Text { file: Arc::clone(file), span };
                problems.error(&place, "expected a JSON object (or a string) on each line");
            }
            Err(error) => {
                let column = error.column().saturating_sub(1).min(text.len());
                let place = Place::Text { file: Arc::clone(file), span: at + column..at + text.len() };
                problems.error(&place, format!("this line is not JSON: {}", plain_message(&error)));
            }
        }
    }
    rows
}

/// The message of a JSON error without its own idea of line and column.
pub(crate) fn plain_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
