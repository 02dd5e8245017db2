//! One text in both languages.

use minijinja::HtmlEscape;
use serde::Serialize;

use crate::Lang;

/// What the page shows in the language that its reader chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Text {
    en: String,
    zh: String,
}

impl Text {
    pub(super) fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }

    /// A text that has no language: a name, a message of a server.
    pub(super) fn same(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { en: text.clone(), zh: text }
    }

    /// The text with more after it.
    pub(super) fn followed_by(&self, en: impl Into<String>, zh: impl Into<String>) -> Self {
        self.and(&Self::new(en, zh))
    }

    /// One text after the other.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self { en: self.en.clone() + &other.en, zh: self.zh.clone() + &other.zh }
    }

    /// What a sentence maker says in each language.
    pub(super) fn of(say: impl Fn(Lang) -> String) -> Self {
        Self { en: say(Lang::En), zh: say(Lang::Zh) }
    }
}

/// A pair of literals, as tables of constants hold them.
impl From<(&str, &str)> for Text {
    fn from((en, zh): (&str, &str)) -> Self {
        Self::new(en, zh)
    }
}

/// A sentence as markup: escaped, and what stands between two backticks as code.
pub(super) fn coded(sentence: &str) -> String {
    let pieces: Vec<String> = sentence.split('`').map(|piece| HtmlEscape(piece).to_string()).collect();
    let last = pieces.len() - 1;
    let shown = pieces.iter().enumerate().map(|(index, piece)| match index % 2 {
        1 if index < last => format!("<code>{piece}</code>"),
        // A backtick without its other half.
        1 => format!("`{piece}"),
        _ => piece.clone(),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_make_code_and_nothing_else_makes_markup() {
        let rows = [
            ("plain", "plain"),
            ("a `b` c", "a <code>b</code> c"),
            ("a ` b", "a ` b"),
            ("`<b>` & `c`", "<code>&lt;b&gt;</code> &amp; <code>c</code>"),
            ("`a` `", "<code>a</code> `"),
            ("", ""),
        ];
        for (sentence, expected) in rows {
            assert_eq!(coded(sentence), expected);
        }
    }
}
