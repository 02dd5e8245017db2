//! TOML values as JSON, keys in the order they were written.

use serde_json::{Map, Number, Value};

use crate::layers::{Node, NodeKind};

/// The value at `node` as JSON.
pub(crate) fn to_json(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Text(text) => Value::String(text.clone()),
        NodeKind::Integer(integer) => Value::Number((*integer).into()),
        NodeKind::Float(float) => Number::from_f64(*float).map_or(Value::Null, Value::Number),
        NodeKind::Boolean(boolean) => Value::Bool(*boolean),
        NodeKind::List(items) => Value::Array(items.iter().map(to_json).collect()),
        NodeKind::Table(rows) => Value::Object(object(rows)),
        NodeKind::Unreadable => Value::Null,
    }
}

/// The rows of a table as a JSON object.
pub(super) fn object(rows: &[(String, Node)]) -> Map<String, Value> {
    rows.iter().map(|(key, node)| (key.clone(), to_json(node))).collect()
}
