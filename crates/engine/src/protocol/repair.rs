//! Text that JSON forbids but servers send: broken UTF-8, and escapes of half a surrogate pair (a tokenizer that cut an
//! emoji in two). Both become U+FFFD, as every browser would show them.

/// The text with what JSON forbids replaced, or `None` when there is nothing of that kind in it.
pub(super) fn repaired(data: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(data);
    let fixed = replace_lone_surrogates(&text);
    match (fixed, text) {
        (Some(fixed), _) => Some(fixed),
        (None, std::borrow::Cow::Owned(text)) => Some(text),
        (None, std::borrow::Cow::Borrowed(_)) => None,
    }
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
    fn halves_of_pairs_are_replaced_and_pairs_kept() {
        let rows: &[(&[u8], Option<&str>)] = &[
            (br#""\ud83d\ude42""#, None),
            (br#""a\ud83d""#, Some(r#""a\ufffd""#)),
            (br#""\ude42b""#, Some(r#""\ufffdb""#)),
            (br#""\ud83d\ud83d\ude42""#, Some(r#""\ufffd\ud83d\ude42""#)),
            (br#""\\ud83d""#, None),
            (b"\"\xff\"", Some("\"\u{fffd}\"")),
            (b"plain", None),
        ];
        for (data, expected) in rows {
            assert_eq!(repaired(data).as_deref(), *expected, "{}", String::from_utf8_lossy(data));
        }
    }
}
