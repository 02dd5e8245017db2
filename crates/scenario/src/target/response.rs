//! `[target.response]`: what stands where in the answers of a custom api.

use std::sync::Arc;

use crate::data::to_json;
use crate::layers::{Node, NodeKind};
use crate::plan::{Api, Format, Mark, Pointer, Response};
use crate::read::Section;

const FORMATS: [(&str, Format); 3] =
    [("sse", Format::Sse), ("ndjson", Format::Ndjson), ("json", Format::Json)];
const POINTER: &str = "a JSON pointer such as \"/choices/*/text\"";
const MARK: &str =
    "{ event = \"end\" }, { data = \"[DONE]\" }, { pointer = \"/done\", equals = true } or a JSON pointer";

/// Reads the description; present exactly when the api is a custom one and nothing is wrong (else it is reported). `api`
/// is none where it could not be told.
pub(super) fn read(target: Section<'_>, api: Option<Api>) -> Option<Arc<Response>> {
    let section = target.section("response");
    let described = if section.is_present() { describe(section) } else { None };
    match (api, section.is_present()) {
        (Some(Api::Custom), true) => described.map(Arc::new),
        (Some(Api::Custom), false) => {
            target.missing(
                "a custom api is described in `[target.response]`, which is missing",
                "say at least `format`, `text` and `done`",
            );
            None
        }
        (Some(api), true) => {
            section.context.problems.error_with_hint(
                &section.place(),
                format!("`[target.response]` describes a custom api, but the api is `{}`", api.name()),
                "write `api = \"custom\"`, or take the table out",
            );
            None
        }
        (Some(_), false) | (None, _) => None,
    }
}

/// Every key is read before anything is given up, so that all problems are reported at once.
fn describe(section: Section<'_>) -> Option<Response> {
    let format = section.choice("format", &FORMATS);
    if section.get("format").is_none() {
        section
            .missing("nothing says how answers are written", "`format` is \"sse\", \"ndjson\" or \"json\"");
    }
    let text = pointers(section, "text");
    if text.as_ref().is_none_or(Vec::is_empty) && section.get("text").is_none_or(is_empty) {
        section.missing(
            "nothing says where the text of an answer stands",
            "write `text = [\"/data/text\"]`: JSON pointers, `*` for any index",
        );
    }
    let done = marks(section, "done");
    if let Some(format) = format {
        check_done(section, format, done.as_deref());
    }
    let (reasoning, error) = (pointers(section, "reasoning"), marks(section, "error"));
    let (usage_output, usage_input) = (pointers(section, "usage_output"), pointers(section, "usage_input"));
    Some(Response {
        format: format?,
        text: text?,
        reasoning: reasoning?,
        done: done?,
        error: error?,
        usage_output: usage_output?,
        usage_input: usage_input?,
    })
}

/// A stream needs a mark of its end, a document has none.
fn check_done(section: Section<'_>, format: Format, done: Option<&[Mark]>) {
    let problems = section.context.problems;
    match (format, section.get("done")) {
        (Format::Json, Some(node)) => problems.error_with_hint(
            &node.key,
            "`done` with `format = \"json\"`: one document is complete when it is there",
            "take it out",
        ),
        (Format::Ndjson, Some(node)) if done.is_some_and(|marks| marks.iter().any(fits_no_line)) => {
            problems.error_with_hint(
                &node.place,
                "`event` or `data` with `format = \"ndjson\"`: a line is a JSON object and has no name",
                "write `{ pointer = \"/done\", equals = true }`",
            );
        }
        (Format::Sse | Format::Ndjson, None) => section.missing(
            "nothing says what ends a streamed answer: a cut one could not be told from a whole one",
            format!("`done` is {MARK}"),
        ),
        (Format::Sse | Format::Ndjson, Some(node)) if is_empty(node) => {
            section.context.expected(node, MARK);
        }
        (Format::Sse | Format::Ndjson, Some(_)) | (Format::Json, None) => {}
    }
}

