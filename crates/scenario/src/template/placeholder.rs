//! `<query>` and `{query}` in one string, replaced in one pass.

use serde_json::Value;

use super::scope::Scope;

/// A placeholder that has no value in this row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing(pub(super) String);

/// The string with its placeholders replaced; one that is nothing but a placeholder becomes the value itself.
pub(super) fn replace(text: &str, scope: &Scope<'_>) -> Result<Value, Missing> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((at, written, name)) = next(rest) {
        match scope.get(name) {
            Some(value) if written.len() == text.len() => return Ok(value.clone()),
            Some(value) => {
                out.push_str(&rest[..at]);
                out.push_str(&as_text(value));
            }
            None if scope.is_missing(name) => return Err(Missing(written.to_owned())),
            None => {
                scope.seen.unknown(written);
                out.push_str(&rest[..at + written.len()]);
            }
        }
        rest = &rest[at + written.len()..];
    }
    out.push_str(rest);
    Ok(Value::String(out))
}

/// Placeholders with a known name, where they have no effect.
pub(super) fn note_ignored(text: &str, scope: &Scope<'_>) {
    let mut rest = text;
    while let Some((at, written, name)) = next(rest) {
        let inside_braces = rest[..at].ends_with('{');
        if !inside_braces && scope.get(name).is_some() {
            scope.seen.ignored(written);
        }
        rest = &rest[at + written.len()..];
    }
}

/// The first placeholder: where it begins, as written, and its name.
fn next(text: &str) -> Option<(usize, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(['<', '{']).map(|at| from + at) {
        let close = if text.as_bytes()[at] == b'<' { '>' } else { '}' };
        let inside = &text[at + 1..];
        let end = inside.find(['<', '>', '{', '}', '\n']).unwrap_or(inside.len());
        let name = &inside[..end];
        if inside[end..].starts_with(close) && is_name(name) {
            return Some((at, &text[at..at + name.len() + 2], name));
        }
        from = at + 1;
    }
    None
}

/// Letters of any script, digits, `_`, `-`, `.` and single spaces inside; not `x > y` or `</b>`.
fn is_name(name: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !name.ends_with(' ')
        && name.chars().all(word)
}

/// A value in the middle of a text: strings as they are, everything else as JSON.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;
    use crate::template::scope::Seen;

    fn replaced(text: &str) -> (Result<Value, Missing>, Vec<String>) {
        let row = json!({ "query": "<user> {user}", "n": 3, "主题": "海", "list": [1, 2] });
        let shared = json!({ "user": "u", "inputs": { "a.b": "x", "k": { "deep": true } } });
        let (fields, seen) = (BTreeSet::from(["gone".to_owned()]), Seen::default());
        let scope = Scope {
            row: row.as_object().unwrap(),
            shared: shared.as_object().unwrap(),
            request_id: &json!("id"),
            fields: &fields,
            seen: &seen,
        };
        let result = replace(text, &scope);
        (result, seen.notices())
    }

    #[test]
    fn placeholders_are_replaced_once_and_keep_the_type_when_alone() {
        let rows = [
            ("<query>", json!("<user> {user}")),
            ("Q: {query}!", json!("Q: <user> {user}!")),
            ("{user}{user}<user>", json!("uuu")),
            ("<n>", json!(3)),
            ("n = {n}", json!("n = 3")),
            ("{list}", json!([1, 2])),
            ("see {list}", json!("see [1,2]")),
            ("<主题>", json!("海")),
            ("<inputs.k>", json!({ "deep": true })),
            ("<inputs.a.b>", json!("x")),
            ("<request_id>", json!("id")),
            ("{{user}", json!("{u")),
            ("<<user>>", json!("<u>")),
            ("a < b and c > d", json!("a < b and c > d")),
            ("{\"json\": {user}}", json!("{\"json\": u}")),
            ("</b>", json!("</b>")),
            ("", json!("")),
        ];
        for (text, expected) in rows {
            let (result, notices) = replaced(text);
            assert_eq!(result, Ok(expected), "{text}");
            assert!(notices.is_empty(), "{text}: {notices:?}");
        }
    }

    #[test]
    fn a_name_that_means_nothing_stays_and_is_noticed() {
        let (result, notices) = replaced("<b>{user}</b> {nobody}");
        assert_eq!(result, Ok(json!("<b>u</b> {nobody}")));
        assert_eq!(notices.len(), 2);
    }

    #[test]
    fn a_field_that_only_other_rows_have_is_missing() {
        assert_eq!(replaced("x <gone>").0, Err(Missing("<gone>".into())));
        assert_eq!(replaced("<model>").0, Err(Missing("<model>".into())));
    }
}
