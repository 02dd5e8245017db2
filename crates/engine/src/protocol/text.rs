//! Whether a JSON value holds generated text, without keeping the text: a string, an array of parts, or an object with
//! a text inside.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::lenient::{Word, nothing};

/// `true` when the value holds at least one non-empty string of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Text(pub(super) bool);

/// What kinds of text the parts of an answer hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Content {
    /// Text of the answer.
    pub(super) answer: bool,
    /// Text of the thinking before it.
    pub(super) thinking: bool,
}

impl Content {
    fn add(&mut self, other: Self) {
        self.answer |= other.answer;
        self.thinking |= other.thinking;
    }

    fn any(self) -> bool {
        self.answer || self.thinking
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Content::deserialize(deserializer).map(|content| Self(content.any()))
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    nothing!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content { answer: !text.is_empty(), thinking: false })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Content, A::Error> {
        let mut content = Content::default();
        while let Some(part) = parts.next_element()? {
            content.add(part);
        }
        Ok(content)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Content, A::Error> {
        let (mut content, mut thinks) = (Content::default(), false);
        while let Some(key) = fields.next_key::<String>()? {
            match key.as_str() {
                // The keys under which parts, reasoning details and function calls carry what was generated.
                "text" | "content" | "function" | "name" | "arguments" | "summary" | "refusal" | "input" => {
                    content.add(fields.next_value()?);
                }
                "thinking" | "reasoning" | "reasoning_content" => {
                    content.thinking |= fields.next_value::<Text>()?.0;
                }
                "type" => thinks = matches!(fields.next_value::<Word>()?.as_str(), "thinking" | "reasoning"),
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        // All the text of a part that thinks is thinking, whatever its key.
        Ok(if thinks { Content { answer: false, thinking: content.any() } } else { content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_text_wherever_it_stands_and_thinking_is_told_apart() {
        let (none, answer) = (Content::default(), Content { answer: true, thinking: false });
        let thinking = Content { answer: false, thinking: true };
        let rows = [
            ("\"\"", none),
            ("\"a\"", answer),
            ("null", none),
            ("1", none),
            ("[]", none),
            ("[\"\",{\"type\":\"text\",\"text\":\"\"}]", none),
            ("[{\"type\":\"text\",\"text\":\"a\"}]", answer),
            ("[{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\"}}]", none),
            ("[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"x\"}]}]", thinking),
            ("[{\"text\":\"x\",\"type\":\"reasoning\"}]", thinking),
            ("[{\"thinking\":\"x\"},\"a\"]", Content { answer: true, thinking: true }),
            ("{\"type\":7,\"text\":\"a\"}", answer),
        ];
        for (json, expected) in rows {
            assert_eq!(serde_json::from_str::<Content>(json).unwrap(), expected, "{json}");
        }
    }
}
