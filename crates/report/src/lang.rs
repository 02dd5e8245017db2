//! The languages of every sentence a reader sees.

/// English or Chinese.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lang {
    /// English.
    En,
    /// Chinese.
    Zh,
}

impl Lang {
    /// Both.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The text of this language.
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    /// As in HTML and TOML.
    pub fn code(self) -> &'static str {
        self.pick("en", "zh")
    }
}

/// With a capital first letter, as at the begin of a sentence.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A number and what it counts: `1 request`, `2 requests`.
pub(crate) fn counted(n: u64, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "request")), ["0 requests", "1 request", "2 requests"]);
    }
}
