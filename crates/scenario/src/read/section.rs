//! One table of the merged tree, with typed getters.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use super::context::Context;
use crate::diagnostic::{Place, nearest};
use crate::layers::{Node, NodeKind};
use crate::value::{parse_duration, parse_size};

/// A table that may be absent: then every getter finds nothing.
#[derive(Clone, Copy)]
pub(crate) struct Section<'a> {
    node: Option<&'a Node>,
    pub(crate) context: &'a Context<'a>,
}

impl<'a> Section<'a> {
    /// The table at `node`.
    pub(crate) fn new(node: Option<&'a Node>, context: &'a Context<'a>) -> Self {
        Self { node, context }
    }

    /// The table itself.
    pub(crate) fn node(&self) -> Option<&'a Node> {
        self.node
    }

    /// Whether the table is there.
    pub(crate) fn is_present(&self) -> bool {
        self.node.is_some_and(|node| !node.default)
    }

    /// A table inside this one.
    pub(crate) fn section(&self, key: &str) -> Self {
        Self { node: self.get(key), context: self.context }
    }

    /// The tables of an array of tables.
    pub(crate) fn sections(&self, key: &str) -> Vec<Self> {
        self.list(key).iter().map(|node| Self { node: Some(node), context: self.context }).collect()
    }

    /// Where a problem of the whole table is shown.
    pub(crate) fn place(&self) -> Place {
        self.node.map_or_else(|| self.context.file.clone(), |node| node.place.clone())
    }

    /// The value of a key, default or not.
    pub(crate) fn get(&self, key: &str) -> Option<&'a Node> {
        self.node?.get(key)
    }

    /// The value of a key that somebody wrote.
    pub(crate) fn said(&self, key: &str) -> Option<&'a Node> {
        self.get(key).filter(|node| !node.default)
    }

    /// Of these keys the ones that somebody wrote.
    pub(crate) fn all_said(&self, keys: &[&str]) -> Vec<&'a Node> {
        keys.iter().filter_map(|key| self.said(key)).collect()
    }

    /// Two ways to say one thing in the same place: the second is an error.
    pub(crate) fn at_most_one(&self, keys: &[&str], hint: &str) {
        if let [first, second, ..] = self.all_said(keys).as_slice() {
            let message = format!("`{}` and `{}` together", first.path.name(), second.path.name());
            self.context.problems.error_with_hint(&second.key, message, hint);
        }
    }

    /// Records that something is missing from this table, unless the table itself could not be read.
    pub(crate) fn missing(&self, message: &str, hint: impl Into<String>) {
        let readable = self.node.is_none_or(|node| !matches!(node.kind, NodeKind::Unreadable));
        if readable {
            self.context.problems.error_with_hint(&self.place(), message, hint);
        }
    }

    /// A string.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.context.text(self.get(key)?).map(str::to_owned)
    }

    /// A string with at least one visible character.
    pub(crate) fn visible_text(&self, key: &str) -> Option<String> {
        let node = self.get(key)?;
        let text = self.context.text(node)?;
        if text.trim().is_empty() {
            self.context.expected(node, "a text");
            return None;
        }
        Some(text.to_owned())
    }

    /// A path, resolved; an empty one counts as absent.
    pub(crate) fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).filter(|path| !path.is_empty()).map(|path| self.context.resolve(&path))
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, key: &str) -> Option<bool> {
        let node = self.get(key)?;
        match (&node.kind, node.raw.as_deref()) {
            (NodeKind::Boolean(boolean), _) => Some(*boolean),
            (NodeKind::Text(_), Some("true")) => Some(true),
            (NodeKind::Text(_), Some("false")) => Some(false),
            (NodeKind::Unreadable, _) => None,
            _ => {
                self.context.expected(node, "`true` or `false`");
                None
            }
        }
    }

    /// A whole number in a range.
    pub(crate) fn count(&self, key: &str, range: RangeInclusive<u64>) -> Option<u64> {
        self.count_of(self.get(key)?, range)
    }

    /// A whole number in a range, of a value at hand.
    pub(crate) fn count_of(&self, node: &Node, range: RangeInclusive<u64>) -> Option<u64> {
        let found = match (&node.kind, &node.raw) {
            (NodeKind::Integer(integer), _) => u64::try_from(*integer).ok(),
            (NodeKind::Text(_), Some(raw)) => raw.trim().parse().ok(),
            (NodeKind::Unreadable, _) => return None,
            _ => None,
        };
        let found = found.filter(|number| range.contains(number));
        if found.is_none() {
            let expected = match *range.end() {
                u64::MAX => format!("a whole number of at least {}", range.start()),
                end => format!("a whole number from {} to {end}", range.start()),
            };
            self.context.expected(node, &expected);
        }
        found
    }

    /// A finite number above zero.
    pub(crate) fn positive_number(&self, key: &str) -> Option<f64> {
        self.number_where(key, "a number above 0", |number| number > 0.0)
    }

    /// A finite number of at least zero.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.number_where(key, "a number of at least 0", |number| number >= 0.0)
    }

    fn number_where(&self, key: &str, expected: &str, is_right: fn(f64) -> bool) -> Option<f64> {
        let node = self.get(key)?;
        let found = match (&node.kind, &node.raw) {
            (NodeKind::Integer(integer), _) => Some(*integer as f64),
            (NodeKind::Float(float), _) => Some(*float),
            (NodeKind::Text(_), Some(raw)) => raw.trim().parse().ok(),
            (NodeKind::Unreadable, _) => return None,
            _ => None,
        };
        let found = found.filter(|number| number.is_finite() && is_right(*number));
        if found.is_none() {
            self.context.expected(node, expected);
        }
        found
    }

    /// A share, `"5%"` or `0.05`.
    pub(crate) fn share(&self, key: &str) -> Option<f64> {
        let node = self.get(key)?;
        let share = match &node.kind {
            NodeKind::Text(text) => match text.trim().strip_suffix('%') {
                Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
                None => text.trim().parse().ok(),
            },
            NodeKind::Float(share) => Some(*share),
            NodeKind::Integer(share) => Some(*share as f64),
            NodeKind::Unreadable => return None,
            NodeKind::Boolean(_) | NodeKind::List(_) | NodeKind::Table(_) => None,
        };
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        if share.is_none() {
            self.context.expected(node, "a share such as \"1%\" or 0.01");
        }
        share
    }

    /// A duration; zero is one.
    pub(crate) fn duration(&self, key: &str) -> Option<Duration> {
        self.duration_of(self.get(key)?)
    }

    /// A duration above zero.
    pub(crate) fn positive_duration(&self, key: &str) -> Option<Duration> {
        let node = self.get(key)?;
        let duration = self.duration_of(node)?;
        if duration.is_zero() {
            self.context.expected(node, "a duration above 0");
            return None;
        }
        Some(duration)
    }

    /// A duration above zero, or `"none"`.
    pub(crate) fn duration_or_none(&self, key: &str) -> Option<Duration> {
        match &self.get(key)?.kind {
            NodeKind::Text(text) if text == "none" => None,
            _ => self.positive_duration(key),
        }
    }

    fn duration_of(&self, node: &Node) -> Option<Duration> {
        let found = match (&node.kind, &node.raw) {
            (NodeKind::Integer(_) | NodeKind::Float(_), _) => self.seconds(node),
            (NodeKind::Text(text), raw) => match (parse_duration(text), raw) {
                (Err(_), Some(raw)) => {
                    raw.trim().parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok())
                }
                (parsed, _) => parsed.ok(),
            },
            (NodeKind::Unreadable, _) => return None,
            _ => None,
        };
        if found.is_none() {
            let expected = "a duration such as \"60s\", \"1m30s\" or \"500ms\"";
            self.context.expected_with_hint(node, expected, "a bare number means seconds");
        }
        found
    }

    fn seconds(&self, node: &Node) -> Option<Duration> {
        let seconds = match node.kind {
            NodeKind::Integer(integer) => integer as f64,
            NodeKind::Float(float) => float,
            _ => return None,
        };
        Duration::try_from_secs_f64(seconds).ok().filter(|duration| *duration <= crate::value::LONGEST)
    }

    /// A size in bytes, in a range.
    pub(crate) fn size(&self, key: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let node = self.get(key)?;
        let found = match &node.kind {
            NodeKind::Integer(bytes) => u64::try_from(*bytes).ok(),
            NodeKind::Text(text) => parse_size(text),
            NodeKind::Unreadable => return None,
            NodeKind::Float(_) | NodeKind::Boolean(_) | NodeKind::List(_) | NodeKind::Table(_) => None,
        };
        let found = found.filter(|bytes| range.contains(bytes));
        if found.is_none() {
            let hint = format!("from {} to {} bytes; a bare number means bytes", range.start(), range.end());
            self.context.expected_with_hint(node, "a size such as \"16MiB\"", hint);
        }
        found
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let node = self.get(key)?;
        let text = self.context.text(node)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let quoted: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            let expected = format!("one of {}", quoted.join(", "));
            match nearest(text, words.iter().map(|(word, _)| *word)) {
                Some(near) => {
                    self.context.expected_with_hint(node, &expected, format!("did you mean \"{near}\"?"))
                }
                None => self.context.expected(node, &expected),
            }
        }
        found
    }

    /// The items of an array; none when absent.
    pub(crate) fn list(&self, key: &str) -> &'a [Node] {
        let Some(node) = self.get(key) else { return &[] };
        match &node.kind {
            NodeKind::List(items) => items,
            NodeKind::Unreadable => &[],
            NodeKind::Text(text) if node.raw.is_some() => {
                self.context.expected_with_hint(node, "an array", format!("write `[{text}]`"));
                &[]
            }
            _ => {
                self.context.expected(node, "an array");
                &[]
            }
        }
    }

    /// The rows of a table of anything; none when absent.
    pub(crate) fn rows(&self, key: &str) -> &'a [(String, Node)] {
        let Some(node) = self.get(key) else { return &[] };
        match &node.kind {
            NodeKind::Table(rows) => rows,
            NodeKind::Unreadable => &[],
            _ => {
                self.context.expected(node, "a table");
                &[]
            }
        }
    }
}
