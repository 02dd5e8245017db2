//! `[data]` as a whole.

use std::time::Duration;

use serde_json::{Map, Value};

use super::order::OrderKind;
use super::prompts::BUILT_IN;
use super::rows::{Row, RowPlace};
use super::trace::Trace;
use super::{files, json, trace};
use crate::digest::of_values;
use crate::layers::{Node, NodeKind};
use crate::read::Section;

/// Everything `[data]` says but the body.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Empty only after a problem.
    pub(crate) rows: Vec<Row>,
    /// Whether the rows are the built-in prompts.
    pub(crate) built_in: bool,
    pub(crate) order: OrderKind,
    pub(crate) seed: u64,
    /// When the requests of a trace start, a row each.
    pub(crate) trace: Option<Vec<Duration>>,
}

impl Settings {
    /// Digest of the rows, in order.
    pub(crate) fn digest(&self) -> String {
        of_values(self.rows.iter().map(|row| Value::Object(row.fields.clone())))
    }
}

/// Reads `[data]`.
pub(crate) fn read(data: Section<'_>) -> Settings {
    const ORDERS: &[(&str, OrderKind)] = &[
        ("round-robin", OrderKind::RoundRobin),
        ("shuffle", OrderKind::Shuffle),
        ("random", OrderKind::Random),
    ];
    data.at_most_one(
        &["query", "queries", "trace"],
        "one prompt is `query`, several are `queries`, recorded ones are a `trace`: keep one of them",
    );
    let trace = read_trace(data);
    let (recorded, times) = trace.map(|trace| (trace.rows, trace.times)).unzip();
    Settings {
        rows: recorded.unwrap_or_else(|| read_rows(data)),
        built_in: data.all_said(&["query", "queries", "trace"]).is_empty(),
        order: data.choice("order", ORDERS).unwrap_or(OrderKind::RoundRobin),
        seed: data.count("seed", 0..=u64::MAX).unwrap_or_default(),
        trace: times,
    }
}

fn read_trace(data: Section<'_>) -> Option<Trace> {
    let node = data.said("trace")?;
    let path = data.visible_text("trace")?;
    Some(trace::read(node, &path, data.context))
}

/// The values that are the same for every request, by name. `model` is the target's.
pub(crate) fn shared(data: Section<'_>, model: Option<&str>) -> Map<String, Value> {
    let mut shared = Map::new();
    for name in ["user", "conversation_id"] {
        shared.insert(name.into(), Value::String(data.text(name).unwrap_or_default()));
    }
    if let Some(model) = model {
        shared.insert("model".into(), Value::String(model.into()));
    }
    shared.insert("files".into(), Value::Array(data.list("files").iter().map(json::to_json).collect()));
    shared.insert("inputs".into(), Value::Object(json::object(data.rows("inputs"))));
    shared.extend(json::object(data.rows("vars")));
    shared
}

fn read_rows(data: Section<'_>) -> Vec<Row> {
    if let Some(node) = data.said("query") {
        return data.visible_text("query").map(|text| Row::prompt(&text, at(node))).into_iter().collect();
    }
    let Some(node) = data.said("queries") else {
        let nowhere = RowPlace::At(data.place());
        return BUILT_IN.iter().map(|text| Row::prompt(text, nowhere.clone())).collect();
    };
    match &node.kind {
        NodeKind::Text(path) if path.trim().is_empty() => {
            data.context.expected(node, "the path of a file");
            Vec::new()
        }
        NodeKind::Text(path) => files::read(node, path, data.context),
        NodeKind::List(items) if items.is_empty() => {
            data.context.expected(node, "at least one prompt");
            Vec::new()
        }
        NodeKind::List(items) => items.iter().filter_map(|item| inline(item, data)).collect(),
        NodeKind::Unreadable => Vec::new(),
        NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::Boolean(_) | NodeKind::Table(_) => {
            data.context.expected(node, "the path of a file or an array of prompts");
            Vec::new()
        }
    }
}

fn inline(item: &Node, data: Section<'_>) -> Option<Row> {
    match &item.kind {
        NodeKind::Text(text) if !text.trim().is_empty() => Some(Row::prompt(text, at(item))),
        NodeKind::Table(rows) if !rows.is_empty() => Some(Row::fields(json::object(rows), at(item))),
        NodeKind::Unreadable => None,
        _ => {
            data.context.expected(item, "a prompt, or a table of variables,");
            None
        }
    }
}

fn at(node: &Node) -> RowPlace {
    RowPlace::At(node.place.clone())
}
