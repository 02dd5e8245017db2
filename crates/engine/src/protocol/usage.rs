//! A usage object, in the spelling of any protocol.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::lenient::{Object, scalars, skip_list};

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

/// A count, or whatever else stood there.
struct Count(Option<u64>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let whole = match &value {
            serde_json::Value::String(digits) => digits.trim().parse().ok(),
            number => number.as_u64().or_else(|| number.as_f64().filter(|f| *f >= 0.0).map(|f| f as u64)),
        };
        Ok(Self(whole.filter(|count| *count <= MOST)))
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

    // Whatever else stands there reports nothing, and costs the event nothing else.
    scalars!(Usage::default());

    fn visit_str<E>(self, _: &str) -> Result<Usage, E> {
        Ok(Usage::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Usage, A::Error> {
        skip_list(items).map(|()| Usage::default())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_whatever_stands_there() {
        let output = |output| Usage { output: Some(output), ..Usage::default() };
        let rows = [
            ("{\"completion_tokens\":5}", output(5)),
            ("{\"output_tokens\":5.0}", output(5)),
            ("{\"completion_tokens\":\"5\"}", output(5)),
            ("{\"completion_tokens\":5,\"completion_tokens_details\":7}", output(5)),
            ("{\"completion_tokens\":-1}", Usage::default()),
            ("{\"completion_tokens\":null}", Usage::default()),
            ("{\"completion_tokens\":[5]}", Usage::default()),
            ("{\"completion_tokens\":18446744073709551615}", Usage::default()),
            ("{}", Usage::default()),
            ("null", Usage::default()),
            ("[{\"completion_tokens\":5}]", Usage::default()),
            ("\"5\"", Usage::default()),
            ("true", Usage::default()),
        ];
        for (json, expected) in rows {
            assert_eq!(serde_json::from_str::<Usage>(json).unwrap(), expected, "{json}");
        }
    }
}
