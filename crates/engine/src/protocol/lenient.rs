//! Fields of the wrong form cost no more than themselves: where an object, a list or a word is due and something else
//! stands, nothing is read, and the rest of the event still counts.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Visits everything that is neither text, list nor object with one value.
macro_rules! scalars {
    ($value:expr) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($value)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}
pub(super) use scalars;

/// Reads over the rest of a list.
pub(super) fn skip_list<'de, A: SeqAccess<'de>>(mut items: A) -> Result<(), A::Error> {
    while items.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads over the rest of an object.
pub(super) fn skip_object<'de, A: MapAccess<'de>>(mut fields: A) -> Result<(), A::Error> {
    while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// An object of this form, or nothing.
pub(super) struct Object<T>(pub(super) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    scalars!(Object(None));

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_str<E>(self, _: &str) -> Result<Object<T>, E> {
        Ok(Object(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Object<T>, A::Error> {
        skip_list(items).map(|()| Object(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields)).map(|object| Object(Some(object)))
    }
}

/// The objects of this form in a list.
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    scalars!(List::default());

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_str<E>(self, _: &str) -> Result<List<T>, E> {
        Ok(List::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(Object(item)) = items.next_element()? {
            list.extend(item);
        }
        Ok(List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<List<T>, A::Error> {
        skip_object(fields).map(|()| List::default())
    }
}

/// A word; empty when something else stands there.
#[derive(Default)]
pub(super) struct Word(pub(super) String);

impl Word {
    /// The word, unless it is empty.
    pub(super) fn said(self) -> Option<String> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordVisitor).map(Self)
    }
}

struct WordVisitor;

impl<'de> Visitor<'de> for WordVisitor {
    type Value = String;

    scalars!(String::new());

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E>(self, word: &str) -> Result<String, E> {
        Ok(word.to_owned())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<String, A::Error> {
        skip_list(items).map(|()| String::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<String, A::Error> {
        skip_object(fields).map(|()| String::new())
    }
}
