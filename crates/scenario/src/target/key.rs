//! One API key: trimmed, without scheme, fit for a header. Its text never gets into a message.

use crate::Secret;

/// Why a text is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyProblem {
    /// Nothing is left after trimming.
    Empty,
    /// A character that no key has, at this 1-based place.
    Stray { what: &'static str, at: usize },
}

/// Trims, takes off `Bearer ` in any case, and checks what is left.
pub(super) fn parse_key(text: &str) -> Result<Secret, KeyProblem> {
    let mut key = text.trim();
    while let Some(rest) = without_scheme(key) {
        key = rest.trim_start();
    }
    if key.is_empty() {
        return Err(KeyProblem::Empty);
    }
    for (index, c) in key.chars().enumerate() {
        if let Some(what) = stray(c) {
            return Err(KeyProblem::Stray { what, at: index + 1 });
        }
    }
    Ok(Secret::new(key))
}

impl KeyProblem {
    /// The problem as a sentence about `source`, which names where the key came from.
    pub(super) fn sentence(&self, source: &str) -> String {
        match self {
            Self::Empty => format!("the key from {source} is empty"),
            Self::Stray { what, at } => format!("the key from {source} has {what} in it (character {at})"),
        }
    }
}

fn without_scheme(key: &str) -> Option<&str> {
    let scheme = key.get(.."bearer".len())?;
    let rest = &key["bearer".len()..];
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (scheme.eq_ignore_ascii_case("bearer") && ends).then_some(rest)
}

fn stray(c: char) -> Option<&'static str> {
    match c {
        '\n' | '\r' => Some("a line break"),
        c if c.is_whitespace() => Some("white space"),
        c if c.is_control() => Some("a control character"),
        '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' => {
            Some("an invisible character")
        }
        c if !c.is_ascii() => Some("a character outside ASCII"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_trimmed_and_lose_their_scheme_and_nothing_else_is_forgiven() {
        let stray = |what, at| Err(KeyProblem::Stray { what, at });
        let rows = [
            ("sk-T", Ok("sk-T")),
            ("sk-T\n", Ok("sk-T")),
            ("sk-T\r\n", Ok("sk-T")),
            (" sk-T ", Ok("sk-T")),
            ("Bearer sk-T", Ok("sk-T")),
            ("bearer   sk-T", Ok("sk-T")),
            ("Bearer BEARER sk-T", Ok("sk-T")),
            ("bearer-token", Ok("bearer-token")),
            ("", Err(KeyProblem::Empty)),
            (" \n", Err(KeyProblem::Empty)),
            ("Bearer ", Err(KeyProblem::Empty)),
            ("sk-T\nX", stray("a line break", 5)),
            ("sk T", stray("white space", 3)),
            ("sk-T\u{200b}", stray("an invisible character", 5)),
            ("\u{feff}sk-T", stray("an invisible character", 1)),
            ("sk-T\u{7}", stray("a control character", 5)),
            ("密钥", stray("a character outside ASCII", 1)),
        ];
        for (text, expected) in rows {
            let found = parse_key(text);
            assert_eq!(found.as_ref().map(Secret::expose), expected.as_ref().map(|key| *key), "{text:?}");
        }
    }
}
