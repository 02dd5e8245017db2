//! Whether a JSON value holds generated text, without keeping the text: a string, an array of parts, or an object with
//! a text inside.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// `true` when the value holds at least one non-empty string of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Text(pub(super) bool);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor).map(Self)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = bool;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("text, or parts of it")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(!text.is_empty())
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<bool, A::Error> {
        let mut any = false;
        while let Some(part) = parts.next_element::<Text>()? {
            any |= part.0;
        }
        Ok(any)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<bool, A::Error> {
        let mut any = false;
        while let Some(key) = fields.next_key::<String>()? {
            match key.as_str() {
                // The keys under which parts, reasoning details and function calls carry what was generated.
                "text" | "content" | "function" | "name" | "arguments" | "summary" | "refusal" | "input" => {
                    any |= fields.next_value::<Text>()?.0;
                }
                _ => {
                    fields.next_value::<serde::de::IgnoredAny>()?;
                }
            }
        }
        Ok(any)
    }
}
