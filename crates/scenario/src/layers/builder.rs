//! Turns a spanned TOML table into a layer: canonical keys, known keys only, places kept.
//!
//! What is said wrongly stays in the layer as an unreadable value, so that nobody is also told that it is missing.

use std::borrow::Cow;
use std::ops::Range;

use figment::value::{Dict, Empty, Tag, Value};
use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use super::layer::{Entry, Layer};
use super::unknown::{refuse_later, refuse_unknown};
use crate::diagnostic::{Place, Problems};
use crate::key_path::KeyPath;
use crate::keys::{self, Key, Kind};

/// Where the text that is being read stands.
pub(super) struct Writing<'a> {
    /// Turns a span of the TOML text into a place.
    pub(super) place: &'a dyn Fn(Range<usize>) -> Place,
    /// The value as typed, outside TOML.
    pub(super) raw: Option<String>,
    /// What wrote it, for people.
    pub(super) source: String,
}

/// A key and its value as written.
pub(super) type Row<'a, 'i> = (&'a Spanned<Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

/// Reads a root table into `layer`, over what it has already.
pub(super) fn lay(layer: &mut Layer, table: &DeTable<'_>, writing: &Writing<'_>, problems: &Problems) {
    let order = layer.entries.len();
    let mut values = std::mem::take(&mut layer.values);
    let mut builder = Builder { layer, writing, problems, order, raw: writing.raw.clone() };
    builder.section(table, &KeyPath::default(), "", &mut values);
    layer.values = values;
}

struct Builder<'a> {
    layer: &'a mut Layer,
    writing: &'a Writing<'a>,
    problems: &'a Problems,
    order: usize,
    /// Belongs to the one scalar that was typed; an array's elements were not typed as texts.
    raw: Option<String>,
}

