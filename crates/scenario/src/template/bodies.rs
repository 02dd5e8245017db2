//! Renders every row ahead of the run.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::body::Body;
use super::default::Brings;
use super::fill::{FillError, fill};
use super::finish::{Asked, finish};
use super::scope::{Scope, Seen};
use super::source::{self, Source};
use crate::data::{Row, Settings as Data, shared};
use crate::diagnostic::Place;
use crate::plan::{Api, Format};
use crate::read::Section;
use crate::target::Usage;

/// Every body of a run.
#[derive(Debug)]
pub(crate) struct Rendered {
    /// One per row of the data.
    pub(crate) bodies: Vec<Body>,
    pub(crate) stream: bool,
    /// The model that the bodies name, where they all name the same.
    pub(crate) model: Option<String>,
}

/// What bodies are rendered for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) api: Api,
    /// How a streamed answer is written.
    pub(crate) format: Format,
    pub(crate) model: Option<&'a str>,
    pub(crate) usage: Usage,
}

/// Renders `[data] body` for every row; `None` when something is wrong (reported).
pub(crate) fn render(section: Section<'_>, data: &Data, wanted: Wanted<'_>) -> Option<Rendered> {
    let shared = shared(section, wanted.model);
    let source = source::read(section, wanted.api, Brings::of(data))?;
    let renderer = Renderer {
        fields: data.rows.iter().flat_map(|row| row.fields.keys().cloned()).collect(),
        stand_ins: stand_ins(&source, data, &shared),
        seen: Seen::default(),
        source,
        data,
        shared,
        wanted,
        section,
    };
    renderer.render()
}

struct Renderer<'a> {
    source: Source,
    data: &'a Data,
    shared: Map<String, Value>,
    wanted: Wanted<'a>,
    section: Section<'a>,
    /// Every field that any row has.
    fields: BTreeSet<String>,
    /// Two texts that occur nowhere else, to find where the request id goes, if it goes anywhere.
    stand_ins: Option<[String; 2]>,
    seen: Seen,
}

