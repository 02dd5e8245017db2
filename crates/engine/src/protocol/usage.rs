//! A usage object, in the spelling of any protocol.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::lenient::Object;

/// Token counts as a server reports them; cumulative ones replace, never add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Generated tokens.
    pub output: Option<u64>,
    /// Prompt tokens.
    pub input: Option<u64>,
    /// Reasoning tokens inside `output`.
    pub reasoning: Option<u64>,
    /// Cached tokens inside `input`.
    pub cached: Option<u64>,
}

impl Usage {
    /// Whether nothing is reported: `{}` and `null` change nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Lays a later report over this one.
    pub fn replace(&mut self, later: Self) {
        self.output = later.output.or(self.output);
        self.input = later.input.or(self.input);
        self.reasoning = later.reasoning.or(self.reasoning);
        self.cached = later.cached.or(self.cached);
    }
}

/// No answer has more tokens: a larger number is a fault, not a count.
const MOST: u64 = 1 << 40;

/// A count (as a number, or as a text of digits), or whatever else stood there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count(pub(super) Option<u64>);

impl Count {
    /// The count that a value is.
    pub(super) fn of(value: &serde_json::Value) -> Self {
        let whole = match value {
            serde_json::Value::String(text) => text.trim().parse().ok(),
            value => value.as_u64().or_else(|| value.as_f64().filter(|f| *f >= 0.0).map(|f| f as u64)),
        };
        Self(whole.filter(|count| *count <= MOST))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&serde_json::Value::deserialize(deserializer)?))
    }
}

#[derive(Deserialize, Default)]
struct Details {
    #[serde(default)]
    reasoning_tokens: Option<Count>,
    #[serde(default)]
    cached_tokens: Option<Count>,
}

impl<'de> Deserialize<'de> for Usage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UsageVisitor)
    }
}

struct UsageVisitor;

impl<'de> Visitor<'de> for UsageVisitor {
    type Value = Usage;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a usage object")
    }

    fn visit_unit<E>(self) -> Result<Usage, E> {
        Ok(Usage::default())
    }

    // Whatever else stands there reports nothing, and costs the event nothing else.
    fn visit_bool<E>(self, _: bool) -> Result<Usage, E> {
        Ok(Usage::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Usage, E> {
        Ok(Usage::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Usage, E> {
        Ok(Usage::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Usage, E> {
        Ok(Usage::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Usage, E> {
        Ok(Usage::default())
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Usage, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Usage::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Usage, A::Error> {
        let mut usage = Usage::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "completion_tokens" | "output_tokens" => usage.output = map.next_value::<Count>()?.0,
                "prompt_tokens" | "input_tokens" => usage.input = map.next_value::<Count>()?.0,
                "cache_read_input_tokens" => usage.cached = map.next_value::<Count>()?.0,
                "completion_tokens_details" | "output_tokens_details" => {
                    let details = map.next_value::<Object<Details>>()?.0.unwrap_or_default();
                    usage.reasoning = details.reasoning_tokens.and_then(|count| count.0);
                }
                "prompt_tokens_details" | "input_tokens_details" => {
                    let details = map.next_value::<Object<Details>>()?.0.unwrap_or_default();
                    usage.cached = details.cached_tokens.and_then(|count| count.0);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(usage)
    }
}
