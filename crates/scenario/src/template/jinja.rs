//! `{{ ... }}`: strings and whole texts rendered by minijinja, strictly.

use std::collections::BTreeSet;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde_json::{Map, Value};

/// Why a template could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JinjaError {
    pub(super) message: String,
    /// 1-based line of the template, where known.
    pub(super) line: Option<usize>,
}

/// Whether a text is meant for minijinja.
pub(super) fn is_jinja(text: &str) -> bool {
    text.contains("{{")
}

/// The names that a template mentions.
pub(super) fn mentioned(text: &str) -> BTreeSet<String> {
    let environment = environment();
    let Ok(template) = environment.template_from_str(text) else { return BTreeSet::new() };
    template.undeclared_variables(false).into_iter().collect()
}

/// A string of the body: the result is a string.
pub(super) fn render_string(text: &str, names: &Map<String, Value>) -> Result<String, JinjaError> {
    render(&environment(), text, names)
}

/// A body that is JSON only after rendering: values are escaped for where they stand, inside quotes or not.
pub(super) fn render_json(text: &str, names: &Map<String, Value>) -> Result<String, JinjaError> {
    let mut environment = environment();
    // A value is written as NUL JSON NUL. No NUL can stand in JSON, so the marks are the formatter's own.
    environment.set_formatter(|out, _, value| {
        let json = serde_json::to_string(value).map_err(|error| {
            minijinja::Error::new(minijinja::ErrorKind::BadSerialization, error.to_string())
        })?;
        out.write_fmt(format_args!("\0{json}\0")).map_err(minijinja::Error::from)
    });
    if text.contains('\0') {
        return Err(JinjaError { message: "the template has a NUL character".into(), line: None });
    }
    Ok(put_together(&render(&environment, text, names)?))
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // A prompt is sent as written, its last line break included.
    environment.set_syntax(SyntaxConfig::builder().keep_trailing_newline(true).build().unwrap_or_default());
    environment
}

fn render(
    environment: &Environment<'_>,
    text: &str,
    names: &Map<String, Value>,
) -> Result<String, JinjaError> {
    let template = environment.template_from_str(text).map_err(|error| describe(&error, &BTreeSet::new()))?;
    template.render(Serde(names)).map_err(|error| {
        let unknown: BTreeSet<String> =
            template.undeclared_variables(true).into_iter().filter(|path| !is_defined(path, names)).collect();
        describe(&error, &unknown)
    })
}

fn is_defined(path: &str, names: &Map<String, Value>) -> bool {
    let mut keys = path.split('.');
    let first = keys.next().and_then(|name| names.get(name));
    first.is_some_and(|value| keys.try_fold(value, |value, key| value.get(key)).is_some())
}

fn describe(error: &minijinja::Error, unknown: &BTreeSet<String>) -> JinjaError {
    let names: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
    let message = match (error.kind(), names.is_empty()) {
        (minijinja::ErrorKind::UndefinedError, false) => format!("{} names nothing", names.join(", ")),
        _ => match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        },
    };
    JinjaError { message, line: error.line() }
}

/// Joins literal text and marked values, the values escaped for where they stand.
fn put_together(rendered: &str) -> String {
    let mut out = String::new();
    let mut in_string = false;
    for (index, part) in rendered.split('\0').enumerate() {
        match (index % 2 == 1, in_string) {
            (false, _) => {
                in_string = ends_in_string(part, in_string);
                out.push_str(part);
            }
            (true, false) => out.push_str(part),
            (true, true) => out.push_str(&inside_quotes(part)),
        }
    }
    out
}

fn ends_in_string(literal: &str, mut in_string: bool) -> bool {
    let mut escaped = false;
    for c in literal.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
    }
    in_string
}

/// A JSON value as the inside of a JSON string: a string loses its quotes, anything else is escaped as text.
fn inside_quotes(json: &str) -> String {
    let quoted = if json.starts_with('"') { json.to_owned() } else { Value::from(json).to_string() };
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> Map<String, Value> {
        json!({ "q": "say \"hi\"\\\n{{ n }}", "n": 3, "list": ["a"], "inputs": { "k": "v" } })
            .as_object()
            .unwrap()
            .clone()
    }

    #[test]
    fn values_are_escaped_for_where_they_stand() {
        let rows = [
            (r#"{"n": {{ n }}, "q": {{ q }}}"#, json!({ "n": 3, "q": "say \"hi\"\\\n{{ n }}" })),
            (r#"{"q": "<{{ q }}>"}"#, json!({ "q": "<say \"hi\"\\\n{{ n }}>" })),
            (r#"{"l": {{ list }}, "t": "{{ list }}"}"#, json!({ "l": ["a"], "t": "[\"a\"]" })),
            (r#"{"a\"": "{{ n }}"}"#, json!({ "a\"": "3" })),
            (r#"[{% for x in list %}{{ x }}{% endfor %}]"#, json!(["a"])),
            (
                r#"{"u": "{{ q | upper }}", "n": {{ n + 1 }}}"#,
                json!({ "u": "SAY \"HI\"\\\n{{ N }}", "n": 4 }),
            ),
        ];
        for (text, expected) in rows {
            let rendered = render_json(text, &names()).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&rendered).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn an_unknown_name_is_named() {
        let rows = [
            ("{{ nobody }}", "`nobody` names nothing"),
            ("{{ inputs.gone }}", "`inputs.gone` names nothing"),
            ("{{ q", "syntax error: unexpected end of input, expected end of variable block"),
        ];
        for (text, expected) in rows {
            assert_eq!(render_string(text, &names()).unwrap_err().message, expected, "{text}");
        }
        assert_eq!(render_string("{{ q }}", &names()).unwrap(), "say \"hi\"\\\n{{ n }}");
    }
}