impl Renderer<'_> {
    fn render(self) -> Option<Rendered> {
        let mut bodies = Vec::with_capacity(self.data.rows.len());
        let mut first: Option<Asked> = None;
        let mut same_model = true;
        for row in &self.data.rows {
            let (body, asked) = self.row(row)?;
            let first = first.get_or_insert_with(|| asked.clone());
            if first.stream != asked.stream {
                let message = "some rows ask for a stream and some do not: their numbers cannot be compared";
                self.section.context.problems.error(&row.place.place(), message);
                return None;
            }
            same_model &= first.model == asked.model;
            bodies.push(body);
        }
        let first = first?;
        let model = first.model.filter(|_| same_model);
        self.notices(model.as_deref());
        Some(Rendered { bodies, stream: first.stream, model })
    }

    fn row(&self, row: &Row) -> Option<(Body, Asked)> {
        let Some([one, other]) = &self.stand_ins else {
            let (rendered, asked) = self.with_id(row, "")?;
            return Some((Body::whole(rendered), asked));
        };
        let (rendered, asked) = self.with_id(row, one)?;
        let body = Body::cut(&rendered, one);
        let (expected, _) = self.with_id(row, other)?;
        if body.with_id(other) != expected.as_bytes() {
            let message = "`request_id` is changed by the template: it can only be put in as it is";
            let hint = "write `{{ request_id }}` or `<request_id>`";
            self.section.context.problems.error_with_hint(&self.source.place, message, hint);
            return None;
        }
        Some((body, asked))
    }

    fn with_id(&self, row: &Row, request_id: &str) -> Option<(String, Asked)> {
        let (shared, fields, seen) = (&self.shared, &self.fields, &self.seen);
        let request_id = &Value::from(request_id);
        let scope = Scope { row: &row.fields, shared, request_id, fields, seen };
        let mut body = fill(&self.source.template, &scope).map_err(|error| self.refuse(row, error)).ok()?;
        let Wanted { api, format, model, usage } = self.wanted;
        match finish(&mut body, api, format, model, usage) {
            Ok(asked) => Some((body.to_string(), asked)),
            Err(message) => {
                self.section.context.problems.error(&self.source.place, message);
                None
            }
        }
    }

    fn refuse(&self, row: &Row, error: FillError) {
        let problems = self.section.context.problems;
        match error {
            FillError::Missing(written) if written.contains("model") => problems.error_with_hint(
                &self.source.place,
                format!("the body needs `{written}`, but no model is configured"),
                "say `model` in [target], or name the model in the body",
            ),
            FillError::Missing(written) => problems.error_with_hint(
                &row.place.place(),
                format!("the body needs `{written}`, which this row does not have"),
                format!("known here: {}", row.fields.keys().cloned().collect::<Vec<_>>().join(", ")),
            ),
            FillError::Jinja(error) => {
                let place = error.line.and_then(|line| self.line(line)).unwrap_or_else(|| self.source.place.clone());
                let names = self.fields.iter().chain(self.shared.keys()).cloned();
                let names: BTreeSet<String> = names.chain(["request_id".to_owned()]).collect();
                let hint = format!("known here: {}", names.into_iter().collect::<Vec<_>>().join(", "));
                problems.error_with_hint(&place, format!("the body cannot be rendered: {}", error.message), hint);
            }
            FillError::NotJson(message) => problems.error_with_hint(
                &self.source.place,
                format!("the body is not JSON after rendering: {message}"),
                "values are escaped for JSON already: put strings as `{{ x }}` without quotes, or inside quotes",
            ),
        }
    }

    /// A line of a template that is rendered as a whole.
    fn line(&self, line: usize) -> Option<Place> {
        let file = self
            .source
            .file
            .as_ref()
            .filter(|_| matches!(self.source.template, source::Template::Text(_)))?;
        let span = file.line(file.offset(line, 1));
        Some(Place::Text { file: std::sync::Arc::clone(file), span })
    }

    fn notices(&self, model: Option<&str>) {
        let problems = self.section.context.problems;
        self.seen.notices().into_iter().for_each(|notice| problems.notice(notice));
        let uses_rows = self.seen.uses_any(&self.fields);
        match (uses_rows, self.data.built_in) {
            (true, true) => problems
                .notice(format!("no prompts are given: {} built-in ones are used", self.data.rows.len())),
            (false, false) => problems.notice("the body uses nothing of the data: every request is the same"),
            (true, false) | (false, true) => {}
        }
        if let (Some(body), Some(target)) = (model, self.wanted.model)
            && body != target
        {
            problems.notice(format!("the body names the model `{body}`: `{target}` of [target] is not sent"));
        }
        if model.is_none() && self.wanted.model.is_none() && self.wanted.api.names_model() {
            problems.notice("no model is named, neither in [target] nor in the body");
        }
    }
}

/// Two texts of a request id's form that neither the template nor the data contains; none if no id is wanted.
fn stand_ins(source: &Source, data: &Data, shared: &Map<String, Value>) -> Option<[String; 2]> {
    let template = match &source.template {
        source::Template::Json(value) => value.to_string(),
        source::Template::Text(text) => text.clone(),
    };
    if !template.contains("request_id") {
        return None;
    }
    let mut texts: Vec<String> =
        data.rows.iter().map(|row| Value::Object(row.fields.clone()).to_string()).collect();
    texts.push(Value::Object(shared.clone()).to_string());
    texts.push(template);
    // The two differ in every character, so that a template that cuts or changes the id gives itself away.
    let free = |form: fn(u64) -> String| {
        (0u64..).map(form).find(|candidate| !texts.iter().any(|text| text.contains(candidate.as_str())))
    };
    let one = free(|number| format!("00000000-0000-4000-8000-{number:012x}"));
    let other = free(|number| format!("ffffffff-ffff-4fff-bfff-{:012x}", u64::MAX >> 16 ^ number));
    one.zip(other).map(|(one, other)| [one, other])
}
