//! Draws a problem as text: sentence, place, the line with carets, hint. The only place that draws.

use std::fmt::Write as _;
use std::ops::Range;

use unicode_width::UnicodeWidthChar as _;

use super::list::{Diagnostic, Place};
use super::mask::secret_ranges;
use crate::text_file::TextFile;

/// The problem as lines of plain text, the last one ended.
pub(super) fn render(diagnostic: &Diagnostic) -> String {
    let mut out = format!("error: {}\n", diagnostic.message);
    // Writing to a String cannot fail.
    let _ = match &diagnostic.place {
        Place::Text { file, span } => draw_line(&mut out, file, span),
        Place::Line { path, line, column } => writeln!(out, "  --> {}:{line}:{column}", path.display()),
        Place::File(path) => writeln!(out, "  --> {}", path.display()),
        Place::Layer(name) => writeln!(out, "  --> {name}"),
    };
    if let Some(hint) = &diagnostic.hint {
        let _ = writeln!(out, "  hint: {hint}");
    }
    out
}

fn draw_line(out: &mut String, file: &TextFile, span: &Range<usize>) -> std::fmt::Result {
    let (number, column) = file.position(span.start);
    let line = file.line(span.start);
    let start = span.start.clamp(line.start, line.end) - line.start;
    let end = span.end.clamp(line.start + start, line.end) - line.start;
    let shown = cut(mask(&file.text[line], start..end));
    let gutter = " ".repeat(number.to_string().len());
    let (indent, carets) = underline(&shown.text, &shown.marked);
    writeln!(out, "  --> {}:{number}:{column}", file.path.display())?;
    writeln!(out, " {gutter} |")?;
    writeln!(out, " {number} | {}", shown.text)?;
    writeln!(out, " {gutter} | {indent}{carets}")
}

/// A line to be shown and the part of it that is meant.
struct Shown {
    text: String,
    marked: Range<usize>,
}

fn mask(line: &str, marked: Range<usize>) -> Shown {
    let mut text = String::new();
    let mut moved = marked.clone();
    let mut copied = 0;
    for secret in secret_ranges(line) {
        text.push_str(&line[copied..secret.start]);
        let here = text.len();
        text.push_str("***");
        copied = secret.end;
        for (old, new, inside) in
            [(marked.start, &mut moved.start, here), (marked.end, &mut moved.end, text.len())]
        {
            if old >= secret.end {
                *new = old - secret.end + text.len();
            } else if old > secret.start {
                *new = inside;
            }
        }
    }
    text.push_str(&line[copied..]);
    Shown { text, marked: moved }
}

/// Keeps the neighbourhood of the marked part of a very long line.
fn cut(shown: Shown) -> Shown {
    const BEFORE: usize = 60;
    const AFTER: usize = 100;
    if shown.text.chars().count() <= BEFORE + AFTER {
        return shown;
    }
    let boundaries: Vec<usize> = shown.text.char_indices().map(|(at, _)| at).collect();
    let place = boundaries.partition_point(|at| *at < shown.marked.start);
    let from = boundaries[place.saturating_sub(BEFORE).min(boundaries.len() - 1)];
    let to = boundaries.get(place + AFTER).copied().unwrap_or(shown.text.len());
    let head = if from > 0 { "…" } else { "" };
    let tail = if to < shown.text.len() { "…" } else { "" };
    let shift = |at: usize| at.clamp(from, to) - from + head.len();
    let marked = shift(shown.marked.start)..shift(shown.marked.end);
    Shown { text: format!("{head}{}{tail}", &shown.text[from..to]), marked }
}

/// White space up to the marked part (tabs stay tabs) and carets under it; at least one.
fn underline(line: &str, marked: &Range<usize>) -> (String, String) {
    let mut indent = String::new();
    for c in line[..marked.start].chars() {
        match c {
            '\t' => indent.push('\t'),
            c => indent.push_str(&" ".repeat(c.width().unwrap_or(0))),
        }
    }
    let width: usize = line[marked.clone()].chars().map(|c| c.width().unwrap_or(1)).sum();
    (indent, "^".repeat(width.max(1)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn drawn(text: &str, part: &str) -> String {
        let file = TextFile::decode(Path::new("a.toml"), text.into()).unwrap();
        let start = text.find(part).unwrap();
        let place = Place::Text { file, span: start..start + part.len() };
        render(&Diagnostic { message: "m".into(), place, hint: None })
    }

    #[test]
    fn carets_stand_under_wide_characters_and_after_tabs() {
        assert_eq!(
            drawn("a = 1\n\t名字 = \"你好\" # x", "\"你好\""),
            "error: m\n  --> a.toml:2:7\n   |\n 2 | \t名字 = \"你好\" # x\n   | \t       ^^^^^^\n"
        );
    }

    #[test]
    fn secrets_of_the_line_are_not_drawn() {
        let drawn = drawn("api_key = \"sk-TEST KEY\"", "\"sk-TEST KEY\"");
        assert!(drawn.contains("api_key = \"***\"\n   |           ^^^^^\n"), "{drawn}");
    }

    #[test]
    fn a_very_long_line_is_cut_around_the_place() {
        let text = format!("body = '{}X{}'", "a".repeat(500), "b".repeat(500));
        let drawn = drawn(&text, "X");
        let lines: Vec<&str> = drawn.lines().collect();
        let caret = lines[4].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[3].chars().nth(caret), Some('X'));
        assert!(lines[3].chars().count() < 180);
    }
}
