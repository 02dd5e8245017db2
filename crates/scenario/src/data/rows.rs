//! One row of data: named values, and where they were written.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::diagnostic::Place;
use crate::text_file::TextFile;

/// Fields that are taken for the prompt when a row has no `query`, in this order.
const QUERY_FIELDS: &[&str] = &["prompt", "question", "text"];

/// The variables of one request.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) fields: Map<String, Value>,
    pub(crate) place: RowPlace,
}

/// Where a row was written.
#[derive(Debug, Clone)]
pub(crate) enum RowPlace {
    /// In a data file, at these bytes.
    File(Arc<TextFile>, Range<usize>),
    /// In the scenario file or outside any file.
    At(Place),
}

impl Row {
    /// A row that is only a prompt.
    pub(super) fn prompt(text: &str, place: RowPlace) -> Self {
        let fields = Map::from_iter([("query".to_owned(), Value::String(text.to_owned()))]);
        Self { fields, place }
    }

    /// A row of fields. Without a `query` field its usual other names, or the only field, are the prompt as well.
    pub(super) fn fields(mut fields: Map<String, Value>, place: RowPlace) -> Self {
        if !fields.contains_key("query") {
            let named = QUERY_FIELDS.iter().find_map(|name| fields.get(*name));
            let only = fields.values().next().filter(|_| fields.len() == 1);
            if let Some(prompt) = named.or(only).cloned() {
                fields.insert("query".into(), prompt);
            }
        }
        Self { fields, place }
    }
}

impl RowPlace {
    /// For a problem with the row.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::File(file, span) => Place::Text { file: Arc::clone(file), span: span.clone() },
            Self::At(place) => place.clone(),
        }
    }
}
