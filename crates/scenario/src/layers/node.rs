//! The merged tree: values with their places, variables put in.

use std::collections::BTreeMap;

use figment::value::{Dict, Value};

use super::expand::{ExpandError, expand};
use super::layer::{Entry, Layer, Origin};
use crate::diagnostic::{Place, Problems};
use crate::key_path::KeyPath;

/// One value of the merged tree.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) path: KeyPath,
    /// Place of the key.
    pub(crate) key: Place,
    /// Place of the value.
    pub(crate) place: Place,
    pub(crate) kind: NodeKind,
    /// The value as a text, where it can also be read as one: typed outside TOML, or made of variables.
    pub(crate) raw: Option<String>,
    /// The variables of its `${NAME}`s. With any of them it must not be shown.
    pub(crate) variables: Vec<String>,
    /// What wrote it, for people.
    pub(crate) source: String,
    /// Whether it is only the default.
    pub(crate) default: bool,
}

/// What stands there.
#[derive(Debug, Clone)]
pub(crate) enum NodeKind {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
    /// A variable is missing: reported already.
    Unreadable,
}

/// What a tree is built from.
pub(crate) struct Ground<'a> {
    /// From weak to strong.
    pub(crate) layers: &'a [Layer],
    pub(crate) environment: &'a BTreeMap<String, String>,
    pub(crate) problems: &'a Problems,
    /// Place of what stands nowhere.
    pub(crate) nowhere: Place,
}

impl Node {
    /// The root of the merged values.
    pub(crate) fn root(values: Dict, ground: &Ground<'_>) -> Self {
        Self::build(Value::from(values), KeyPath::default(), ground)
    }

    /// The text of a string; `None` for anything else.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key, if this is a table that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match &self.kind {
            NodeKind::Table(rows) => rows.iter().find(|(key, _)| key == name).map(|(_, node)| node),
            _ => None,
        }
    }

    fn build(value: Value, path: KeyPath, ground: &Ground<'_>) -> Self {
        let is_table = matches!(value, Value::Dict(..));
        let written = ground.written(&path, is_table);
        let (entry, origin) = match written {
            Some((entry, origin)) => (Some(entry), Some(origin)),
            None => (None, None),
        };
        let place = entry.map_or_else(|| ground.nowhere.clone(), |entry| entry.value.clone());
        let mut node = Self {
            key: entry.map_or_else(|| ground.nowhere.clone(), |entry| entry.key.clone()),
            raw: entry.and_then(|entry| entry.raw.clone()),
            variables: Vec::new(),
            source: entry.map(|entry| entry.source.clone()).unwrap_or_default(),
            default: origin.is_none_or(|origin| *origin == Origin::Defaults),
            kind: NodeKind::Unreadable,
            place,
            path,
        };
        node.kind = node.kind_of(value, origin, ground);
        node
    }

    fn kind_of(&mut self, value: Value, origin: Option<&Origin>, ground: &Ground<'_>) -> NodeKind {
        match value {
            Value::String(_, text) if origin == Some(&Origin::Environment) => NodeKind::Text(text),
            Value::String(_, text) => self.expanded(text, ground),
            Value::Char(_, c) => NodeKind::Text(c.into()),
            Value::Bool(_, boolean) => NodeKind::Boolean(boolean),
            Value::Num(_, number) => match number.to_i128().and_then(|integer| i64::try_from(integer).ok()) {
                Some(integer) => NodeKind::Integer(integer),
                None => NodeKind::Float(number.to_f64().unwrap_or(f64::NAN)),
            },
            Value::Empty(..) => NodeKind::Unreadable,
            Value::Array(_, items) => {
                let items = items.into_iter().enumerate();
                NodeKind::List(
                    items.map(|(at, item)| Self::build(item, self.path.index(at), ground)).collect(),
                )
            }
            Value::Dict(_, rows) => {
                let mut rows: Vec<(String, Self)> = rows
                    .into_iter()
                    .map(|(name, value)| {
                        let node = Self::build(value, self.path.key(&name), ground);
                        (name, node)
                    })
                    .collect();
                rows.sort_by_key(|(_, node)| ground.rank(&node.path));
                NodeKind::Table(rows)
            }
        }
    }

    fn expanded(&mut self, text: String, ground: &Ground<'_>) -> NodeKind {
        if !text.contains("${") {
            return NodeKind::Text(text);
        }
        match expand(&text, ground.environment) {
            Ok(expanded) => {
                if !expanded.variables.is_empty() {
                    self.raw = Some(expanded.text.clone());
                }
                self.variables = expanded.variables;
                NodeKind::Text(expanded.text)
            }
            Err(ExpandError::Unset(variable)) => {
                ground.problems.error_with_hint(
                    &self.place,
                    format!("`{}` needs the variable `{variable}`, which is not set", self.path),
                    format!("export it, or write `${{{variable}:-default}}`"),
                );
                NodeKind::Unreadable
            }
            Err(ExpandError::Malformed) => {
                ground.problems.error_with_hint(
                    &self.place,
                    format!("`{}` has a `${{` that names no variable", self.path),
                    "write `${NAME}` or `${NAME:-default}`; a literal `${` is `$${`",
                );
                NodeKind::Unreadable
            }
        }
    }
}

impl<'a> Ground<'a> {
    /// Who wrote the value at `path`: the strongest layer; for a table the weakest that a person wrote, which is
    /// where one would look for it.
    fn written(&self, path: &KeyPath, table: bool) -> Option<(&'a Entry, &'a Origin)> {
        let mut found =
            self.layers.iter().filter_map(|layer| Some((layer.entries.get(path)?, &layer.origin)));
        match table {
            true => found.find(|(_, origin)| **origin != Origin::Defaults),
            false => found.next_back(),
        }
    }

    fn rank(&self, path: &KeyPath) -> usize {
        let ranks = self.layers.iter().filter(|layer| layer.origin != Origin::Defaults);
        ranks
            .filter_map(|layer| layer.entries.get(path))
            .map(|entry| entry.order)
            .next()
            .unwrap_or(usize::MAX)
    }
}
