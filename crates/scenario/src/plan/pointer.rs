//! JSON pointers (RFC 6901), with `*` for any index.

use std::fmt;

use serde_json::Value;

/// A place, or several, in a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// A key of an object, or an index of an array.
    Name(String),
    /// Every element of an array.
    Any,
}

/// Why a text is no pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PointerError {
    /// It does not begin with `/`.
    #[error("a JSON pointer begins with `/`")]
    NoSlash,
    /// A `~` that is not `~0` or `~1`.
    #[error("`~` in a JSON pointer is written `~0`, and `/` in a name `~1`")]
    Tilde,
}

impl Pointer {
    /// Reads `/choices/*/text`.
    ///
    /// # Errors
    /// When the text does not begin with `/`, or has a `~` that escapes nothing.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        let names = text.strip_prefix('/').ok_or(PointerError::NoSlash)?;
        names.split('/').map(Step::parse).collect::<Result<_, _>>().map(Self)
    }

    /// Shows every value at this place, in order.
    pub fn visit<'v>(&self, value: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
        walk(&self.0, value, visit);
    }

    /// The first value at this place.
    pub fn first<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        let mut found = None;
        self.visit(value, &mut |value| {
            found.get_or_insert(value);
        });
        found
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| match step {
            Step::Any => f.write_str("/*"),
            Step::Name(name) => write!(f, "/{}", name.replace('~', "~0").replace('/', "~1")),
        })
    }
}

impl Step {
    fn parse(name: &str) -> Result<Self, PointerError> {
        if name == "*" {
            return Ok(Self::Any);
        }
        let escapes = name.split('~').skip(1);
        match escapes.into_iter().all(|rest| rest.starts_with(['0', '1'])) {
            true => Ok(Self::Name(name.replace("~1", "/").replace("~0", "~"))),
            false => Err(PointerError::Tilde),
        }
    }
}

fn walk<'v>(steps: &[Step], value: &'v Value, visit: &mut dyn FnMut(&'v Value)) {
    let Some((step, rest)) = steps.split_first() else { return visit(value) };
    match (step, value) {
        (Step::Any, Value::Array(items)) => items.iter().for_each(|item| walk(rest, item, visit)),
        (Step::Name(name), Value::Object(fields)) => {
            if let Some(value) = fields.get(name) {
                walk(rest, value, visit);
            }
        }
        (Step::Name(index), Value::Array(items)) => {
            if let Some(item) = index.parse().ok().and_then(|index: usize| items.get(index)) {
                walk(rest, item, visit);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pointer_finds_what_it_names_and_a_star_every_element() {
        let value = json!({ "a": [{ "b": 1 }, { "c": 2 }, { "b": 3 }], "x/y": { "~": 4, "": 5 }, "*": 6 });
        let rows = [
            ("/a/0/b", json!([1])),
            ("/a/*/b", json!([1, 3])),
            ("/a/9/b", json!([])),
            ("/a/b", json!([])),
            ("/x~1y/~0", json!([4])),
            ("/x~1y/", json!([5])),
            ("/*", json!([])),
            ("/nothing", json!([])),
        ];
        for (text, expected) in rows {
            let mut found = Vec::new();
            let pointer = Pointer::parse(text).unwrap();
            pointer.visit(&value, &mut |value| found.push(value.clone()));
            assert_eq!(pointer.to_string(), text);
            assert_eq!(Value::from(found), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_pointer_is_refused() {
        for (text, error) in [
            ("", PointerError::NoSlash),
            ("a/b", PointerError::NoSlash),
            ("$.a", PointerError::NoSlash),
            ("/a~", PointerError::Tilde),
            ("/a~2", PointerError::Tilde),
        ] {
            assert_eq!(Pointer::parse(text), Err(error), "{text}");
        }
    }
}
