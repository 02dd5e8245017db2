//! Fills a template in for one row: placeholders at any depth, keys untouched.

use serde_json::Value;

use super::jinja::{self, JinjaError};
use super::placeholder::{self, Missing};
use super::scope::Scope;
use super::source::Template;

/// Why a row cannot be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FillError {
    /// The row has no such field.
    Missing(String),
    /// The template engine refuses.
    Jinja(JinjaError),
    /// The text is no JSON after rendering.
    NotJson(String),
}

/// The template with this row's values.
pub(super) fn fill(template: &Template, scope: &Scope<'_>) -> Result<Value, FillError> {
    match template {
        Template::Json(value) => filled(value, scope),
        Template::Text(text) => {
            placeholder::note_ignored(text, scope);
            let rendered = jinja::render_json(text, &scope.names()).map_err(FillError::Jinja)?;
            scope.seen.mentioned(jinja::mentioned(text));
            serde_json::from_str(&rendered)
                .map_err(|error| FillError::NotJson(crate::data::plain_message(&error)))
        }
    }
}

fn filled(value: &Value, scope: &Scope<'_>) -> Result<Value, FillError> {
    match value {
        Value::String(text) if jinja::is_jinja(text) => {
            placeholder::note_ignored(text, scope);
            scope.seen.mentioned(jinja::mentioned(text));
            jinja::render_string(text, &scope.names()).map(Value::String).map_err(FillError::Jinja)
        }
        Value::String(text) => {
            placeholder::replace(text, scope).map_err(|Missing(written)| FillError::Missing(written))
        }
        Value::Array(items) => {
            items.iter().map(|item| filled(item, scope)).collect::<Result<_, _>>().map(Value::Array)
        }
        Value::Object(rows) => {
            let rows = rows.iter().map(|(key, value)| Ok((key.clone(), filled(value, scope)?)));
            rows.collect::<Result<_, _>>().map(Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
    }
}
