//! Committed files that are made from the code: a test fails when one is stale, and writes it anew when the variable
//! `UPDATE_GENERATED` is set.

use std::path::{Path, PathBuf};

/// A file of the project.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// Holds a file to what it should be.
pub(crate) fn assert_fresh(name: &str, expected: &str) {
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        // Whole or not at all: other tests may be reading it.
        let new = path(&format!("{name}.new"));
        std::fs::write(&new, expected).unwrap();
        std::fs::rename(new, path(name)).unwrap();
    }
    let committed = std::fs::read_to_string(path(name)).unwrap_or_default();
    assert!(
        committed == expected,
        "{name} is stale: run the tests once with UPDATE_GENERATED=1 and review the change"
    );
}

/// Holds the parts of a page between `<!-- NAME -->` and `<!-- /NAME -->` to what they should be.
pub(crate) fn assert_parts_fresh(page: &str, parts: &[(String, String)]) {
    let mut text = std::fs::read_to_string(path(page)).unwrap();
    for (name, content) in parts {
        let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let start =
            text.find(&open).unwrap_or_else(|| panic!("{page} has no `{}`", open.trim())) + open.len();
        let end = text[start..].find(&close).unwrap_or_else(|| panic!("{page} has no `{close}`")) + start;
        text.replace_range(start..end, &format!("\n{}\n\n", content.trim()));
    }
    assert_fresh(page, &text);
}
