//! `${NAME}`, `${NAME:-default}` and `$${` in strings.

use std::collections::BTreeMap;

/// A string after its variables were put in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expanded {
    pub(super) text: String,
    /// The variables it is made of.
    pub(super) variables: Vec<String>,
}

/// Why a string cannot be expanded.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExpandError {
    /// The variable is not set and has no default.
    Unset(String),
    /// `${` is not followed by `NAME}` or `NAME:-default}`.
    Malformed,
}

/// Puts the variables in. A set but empty variable takes the default too, as in a shell.
pub(super) fn expand(text: &str, environment: &BTreeMap<String, String>) -> Result<Expanded, ExpandError> {
    let mut out = String::new();
    let mut variables = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            out.push_str(&rest[..at - 1]);
            out.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        out.push_str(&rest[..at]);
        let (inside, after) = rest[at + 2..].split_once('}').ok_or(ExpandError::Malformed)?;
        out.push_str(&value(inside, environment)?);
        variables.push(inside.split(":-").next().unwrap_or(inside).to_owned());
        rest = after;
    }
    out.push_str(rest);
    Ok(Expanded { text: out, variables })
}

fn value(inside: &str, environment: &BTreeMap<String, String>) -> Result<String, ExpandError> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(ExpandError::Malformed);
    }
    match (environment.get(name), default) {
        (Some(value), None) => Ok(value.clone()),
        (Some(value), Some(_)) if !value.is_empty() => Ok(value.clone()),
        (_, Some(default)) => Ok(default.to_owned()),
        (None, None) => Err(ExpandError::Unset(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_once_and_escapes_are_kept() {
        let environment = [("A", "1"), ("EMPTY", ""), ("NESTED", "${A}")];
        let environment = environment.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let rows = [
            ("plain", Ok(("plain", ""))),
            ("${A}", Ok(("1", "A"))),
            ("x${A}y${A}", Ok(("x1y1", "A A"))),
            ("${B:-two}", Ok(("two", "B"))),
            ("${EMPTY:-d}", Ok(("d", "EMPTY"))),
            ("${EMPTY}", Ok(("", "EMPTY"))),
            ("${NESTED}", Ok(("${A}", "NESTED"))),
            ("$${A}", Ok(("${A}", ""))),
            ("$A", Ok(("$A", ""))),
            ("${B}", Err(ExpandError::Unset("B".into()))),
            ("${A", Err(ExpandError::Malformed)),
            ("${5}", Err(ExpandError::Malformed)),
            ("${}", Err(ExpandError::Malformed)),
        ];
        for (text, expected) in rows {
            let expected = expected.map(|(text, variables)| Expanded {
                text: text.into(),
                variables: variables.split_whitespace().map(str::to_owned).collect(),
            });
            assert_eq!(expand(text, &environment), expected, "{text}");
        }
    }
}
