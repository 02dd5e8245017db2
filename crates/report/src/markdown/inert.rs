//! Texts of others in Markdown: shown as they are, and never a table's border, a tag, a link, a mention or a reference.

use crate::plain;

/// Invisible, and breaks what a forge would make a link or a mention of after it has rendered the text.
const BREAK: &str = "&#8203;";

/// A name, a path, a check: as code, where nothing has a meaning. Where the code itself could end too early, as text.
pub(super) fn code(text: &str) -> String {
    let line = plain::one_line(text);
    match line.trim().is_empty() || line.contains(['`', '|', '\\']) {
        true => plain_text(&line),
        false => format!("`{}`", line.trim()),
    }
}

/// A sentence. What stands in it between backticks stays code.
pub(super) fn prose(text: &str) -> String {
    let line = plain::one_line(text.trim());
    let parts: Vec<&str> = line.split('`').collect();
    // Backticks that do not pair mean nothing.
    if parts.len().is_multiple_of(2) {
        return plain_text(&line);
    }
    let part = |(index, part): (usize, &&str)| match index {
        0 => plain_text(part),
        index if index.is_multiple_of(2) => inline(part),
        _ => code(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// A number of our own, such as `>99.9%` or `0 ~> 100`.
pub(super) fn escaped(number: String) -> String {
    number.replace('<', "&lt;").replace('>', "&gt;")
}

/// As [`inline()`], at the begin of a line: one with a number and a dot, or with a dash, would be an item of a list.
fn plain_text(line: &str) -> String {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = &line[..line.len() - rest.len()];
    match rest.chars().next().filter(|letter| is_harmless(*letter)) {
        Some(letter) => format!("{number}{}{}", reference(letter), inline(&rest[letter.len_utf8()..])),
        None => inline(line),
    }
}

/// Every character that could mean something as a reference to itself.
fn inline(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter.is_ascii_punctuation() && !is_harmless(letter) {
            true => text.push_str(&reference(letter)),
            false => text.push(letter),
        }
        if is_linked(letter, letters.peek().copied()) || ends_with_www(&text) {
            text.push_str(BREAK);
        }
    }
    text
}

fn reference(letter: char) -> String {
    format!("&#{};", u32::from(letter))
}

/// Punctuation of sentences and numbers, which begins nothing inside a line.
fn is_harmless(letter: char) -> bool {
    matches!(letter, '.' | ',' | ';' | ':' | '\'' | '"' | '(' | ')' | '/' | '?' | '%' | '-' | '+' | '=')
}

/// Whether a forge makes a link of what follows: a person, an issue, a merge request, a label, a milestone, an address.
fn is_linked(letter: char, next: Option<char>) -> bool {
    let Some(next) = next else { return false };
    match letter {
        '@' | '#' | '!' | '$' | '~' | '%' | '&' | '^' => {
            next.is_alphanumeric() || matches!(next, '"' | '_' | '-')
        }
        ':' => next.is_alphabetic() || next == '/',
        _ => false,
    }
}

fn ends_with_www(text: &str) -> bool {
    let letters = text.as_bytes();
    letters.len().checked_sub(4).is_some_and(|from| letters[from..].eq_ignore_ascii_case(b"www."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_meaning_stays_as_it_is() {
        let text = "The limit is 20 users (P95 = 310 ms), 99.5% ok at 127.0.0.1:8000; 并发 20：通过。";
        assert_eq!(prose(text), text);
        assert_eq!(prose("raise `max_in_flight`: `a <= 1`"), "raise `max_in_flight`: `a <= 1`");
        assert_eq!(code("ttft.p95 <= 800ms"), "`ttft.p95 <= 800ms`");
    }

    #[test]
    fn nothing_begins_a_cell_a_tag_a_link_or_a_mention() {
        let rows = [
            ("a|b", "a&#124;b"),
            ("<b>", "&#60;b&#62;"),
            ("one ` alone", "one &#96; alone"),
            ("`a|b`", "a&#124;b"),
            ("``", ""),
            ("a\nb", "a b"),
            ("a\0b", "a&#92;u0000b"),
            ("@all", "&#64;&#8203;all"),
            ("see #12 and !3", "see &#35;&#8203;12 and &#33;&#8203;3"),
            ("[a](http://b)", "&#91;a&#93;(http:&#8203;//b)"),
            ("see WWW.b.c", "see WWW.&#8203;b.c"),
            ("1. a - b", "1&#46; a - b"),
            ("- a", "&#45; a"),
            ("*a* _b_ ~c~ $d$", "&#42;a&#42; &#95;b&#95; &#126;&#8203;c&#126; &#36;&#8203;d&#36;"),
        ];
        for (text, expected) in rows {
            assert_eq!(prose(text), expected, "{text:?}");
        }
        assert_eq!([code("a`b"), code("a|b"), code(" ")], ["a&#96;b", "a&#124;b", " "]);
    }
}
