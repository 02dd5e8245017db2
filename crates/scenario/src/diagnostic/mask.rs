//! Which parts of a line must not be shown when a problem points at it.

use std::ops::Range;

/// Names whose value is no secret although they sound so.
const HARMLESS: &[&str] = &[
    "api_key_env",
    "api_key_file",
    "first_token",
    "max_tokens",
    "max_completion_tokens",
    "tokenizer",
    "keep_alive",
];

/// Whether a header, key or query parameter of this name usually holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let secret = ["key", "token", "secret", "password", "authorization", "cookie", "credential"];
    secret.iter().any(|word| name.contains(word)) && !HARMLESS.contains(&name.as_str())
}

/// The text with `***` for everything that is, or looks like, a secret.
pub(crate) fn masked(text: &str) -> String {
    let mut masked = text.to_owned();
    for range in secret_ranges(text).into_iter().rev() {
        masked.replace_range(range, "***");
    }
    masked
}

/// Byte ranges of `line` that are, or look like, secrets; in order, not overlapping.
pub(super) fn secret_ranges(line: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    ranges.extend(assigned_values(line));
    ranges.extend(user_info(line));
    ranges.extend(query_values(line));
    ranges.extend(key_shapes(line));
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Values of `secret_name = "..."` and `"secret_name": "..."`; a mere `${NAME}` may be shown.
fn assigned_values(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    line.char_indices().filter(|(_, c)| matches!(c, '=' | ':')).filter_map(|(at, _)| {
        let before = line[..at].trim_end().trim_end_matches(['"', '\'']);
        let head = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let name = &before[head.len()..];
        if !is_secret_name(name) {
            return None;
        }
        let value = at + 1 + (line[at + 1..].len() - line[at + 1..].trim_start().len());
        let range = match line[value..].chars().next()? {
            quote @ ('"' | '\'') => {
                let end = line[value + 1..].rfind(quote).map_or(line.len(), |end| value + 1 + end);
                value + 1..end.max(value + 1)
            }
            // Unquoted, and no TOML: somebody forgot the quotes.
            _ if head.trim().is_empty() => value..line.len(),
            _ => return None,
        };
        let text = &line[range.clone()];
        let variable =
            text.starts_with("${") && text.find('}') == Some(text.len() - 1) && !text.contains(":-");
        (!range.is_empty() && !variable).then_some(range)
    })
}

/// `user:password` of `https://user:password@host`.
fn user_info(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    line.match_indices("://").filter_map(|(at, mark)| {
        let start = at + mark.len();
        let end = line[start..].find(['/', '?', '#', '"', '\'', ' ']).map_or(line.len(), |end| start + end);
        line[start..end].rfind('@').map(|at| start..start + at)
    })
}

/// Values of `?key=...&token=...`.
fn query_values(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    line.match_indices(['?', '&']).filter_map(|(at, _)| {
        let (name, _) = line[at + 1..].split_once('=')?;
        let start = at + 1 + name.len() + 1;
        let end = line[start..].find(['&', '#', '"', '\'', ' ']).map_or(line.len(), |end| start + end);
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '%'));
        (plain && is_secret_name(name) && end > start).then_some(start..end)
    })
}

/// `sk-...` anywhere.
fn key_shapes(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    line.match_indices("sk-").filter_map(|(at, _)| {
        let rest = &line[at..];
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(rest.len());
        let inside_a_word = line[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        (end >= 7 && !inside_a_word).then_some(at..at + end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_found_and_the_rest_is_left() {
        let rows = [
            (r#"api_key = "Bearer sk-abc""#, r#"api_key = "***""#),
            (r#"api_key = "${TAOTOKEN_API_KEY}""#, r#"api_key = "${TAOTOKEN_API_KEY}""#),
            (r#"api_key = "${KEY:-sk-abc}""#, r#"api_key = "***""#),
            (r#"api_key_env = "TAOTOKEN_API_KEY""#, r#"api_key_env = "TAOTOKEN_API_KEY""#),
            (r#"headers = { X-Api-Key = "abc" }"#, r#"headers = { X-Api-Key = "***" }"#),
            (r#"base_url = "https://u:p@h/v1?key=abc&x=1""#, r#"base_url = "https://***@h/v1?key=***&x=1""#),
            (r#"first_token = "60""#, r#"first_token = "60""#),
            ("api_key = Bearer sk-abc", "api_key = ***"),
            (r#"query = "sk-0123456789""#, r#"query = "***""#),
            (r#"name = "task-runner-1""#, r#"name = "task-runner-1""#),
        ];
        for (line, expected) in rows {
            assert_eq!(masked(line), expected, "{line}");
        }
    }
}