/// The pointers at a key, one or several; `None` when one of them is wrong (reported).
fn pointers(section: Section<'_>, key: &str) -> Option<Vec<Pointer>> {
    let nodes = section.get(key).map(items).unwrap_or_default();
    let read: Vec<Option<Pointer>> = nodes.iter().map(|node| pointer(section, node)).collect();
    read.into_iter().collect()
}

/// The marks at a key, one or several; `None` when one of them is wrong (reported).
fn marks(section: Section<'_>, key: &str) -> Option<Vec<Mark>> {
    let nodes = section.get(key).map(items).unwrap_or_default();
    let read: Vec<Option<Mark>> = nodes.iter().map(|node| mark(section, node)).collect();
    read.into_iter().collect()
}

fn pointer(section: Section<'_>, node: &Node) -> Option<Pointer> {
    if matches!(node.kind, NodeKind::Table(_) | NodeKind::List(_)) {
        section.context.expected(node, POINTER);
        return None;
    }
    let text = section.context.text(node)?;
    Pointer::parse(text)
        .map_err(|error| section.context.expected_with_hint(node, POINTER, error.to_string()))
        .ok()
}

fn mark(section: Section<'_>, node: &Node) -> Option<Mark> {
    let NodeKind::Table(rows) = &node.kind else {
        return match &node.kind {
            // What an event carries, where a mark of it was meant: `done = "[DONE]"`.
            NodeKind::Text(text) if !text.starts_with('/') && !text.is_empty() => {
                let hint = format!(
                    "a JSON pointer begins with `/`; an event whose data is this text is `{{ data = {text:?} }}`"
                );
                section.context.expected_with_hint(node, MARK, hint);
                None
            }
            NodeKind::Text(_) => pointer(section, node).map(Mark::Present),
            NodeKind::Unreadable => None,
            _ => {
                section.context.expected(node, MARK);
                None
            }
        };
    };
    let text = |name: &str| section.context.text(node.get(name)?).map(str::to_owned);
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    match names.as_slice() {
        ["event"] => text("event").map(Mark::Event),
        ["data"] => text("data").map(Mark::Data),
        ["pointer", "equals"] | ["equals", "pointer"] => {
            let (at, value) = (pointer(section, node.get("pointer")?), scalar(section, node.get("equals")?));
            Some(Mark::Equals { pointer: at?, value: value? })
        }
        names => {
            section.context.expected_with_hint(node, MARK, wrong_mark(names));
            None
        }
    }
}

/// What is wrong with the keys of a mark.
fn wrong_mark(names: &[&str]) -> String {
    let known = |name: &&&str| ["event", "data", "pointer", "equals"].contains(name);
    match names.iter().find(|name| !known(name)) {
        Some(unknown) => format!("a mark has no key `{unknown}`"),
        None if names == ["pointer"] => {
            "`pointer` needs `equals`; for a value that is merely there write the pointer alone".to_owned()
        }
        None if names == ["equals"] => {
            "`equals` needs the `pointer` to the value that is compared".to_owned()
        }
        None if names.is_empty() => "the table is empty".to_owned(),
        None => "a mark is one thing: an event's name, its data, or a value in it; write several as an array"
            .to_owned(),
    }
}

fn scalar(section: Section<'_>, node: &Node) -> Option<serde_json::Value> {
    match node.kind {
        NodeKind::Text(_) | NodeKind::Integer(_) | NodeKind::Float(_) | NodeKind::Boolean(_) => {
            Some(to_json(node))
        }
        NodeKind::Unreadable => None,
        NodeKind::List(_) | NodeKind::Table(_) => {
            section.context.expected(node, "a text, a number, `true` or `false`");
            None
        }
    }
}

/// The elements of an array, or the one value.
fn items(node: &Node) -> &[Node] {
    match &node.kind {
        NodeKind::List(items) => items,
        _ => std::slice::from_ref(node),
    }
}

fn is_empty(node: &Node) -> bool {
    items(node).is_empty()
}

fn fits_no_line(mark: &Mark) -> bool {
    match mark {
        Mark::Event(_) => true,
        Mark::Data(data) => !data.trim_start().starts_with('{'),
        Mark::Equals { .. } | Mark::Present(_) => false,
    }
}
