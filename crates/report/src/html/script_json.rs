//! JSON inside a `<script>` block: no character in it can end the block or start a comment.

use serde::Serialize;

/// The value as JSON in which `<`, U+2028 and U+2029 stand as escapes.
///
/// # Errors
/// When the value cannot be JSON, as a map whose keys are not strings.
pub(super) fn script_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(value)?;
    // Outside strings JSON knows none of the three, so that replacing them blindly is right.
    Ok(json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_string_can_end_the_block() {
        let hostile = "</script><script>x()</script><!-- \u{2028}\u{2029} \" \\";
        let json = script_json(&hostile).unwrap();
        assert!(!json.contains(['<', '\u{2028}', '\u{2029}']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }
}
