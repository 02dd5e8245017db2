//! A recorded trace: a JSON object a line, with the time of each request, and its prompt or the length of it.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::files;
use super::rows::{Row, RowPlace};
use super::words::words;
use crate::layers::Node;
use crate::read::Context;

/// Longest prompt that is made up, in words.
const MOST_WORDS: u64 = 1_000_000;

/// What a trace holds: a row per request, and when each starts, counted from the first.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) rows: Vec<Row>,
    pub(super) times: Vec<Duration>,
}

/// Reads the trace that `node` names; empty after a problem.
pub(super) fn read(node: &Node, path: &str, context: &Context<'_>) -> Trace {
    let ending = Path::new(path).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["jsonl", "ndjson"].contains(&ending.to_ascii_lowercase().as_str()) {
        context.expected_with_hint(node, "a `.jsonl` file", "a trace holds one JSON object per line");
        return Trace::default();
    }
    let mut trace = Trace { rows: files::read(node, path, context), times: Vec::new() };
    let stamps: Option<Vec<f64>> = trace.rows.iter().map(|row| timestamp(row, context)).collect();
    make_up_prompts(&mut trace.rows, context);
    as_messages(&mut trace.rows);
    let Some(stamps) = stamps else { return Trace::default() };
    if let Some(back) = stamps.windows(2).position(|pair| pair[1] < pair[0]) {
        let message = format!(
            "this request starts before the one above it ({} after {} ms)",
            stamps[back + 1],
            stamps[back]
        );
        context.problems.error_with_hint(
            &trace.rows[back + 1].place.place(),
            message,
            "sort the trace by `timestamp`",
        );
        return Trace::default();
    }
    let first = stamps.first().copied().unwrap_or_default();
    let after_first = |stamp: &f64| Duration::try_from_secs_f64((stamp - first) / 1e3).unwrap_or_default();
    trace.times = stamps.iter().map(after_first).collect();
    trace
}

fn timestamp(row: &Row, context: &Context<'_>) -> Option<f64> {
    let stamp = row.fields.get("timestamp").and_then(Value::as_f64).filter(|stamp| *stamp >= 0.0);
    if stamp.is_none() {
        let hint = "`{\"timestamp\": 1500, \"prompt\": \"...\"}` starts 1.5 s into the trace";
        context.problems.error_with_hint(&row.place.place(), "this request has no `timestamp` in ms", hint);
    }
    stamp
}

/// A trace is often published without its texts: then prompts of the same length stand in for them.
fn make_up_prompts(rows: &mut [Row], context: &Context<'_>) {
    let mut made_up = 0;
    for (index, row) in rows.iter_mut().enumerate() {
        // The only field of a row is its prompt elsewhere; the time of a request is none.
        if row.fields.get("query") == row.fields.get("timestamp") {
            row.fields.shift_remove("query");
        }
        if row.fields.contains_key("query") || row.fields.contains_key("messages") {
            continue;
        }
        let length = row.fields.get("input_length").and_then(Value::as_u64);
        match length.filter(|length| (1..=MOST_WORDS).contains(length)) {
            Some(length) => {
                made_up += 1;
                row.fields.insert("query".into(), words(index as u64, length).into());
            }
            None => no_prompt(&row.place, context),
        }
    }
    if made_up > 0 {
        context.problems.notice(format!(
            "{made_up} of {} requests of the trace have no prompt: texts of `input_length` words stand in (words, not tokens)",
            rows.len()
        ));
    }
}

/// Where one request of a trace has `messages`, every one has: a prompt is the message of a user.
fn as_messages(rows: &mut [Row]) {
    if !rows.iter().any(|row| row.fields.contains_key("messages")) {
        return;
    }
    for row in rows {
        if let (Some(prompt), false) = (row.fields.shift_remove("query"), row.fields.contains_key("messages"))
        {
            row.fields.insert("messages".into(), json!([{ "role": "user", "content": prompt }]));
        }
    }
}

fn no_prompt(place: &RowPlace, context: &Context<'_>) {
    let hint = format!("it needs `prompt`, `messages`, or an `input_length` of 1 to {MOST_WORDS} words");
    context.problems.error_with_hint(&place.place(), "nothing says what this request sends", hint);
}
