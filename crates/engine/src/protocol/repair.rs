//! What JSON forbids but servers send: broken UTF-8, escapes of half a surrogate pair (a tokenizer that cut an emoji in
//! two), and numbers that are none. The first two become U+FFFD, as every browser would show them, the last `null`.

use std::borrow::Cow;

/// Numbers that JSON does not have, as serializers write them; the longest first.
const NON_FINITE: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// The text with what JSON forbids replaced, or `None` when there is nothing of that kind in it.
pub(super) fn repaired(data: &[u8]) -> Option<String> {
    let mut text = String::from_utf8_lossy(data);
    for replace in [replace_lone_surrogates, replace_non_finite] {
        if let Some(fixed) = replace(&text) {
            text = Cow::Owned(fixed);
        }
    }
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

/// Outside of strings only: in a text the words stay.
fn replace_non_finite(text: &str) -> Option<String> {
    let mut fixed = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = text[at..].find(['"', '-', 'I', 'N']) {
        at += found;
        let rest = &text[at..];
        if rest.starts_with('"') {
            at = end_of_string(text, at);
        } else if let Some(word) = NON_FINITE.iter().find(|word| rest.starts_with(**word)) {
            fixed.push_str(&text[kept..at]);
            fixed.push_str("null");
            at += word.len();
            kept = at;
        } else {
            at += 1;
        }
    }
    (kept > 0).then(|| fixed + &text[kept..])
}

/// Where the string that begins at `start` is over.
fn end_of_string(text: &str, start: usize) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(start + 1) {
        match (escaped, byte) {
            (false, b'"') => return at + 1,
            (false, b'\\') => escaped = true,
            _ => escaped = false,
        }
    }
    text.len()
}

fn replace_lone_surrogates(text: &str) -> Option<String> {
    let mut fixed = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = text[at..].find('\\') {
        let escape = at + found;
        at = match (surrogate(text, escape), surrogate(text, escape + 6)) {
            (Some(Half::High), Some(Half::Low)) => escape + 12,
            (Some(_), _) => {
                fixed.push_str(&text[kept..escape]);
                fixed.push_str("\\ufffd");
                kept = escape + 6;
                kept
            }
            // Skips the escaped character, so that `\\ud800` is read as a backslash and plain text.
            (None, _) => escape + 1 + text[escape + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    (kept > 0).then(|| fixed + &text[kept..])
}

enum Half {
    High,
    Low,
}

/// The half of a pair that an escape at `at` stands for.
fn surrogate(text: &str, at: usize) -> Option<Half> {
    let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
    match u32::from_str_radix(hex, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_and_numbers_that_are_none_are_replaced_and_all_else_kept() {
        let rows: &[(&[u8], Option<&str>)] = &[
            (br#""\ud83d\ude42""#, None),
            (br#""a\ud83d""#, Some(r#""a\ufffd""#)),
            (br#""\ude42b""#, Some(r#""\ufffdb""#)),
            (br#""\ud83d\ud83d\ude42""#, Some(r#""\ufffd\ud83d\ude42""#)),
            (br#""\\ud83d""#, None),
            (b"\"\xff\"", Some("\"\u{fffd}\"")),
            (b"plain", None),
            (br#"{"a":-Infinity,"b":[NaN,Infinity]}"#, Some(r#"{"a":null,"b":[null,null]}"#)),
            (br#"{"NaN":"-Infinity \" NaN","b":-1}"#, None),
            (br#"["NaN \ud83d", NaN]"#, Some(r#"["NaN \ufffd", null]"#)),
            (br#"["no end NaN"#, None),
        ];
        for (data, expected) in rows {
            assert_eq!(repaired(data).as_deref(), *expected, "{}", String::from_utf8_lossy(data));
        }
    }
}
