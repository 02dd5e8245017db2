//! Texts of others on a terminal: nothing in them moves the cursor, turns the line around, or feigns a line of ours.

/// This much of a text that a server wrote is shown, in characters.
const LENGTH: usize = 160;

/// On one line and not too long; control characters and those that turn the direction of writing as visible escapes.
pub fn line(text: &str) -> String {
    let mut line = String::new();
    for (n, c) in text.chars().enumerate() {
        match c {
            _ if n == LENGTH => {
                line.push('…');
                break;
            }
            '\n' | '\r' | '\t' => line.push(' '),
            c => push(&mut line, c),
        }
    }
    line
}

/// As [`line()`], whole.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => line.push(' '),
            c => push(&mut line, c),
        }
    }
    line
}

/// As [`line()`], of a text that has lines, whole. A JSON text stays the JSON text of the same value.
pub fn lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => lines.push(c),
            c => push(&mut lines, c),
        }
    }
    lines
}

fn push(text: &mut String, c: char) {
    match c.is_control() || turns(c) {
        true => text.extend(["\\u".to_owned(), format!("{:04x}", u32::from(c))]),
        false => text.push(c),
    }
}

/// Whether the character sets the direction of what follows, or breaks the line where none is seen.
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The blocks that are not empty, a blank line between two.
pub(crate) fn paragraphs(blocks: &[String]) -> String {
    let said = blocks.iter().filter(|block| !block.is_empty());
    said.map(|block| format!("{block}\n")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_on_a_terminal_is_shown_and_lines_stay_ours() {
        let rows = [
            ("plain 好🙂", "plain 好🙂"),
            ("\u{1b}[2J\u{7}", "\\u001b[2J\\u0007"),
            ("a\r\nexit 0\tb", "a  exit 0 b"),
            ("\u{9b}31m \u{202e}txet\u{2066}", "\\u009b31m \\u202etxet\\u2066"),
        ];
        for (text, expected) in rows {
            assert_eq!(line(text), expected);
        }
        assert_eq!(line(&"x".repeat(200)), "x".repeat(160) + "…");
        assert_eq!(line(&"x".repeat(160)), "x".repeat(160));
        assert_eq!(one_line(&"a\nb\0".repeat(80)), "a b\\u0000".repeat(80));
    }

    #[test]
    fn lines_keep_their_ends_and_json_its_meaning() {
        let value = serde_json::json!({ "a": "b\u{202e}c\u{85}d\u{1b}" });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let shown = lines(&text);
        assert!(shown.contains('\n') && !shown.contains('\u{202e}') && !shown.contains('\u{85}'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