impl Builder<'_> {
    fn section(&mut self, table: &DeTable<'_>, path: &KeyPath, section: &str, into: &mut Dict) {
        let mut written: Vec<(&str, &str)> = Vec::new();
        for (name, value) in in_file_order(table) {
            let Some(key) = keys::find(section, name.get_ref()) else {
                let place = self.place(name.span());
                let meant = refuse_unknown(name.get_ref(), section, &place, self.problems);
                if let Some(meant) = meant.filter(|meant| !into.contains_key(*meant)) {
                    self.enter(&path.key(meant), name.span(), value.span());
                    into.insert(meant.to_owned(), unreadable());
                }
                continue;
            };
            if let Some((_, other)) = written.iter().find(|(canonical, _)| *canonical == key.name) {
                self.problems.error_with_hint(
                    &self.place(name.span()),
                    format!("`{}` and `{other}` are two spellings of one key", name.get_ref()),
                    format!("keep one of them, best `{}`", key.name),
                );
                continue;
            }
            written.push((key.name, name.get_ref()));
            let before = into.remove(key.name);
            if let Some(value) = self.known((key, section), (name, value), &path.key(key.name), before) {
                into.insert(key.name.to_owned(), value);
            }
        }
    }

    /// The value of a known key of a section, if it has any effect; `before` is what an earlier text of the same layer
    /// put there.
    fn known(
        &mut self,
        (key, section): (&Key, &str),
        row: Row<'_, '_>,
        path: &KeyPath,
        before: Option<Value>,
    ) -> Option<Value> {
        let (name, value) = row;
        let inner = key.path_in(section);
        if let Kind::Later(accepted) = key.kind {
            refuse_later(row, accepted, &self.place(name.span()), self.problems);
            return None;
        }
        self.enter(path, name.span(), value.span());
        Some(match (key.kind, value.get_ref()) {
            (Kind::Section, DeValue::Table(table)) => {
                let mut values = match before {
                    Some(Value::Dict(_, values)) => values,
                    _ => Dict::new(),
                };
                self.section(table, path, &inner, &mut values);
                Value::Dict(Tag::Default, values)
            }
            (Kind::Sections, DeValue::Array(items)) => {
                let tables = items.iter().enumerate();
                let tables =
                    tables.map(|(index, item)| self.item(item, &path.index(index), name.span(), &inner));
                Value::Array(Tag::Default, tables.collect())
            }
            (Kind::Section, _) => self.no_table(&inner, value),
            (Kind::Sections, _) => self.expected("an array of tables", value),
            _ => self.value(value, path),
        })
    }

    /// A value where a table is due: the hint shows how the table begins.
    fn no_table(&self, section: &str, value: &Spanned<DeValue<'_>>) -> Value {
        let name = section.rsplit('.').next().unwrap_or(section);
        let first = crate::keys::in_section(section).next().map_or("", |key| key.name);
        self.problems.error_with_hint(
            &self.place(value.span()),
            format!("expected a table for `{name}`, found {}", kind(value.get_ref())),
            format!("write `[{section}]` on a line of its own, and its keys below: `{first} = ...`"),
        );
        unreadable()
    }

    fn item(
        &mut self,
        item: &Spanned<DeValue<'_>>,
        path: &KeyPath,
        key: Range<usize>,
        section: &str,
    ) -> Value {
        self.enter(path, key, item.span());
        let DeValue::Table(table) = item.get_ref() else {
            return self.expected("a table", item);
        };
        let mut values = Dict::new();
        self.section(table, path, section, &mut values);
        Value::Dict(Tag::Default, values)
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, path: &KeyPath) -> Value {
        match value.get_ref() {
            DeValue::String(text) => Value::from(text.to_string()),
            DeValue::Boolean(boolean) => Value::from(*boolean),
            DeValue::Datetime(datetime) => Value::from(datetime.to_string()),
            DeValue::Integer(integer) => self.integer(integer, value.span()),
            DeValue::Float(float) => self.float(float, value.span()),
            DeValue::Array(items) => {
                self.raw = None;
                let items = items.iter().enumerate().map(|(index, item)| {
                    let path = path.index(index);
                    self.enter(&path, item.span(), item.span());
                    self.value(item, &path)
                });
                Value::Array(Tag::Default, items.collect())
            }
            DeValue::Table(table) => {
                let rows = in_file_order(table).into_iter().map(|(name, value)| {
                    let path = path.key(name.get_ref());
                    self.enter(&path, name.span(), value.span());
                    (name.get_ref().to_string(), self.value(value, &path))
                });
                Value::Dict(Tag::Default, rows.collect())
            }
        }
    }

    fn integer(&self, integer: &DeInteger<'_>, at: Range<usize>) -> Value {
        match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(integer) => Value::from(integer),
            Err(_) => {
                self.problems.error(&self.place(at), format!("the number `{integer}` is too large"));
                unreadable()
            }
        }
    }

    fn float(&self, float: &DeFloat<'_>, at: Range<usize>) -> Value {
        match float.as_str().parse::<f64>() {
            Ok(float) if float.is_finite() => Value::from(float),
            _ => {
                self.problems.error(&self.place(at), format!("expected a finite number, found `{float}`"));
                unreadable()
            }
        }
    }

    fn enter(&mut self, path: &KeyPath, key: Range<usize>, value: Range<usize>) {
        self.order += 1;
        let entry = Entry {
            key: self.place(key),
            value: self.place(value),
            raw: self.raw.clone(),
            source: self.writing.source.clone(),
            order: self.order,
        };
        self.layer.entries.insert(path.clone(), entry);
    }

    fn expected(&self, expected: &str, found: &Spanned<DeValue<'_>>) -> Value {
        let message = format!("expected {expected}, found {}", kind(found.get_ref()));
        self.problems.error(&self.place(found.span()), message);
        unreadable()
    }

    fn place(&self, span: Range<usize>) -> Place {
        (self.writing.place)(span)
    }
}

fn unreadable() -> Value {
    Value::Empty(Tag::Default, Empty::None)
}

fn in_file_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<Row<'a, 'i>> {
    let mut rows: Vec<Row<'a, 'i>> = table.iter().collect();
    rows.sort_by_key(|(name, _)| name.span().start);
    rows
}

/// What a value is, in words: "a string", "an integer".
fn kind(value: &DeValue<'_>) -> String {
    let article = match value {
        DeValue::Integer(_) | DeValue::Array(_) => "an",
        _ => "a",
    };
    format!("{article} {}", value.type_str())
}
