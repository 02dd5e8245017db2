//! A data file by the end of its name: `.jsonl`, `.csv`, else one prompt a line.

use std::path::Path;
use std::sync::Arc;

use super::rows::{Row, RowPlace};
use super::{csv, jsonl};
use crate::diagnostic::Place;
use crate::layers::Node;
use crate::read::Context;
use crate::text_file::{TextError, TextFile};

/// Reads the file that `node` names; problems are recorded.
pub(super) fn read(node: &Node, path: &str, context: &Context<'_>) -> Vec<Row> {
    let resolved = context.resolve(path);
    let file = match TextFile::read(&resolved) {
        Ok(file) => file,
        Err(error) => {
            refuse(node, path, &resolved, &error, context);
            return Vec::new();
        }
    };
    let before = context.problems.is_empty();
    let ending = resolved.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    let rows = match ending.as_str() {
        "jsonl" | "ndjson" => jsonl::read(&file, context.problems),
        "csv" => csv::read(&file, context.problems),
        "json" => {
            let hint = "write one JSON object per line into a `.jsonl` file";
            context.expected_with_hint(node, "a `.txt`, `.jsonl` or `.csv` file", hint);
            return Vec::new();
        }
        _ => lines(&file),
    };
    if rows.is_empty() && before && context.problems.is_empty() {
        context.problems.error(&node.place, format!("the file `{path}` holds no prompt"));
    }
    rows
}

/// Refuses a file that cannot be read: at the key that names it, or at the line that is no text.
pub(crate) fn refuse(node: &Node, path: &str, resolved: &Path, error: &TextError, context: &Context<'_>) {
    match error {
        TextError::NotUtf8 { line, column } => {
            let place = Place::Line { path: resolved.to_owned(), line: *line, column: *column };
            let hint = format!("`{}` names this file; save it as UTF-8", node.path);
            context.problems.error_with_hint(&place, "a byte here is not UTF-8", hint);
        }
        TextError::Unreadable(_) => {
            let hint = format!("it is looked for at `{}`", resolved.display());
            context.problems.error_with_hint(
                &node.place,
                format!("the file `{path}` cannot be used: {error}"),
                hint,
            );
        }
    }
}

fn lines(file: &Arc<TextFile>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in file.text.split('\n') {
        let text = line.strip_suffix('\r').unwrap_or(line);
        if !text.trim().is_empty() {
            rows.push(Row::prompt(text, RowPlace::File(Arc::clone(file), start..start + text.len())));
        }
        start += line.len() + 1;
    }
    rows
}
