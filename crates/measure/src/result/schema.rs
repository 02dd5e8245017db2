//! The JSON Schema (draft 2020-12) of a saved result: strict, made from the types that are written.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::RunResult;
use crate::{ErrorClass, Flag, Outcome};

/// The schema of a result. Every key is always there; what was not measured is null.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<RunResult>();
    let mut root = Map::from_iter([
        ("$schema".to_owned(), schema.remove("$schema").unwrap_or_default()),
        ("title".to_owned(), "rungs result".into()),
    ]);
    schema.remove("title");
    root.extend(schema.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
    root.into()
}

/// How a request ended.
pub(super) fn outcome(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": outcomes() })
}

/// An error class.
pub(super) fn class(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": ErrorClass::ALL.iter().map(|class| class.name()).collect::<Vec<_>>() })
}

/// Counts by outcome.
pub(super) fn by_outcome(_: &mut SchemaGenerator) -> Schema {
    counts(&json_schema!({ "enum": outcomes() }))
}

/// Counts by error class.
pub(super) fn by_class(_: &mut SchemaGenerator) -> Schema {
    counts(&json_schema!({ "enum": ErrorClass::ALL.iter().map(|class| class.name()).collect::<Vec<_>>() }))
}

/// Counts by flag.
pub(super) fn by_flag(_: &mut SchemaGenerator) -> Schema {
    counts(&json_schema!({ "enum": Flag::ALL.iter().map(|flag| flag.name()).collect::<Vec<_>>() }))
}

/// Counts by HTTP status.
pub(super) fn by_status(_: &mut SchemaGenerator) -> Schema {
    counts(&json_schema!({ "pattern": "^[1-9][0-9]{2}$" }))
}

fn outcomes() -> Vec<&'static str> {
    let failed = ErrorClass::ALL.iter().copied().map(Outcome::Failed);
    [Outcome::Ok, Outcome::Cancelled].into_iter().chain(failed).map(Outcome::name).collect()
}

fn counts(names: &Schema) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": names,
        "additionalProperties": { "type": "integer", "minimum": 0 },
    })
}
