//! The JSON Schema (draft 2020-12) of the scenario file, for editors: made from the list of keys, so that the two cannot
//! differ. It knows forms and names; what depends on several keys, on files or on variables only [`crate::load()`] knows.

mod value;

use serde_json::{Map, Value, json};

use crate::keys::{Key, Kind, in_section, inherits, sections};

/// Name of the definition of what a profile may hold.
const PROFILE: &str = "profile";

/// The schema of a scenario file.
pub fn schema() -> Value {
    let mut root = Map::new();
    root.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    root.insert("title".into(), "rungs scenario".into());
    root.insert("description".into(), "A load test of a streaming LLM endpoint.".into());
    root.extend(table("", |_| true));
    root.insert("$defs".into(), definitions().into());
    root.into()
}

/// One definition per table of the file, and one for profiles.
fn definitions() -> Map<String, Value> {
    let mut all: Map<String, Value> = sections()
        .into_iter()
        .map(|(section, key)| {
            let mut definition = Map::from_iter([("description".to_owned(), Value::from(key.en))]);
            definition.extend(table(&section, |_| true));
            (section, definition.into())
        })
        .collect();
    all.insert(PROFILE.into(), table("", |key| key.kind != Kind::Profiles).into());
    all
}

/// The schema of one table: its keys in every spelling, and nothing else.
fn table(section: &str, wanted: fn(&Key) -> bool) -> Map<String, Value> {
    let keys: Vec<&Key> = in_section(section).filter(|key| wanted(key)).collect();
    let mut properties = Map::new();
    for key in &keys {
        let Some(schema) = property(key, section) else { continue };
        for alias in key.aliases {
            properties.insert((*alias).to_owned(), older(key, schema.clone()));
        }
        properties.insert(key.name.to_owned(), schema.into());
    }
    let doubles = keys
        .iter()
        .flat_map(|key| key.aliases.iter().map(|alias| json!({ "not": { "required": [key.name, alias] } })));
    let doubles: Vec<Value> = doubles.collect();
    let mut table = Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties.into()),
        ("additionalProperties".to_owned(), false.into()),
    ]);
    if !doubles.is_empty() {
        table.insert("allOf".into(), doubles.into());
    }
    table
}

/// The schema of one key of a section; none for a key that this version refuses whatever it says.
fn property(key: &Key, section: &str) -> Option<Map<String, Value>> {
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let of_value = match key.kind {
        Kind::Later(None) => return None,
        Kind::Section => reference(&key.path_in(section)),
        Kind::Sections => {
            json!({ "type": "array", "minItems": 1, "items": reference(&key.path_in(section)) })
        }
        Kind::Profiles => json!({ "type": "object", "additionalProperties": reference(PROFILE) }),
        kind => value::schema(kind),
    };
    let mut schema = Map::new();
    // A table tells what it is for in its own definition.
    if key.kind != Kind::Section {
        schema.insert("description".into(), key.en.into());
    }
    if let Value::Object(of_value) = of_value {
        schema.extend(of_value);
    }
    let default = key.default.filter(|_| !inherits(section));
    if let Some(default) = default.and_then(value::of_toml) {
        schema.insert("default".into(), default);
    }
    Some(schema)
}

/// The schema of another spelling of a key.
fn older(key: &Key, mut schema: Map<String, Value>) -> Value {
    schema.insert("description".into(), format!("Older spelling of `{}`. {}", key.name, key.en).into());
    schema.insert("deprecated".into(), true.into());
    schema.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_another_spelling_is_the_same_and_deprecated() {
        let schema = schema();
        let target = &schema["$defs"]["target"];
        assert_eq!(target["properties"]["model"]["type"], "string");
        assert_eq!(target["properties"]["model_name"]["deprecated"], true);
        assert_eq!(target["allOf"], json!([{ "not": { "required": ["model", "model_name"] } }]));
    }

    #[test]
    fn the_other_side_has_the_forms_of_the_target_and_no_defaults_of_its_own() {
        let schema = schema();
        let b = &schema["$defs"]["target.b"]["properties"];
        assert_eq!(b["timeouts"]["$ref"], "#/$defs/target.b.timeouts");
        assert_eq!(b["keep_alive"].get("default"), None);
        assert_eq!(schema["$defs"]["target.b.timeouts"]["properties"]["connect"].get("default"), None);
        assert_eq!((b.get("allow"), b.get("b")), (None, None));
    }

    #[test]
    fn keys_to_come_are_absent_unless_they_say_what_happens_anyway() {
        let schema = schema();
        let target = &schema["$defs"]["target"]["properties"];
        assert_eq!(schema["$defs"]["report"]["properties"]["keep_answers"]["const"], false);
        assert_eq!(target.get("tokenizer"), None);
    }
}
