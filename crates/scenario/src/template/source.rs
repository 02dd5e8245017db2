//! Where the template stands: a file, the scenario itself, or the default; and what kind it is.

use std::sync::Arc;

use serde_json::Value;

use super::default::{Brings, default_body};
use super::jinja::is_jinja;
use crate::data::{plain_message, refuse_file, to_json};
use crate::diagnostic::Place;
use crate::layers::NodeKind;
use crate::plan::Api;
use crate::read::Section;
use crate::text_file::TextFile;

/// A body before its placeholders are filled in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Template {
    /// JSON with placeholders in its strings.
    Json(Value),
    /// JSON only after rendering.
    Text(String),
}

/// A template and where to point when it is wrong.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) template: Template,
    pub(super) place: Place,
    /// The file it was read from, for line numbers.
    pub(super) file: Option<Arc<TextFile>>,
}

/// Reads `[data] body`; `None` when it is wrong (reported).
pub(super) fn read(data: Section<'_>, api: Api, brings: Brings) -> Option<Source> {
    let Some(node) = data.said("body") else {
        let Some(body) = default_body(api, brings) else {
            data.missing(
                "a custom api needs a body, and none is given",
                "write `body = \"request.json\"` into [data], or the JSON itself",
            );
            return None;
        };
        return Some(Source { template: Template::Json(body), place: data.place(), file: None });
    };
    match &node.kind {
        NodeKind::Table(_) => {
            Some(Source { template: Template::Json(to_json(node)), place: node.place.clone(), file: None })
        }
        NodeKind::Text(text) if text.trim_start().starts_with(['{', '[']) => {
            let template = parse(text).map_err(|error| {
                data.context.problems.error_with_hint(
                    &node.place,
                    format!("the body is not JSON: {error}"),
                    HINT,
                );
            });
            Some(Source { template: template.ok()?, place: node.place.clone(), file: None })
        }
        NodeKind::Text(path) if path.trim().is_empty() => {
            data.context.expected(node, "the path of a template");
            None
        }
        NodeKind::Text(path) => {
            let resolved = data.context.resolve(path);
            let file = TextFile::read(&resolved)
                .map_err(|error| refuse_file(node, path, &resolved, &error, data.context))
                .ok()?;
            from_file(file, data)
        }
        NodeKind::Unreadable => None,
        NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::Boolean(_) | NodeKind::List(_) => {
            data.context.expected(node, "the path of a template, or the template itself,");
            None
        }
    }
}

const HINT: &str =
    "a placeholder stands in a string (`\"<n>\"` takes the value's own type), or is written `{{ n }}`";

fn from_file(file: Arc<TextFile>, data: Section<'_>) -> Option<Source> {
    match parse(&file.text) {
        Ok(template) => {
            let place = Place::File(file.path.clone());
            Some(Source { template, place, file: Some(file) })
        }
        Err(error) => {
            let offset = file.offset(error.line(), error.column());
            let place = Place::Text { file: Arc::clone(&file), span: offset..offset + 1 };
            let message = format!("the body is not JSON: {}", plain_message(&error));
            data.context.problems.error_with_hint(&place, message, HINT);
            None
        }
    }
}

/// JSON if it is JSON; a text with `{{` may become JSON.
fn parse(text: &str) -> Result<Template, serde_json::Error> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(Template::Json(value)),
        Err(_) if is_jinja(text) => Ok(Template::Text(text.to_owned())),
        Err(error) => Err(error),
    }
}
