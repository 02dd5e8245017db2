//! Fields that may hold anything: what does not fit counts as absent, and costs the event nothing else.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::Value;

/// A word: a text that is not empty, or a number as a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word(pub(super) Option<String>);

/// A value of this form, or of any other.
#[derive(Debug, Clone)]
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl Word {
    /// The word; empty when there is none.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::String(text) if !text.is_empty() => Some(text),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(serde_json::from_value(Value::deserialize(deserializer)?).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_another_form_is_absent() {
        #[derive(Deserialize)]
        struct Row {
            #[serde(default)]
            word: Word,
            #[serde(default)]
            list: Maybe<Vec<u8>>,
        }
        let rows = [
            (r#"{"word":"a","list":[1]}"#, Some("a"), Some(vec![1])),
            (r#"{"word":7,"list":[]}"#, Some("7"), Some(vec![])),
            (r#"{"word":"","list":{}}"#, None, None),
            (r#"{"word":null,"list":null}"#, None, None),
            (r#"{"word":["a"],"list":["a"]}"#, None, None),
            ("{}", None, None),
        ];
        for (text, word, list) in rows {
            let row: Row = serde_json::from_str(text).unwrap();
            assert_eq!((row.word.0.as_deref(), row.list.0), (word, list), "{text}");
        }
    }
}
