//! Fields that may hold anything: what does not fit counts as absent, and costs the event nothing else.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A word: a text that is not empty, or a number as a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word(pub(super) Option<String>);

/// An object. An array is none, although its elements could be taken for fields in order.
#[derive(Debug, Clone)]
pub(super) struct Object<T>(pub(super) Option<T>);

/// The objects of an array.
#[derive(Debug, Clone)]
pub(super) struct Objects<T>(pub(super) Vec<T>);

impl Word {
    /// The word; empty when there is none.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for Objects<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// A value of any form that reports nothing.
macro_rules! nothing {
    ($($visit:ident: $value:ty),*) => {
        $(fn $visit<E>(self, _: $value) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        })*

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }
    };
}

pub(super) use nothing;

struct WordVisitor;

impl<'de> Visitor<'de> for WordVisitor {
    type Value = Word;

    nothing!(visit_bool: bool);

    fn visit_str<E>(self, text: &str) -> Result<Word, E> {
        Ok(Word((!text.is_empty()).then(|| text.to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Word, E> {
        Ok(Word(Some(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Word, E> {
        Ok(Word(Some(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Word, E> {
        Ok(Word(Some(number.to_string())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Word, A::Error> {
        skip_items(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Word, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Word(None))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Object<T>, A::Error> {
        skip_items(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(|object| Object(Some(object)))
    }
}

struct ObjectsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectsVisitor<T> {
    type Value = Objects<T>;

    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Objects<T>, A::Error> {
        let mut objects = Vec::new();
        while let Some(item) = items.next_element::<Object<T>>()? {
            objects.extend(item.0);
        }
        Ok(Objects(objects))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Objects<T>, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Objects::default())
    }
}

fn skip_items<'de, T: Default, A: SeqAccess<'de>>(mut items: A) -> Result<T, A::Error> {
    while items.next_element::<IgnoredAny>()?.is_some() {}
    Ok(T::default())
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordVisitor)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Objects<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectsVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Row {
        #[serde(default)]
        word: Word,
        #[serde(default)]
        one: Object<Inner>,
        #[serde(default)]
        many: Objects<Inner>,
    }

    #[derive(Deserialize)]
    struct Inner {
        #[serde(default)]
        n: Word,
    }

    #[test]
    fn a_field_of_another_form_is_absent() {
        let rows = [
            (r#"{"word":"a","one":{"n":1},"many":[{"n":1},null,{"n":2},["x"]]}"#, Some("a"), true, 2),
            (r#"{"word":7,"one":{},"many":[]}"#, Some("7"), true, 0),
            (r#"{"word":1.5,"one":["x"],"many":{"a":[1]}}"#, Some("1.5"), false, 0),
            (r#"{"word":"","one":"x","many":"x"}"#, None, false, 0),
            (r#"{"word":null,"one":null,"many":null}"#, None, false, 0),
            (r#"{"word":["a"],"one":-7,"many":true}"#, None, false, 0),
            (r#"{"word":{"a":{}},"one":1.5,"many":7}"#, None, false, 0),
            (r#"{"word":true}"#, None, false, 0),
            ("{}", None, false, 0),
        ];
        for (text, word, one, many) in rows {
            let row: Row = serde_json::from_str(text).unwrap();
            assert_eq!(
                (row.word.0.as_deref(), row.one.0.is_some(), row.many.0.len()),
                (word, one, many),
                "{text}"
            );
            assert!(row.many.0.iter().all(|inner| inner.n.0.is_some()), "{text}");
        }
    }
}
