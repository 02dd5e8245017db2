//! The schema of one value. Where a number or a word may stand, a string with `${NAME}` in it may stand as well.

use serde_json::{Map, Number, Value, json};
use toml::de::DeValue;

use crate::keys::Kind;

/// `1m30s`: numbers with units, largest unit first.
const DURATION: &str = concat!(
    r"^\s*",
    r"(([0-9]+\.?[0-9]*|\.[0-9]+)d)?",
    r"(([0-9]+\.?[0-9]*|\.[0-9]+)h)?",
    r"(([0-9]+\.?[0-9]*|\.[0-9]+)m)?",
    r"(([0-9]+\.?[0-9]*|\.[0-9]+)s)?",
    r"(([0-9]+\.?[0-9]*|\.[0-9]+)ms)?",
    r"(([0-9]+\.?[0-9]*|\.[0-9]+)(us|µs))?",
    r"\s*$",
);
/// `50ms..200ms`; that each end is a duration is left to the reader of the file.
const RANGE: &str = r"^[0-9.dhmsuµ ]+\.\.[0-9.dhmsuµ ]+$";
/// `16MiB`.
const SIZE: &str = r"^\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*(KiB|MiB|GiB|kB|KB|MB|GB|B)?\s*$";
/// `5%` or `0.05`.
const SHARE: &str = r"^\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*%?\s*$";
/// `${NAME}`.
const VARIABLE: &str = r"\$\{";

/// The schema of a value of this kind; of anything, for a kind that names other tables.
pub(super) fn schema(kind: Kind) -> Value {
    let text = json!({ "type": "string" });
    match kind {
        Kind::Text | Kind::Path => text,
        Kind::PathOrBoolean => json!({ "type": ["string", "boolean"] }),
        Kind::Duration => any_of([seconds(), duration(), variable()]),
        Kind::DurationOrNone => any_of([seconds(), duration(), json!({ "const": "none" }), variable()]),
        Kind::Pause => any_of([seconds(), duration(), pattern(RANGE), variable()]),
        Kind::Size => any_of([count(), pattern(SIZE), variable()]),
        Kind::Count => any_of([count(), variable()]),
        Kind::Number => any_of([number(), variable()]),
        Kind::Share => {
            any_of([json!({ "type": "number", "minimum": 0, "maximum": 1 }), json!({ "type": "string" })])
        }
        Kind::Boolean => any_of([json!({ "type": "boolean" }), variable()]),
        Kind::Choice(words) => any_of([json!({ "enum": words }), variable()]),
        Kind::Counts => json!({ "type": "array", "minItems": 1, "items": any_of([count(), variable()]) }),
        Kind::Texts => json!({ "type": "array", "items": text }),
        Kind::List => json!({ "type": "array" }),
        Kind::Prompts => {
            let prompt = json!({ "type": ["string", "object"] });
            any_of([text, json!({ "type": "array", "minItems": 1, "items": prompt })])
        }
        Kind::Body => json!({ "type": ["string", "object"] }),
        Kind::Pointers => one_or_more(pointer()),
        Kind::Marks => one_or_more(any_of([pointer(), mark()])),
        Kind::Change => any_of([number(), duration(), pattern(SHARE), variable()]),
        Kind::Headers => json!({ "type": "object", "additionalProperties": text }),
        Kind::Free => json!({ "type": "object" }),
        Kind::Later(Some(accepted)) => json!({ "const": of_toml(accepted) }),
        Kind::Later(None) | Kind::Section | Kind::Sections | Kind::Profiles => json!({}),
    }
}

/// A TOML value as JSON; none for what JSON does not have.
pub(super) fn of_toml(text: &str) -> Option<Value> {
    json_of(DeValue::parse(text).ok()?.get_ref())
}

fn json_of(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(text.as_ref().into()),
        DeValue::Boolean(boolean) => Some((*boolean).into()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::from)
        }
        DeValue::Float(number) => Number::from_f64(number.as_str().parse().ok()?).map(Value::Number),
        DeValue::Array(items) => items.iter().map(|item| json_of(item.get_ref())).collect(),
        DeValue::Table(rows) => {
            let rows =
                rows.iter().map(|(key, value)| Some((key.get_ref().to_string(), json_of(value.get_ref())?)));
            rows.collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        DeValue::Datetime(_) => None,
    }
}

fn any_of(schemas: impl Into<Vec<Value>>) -> Value {
    json!({ "anyOf": schemas.into() })
}

fn pattern(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

fn one_or_more(item: Value) -> Value {
    any_of([item.clone(), json!({ "type": "array", "minItems": 1, "items": item })])
}

/// `/choices/*/text`.
fn pointer() -> Value {
    any_of([pattern("^/"), variable()])
}

/// What tells an event from others, as a table.
fn mark() -> Value {
    let table = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    let text = json!({ "type": "string" });
    let scalar = json!({ "type": ["string", "number", "boolean"] });
    any_of([
        table(json!({ "event": text }), json!(["event"])),
        table(json!({ "data": text }), json!(["data"])),
        table(json!({ "pointer": pointer(), "equals": scalar }), json!(["pointer"])),
    ])
}

/// The shortest duration is a digit and a unit.
fn duration() -> Value {
    json!({ "type": "string", "pattern": DURATION, "minLength": 2 })
}

fn seconds() -> Value {
    number()
}

fn number() -> Value {
    json!({ "type": "number", "minimum": 0 })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn variable() -> Value {
    pattern(VARIABLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{parse_duration, parse_size};

    fn fits(schema: &Value, text: &str) -> bool {
        jsonschema::is_valid(schema, &Value::from(text))
    }

    #[test]
    fn the_pattern_of_durations_and_their_parser_agree() {
        let texts = [
            "90s",
            "1m30s",
            "1500ms",
            "0.5s",
            ".5s",
            "1.s",
            "1d2h3m4s5ms6us",
            "10m",
            "0s",
            " 60s ",
            "3µs",
            "90",
            "-5s",
            "5 s",
            "30s1m",
            "1s1s",
            "",
            "s",
            "1.2.3s",
            "1e3s",
            "５s",
            "none",
        ];
        for text in texts {
            assert_eq!(fits(&duration(), text), parse_duration(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn the_pattern_of_sizes_and_their_parser_agree() {
        for text in ["16MiB", "1.5KiB", "64 KiB", "512", "-1MiB", "16 mebibytes", ""] {
            assert_eq!(fits(&pattern(SIZE), text), parse_size(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn pauses_and_limits_have_their_own_words() {
        assert!(fits(&schema(Kind::Pause), "50ms..200ms") && !fits(&schema(Kind::Duration), "50ms..200ms"));
        assert!(fits(&schema(Kind::DurationOrNone), "none") && !fits(&schema(Kind::Duration), "none"));
        assert!(fits(&schema(Kind::Duration), "${LIMIT:-20s}"));
    }
}
