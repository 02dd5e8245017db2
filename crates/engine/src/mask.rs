//! Keeps keys out of what servers echo back.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
use measure::sample::ErrorDetail;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use scenario::Secret;
use scenario::plan::Target;

/// Shorter texts are no secrets worth searching for, and would blank out ordinary words.
const SHORTEST: usize = 6;
/// This much of a key's beginning is masked even where the rest was cut off.
const PREFIX: usize = 12;
/// This much of a body is kept with a failure, in bytes.
const EXCERPT: usize = 512;

/// The texts that must not be shown, in every form in which servers write them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mask(Vec<Secret>);

impl Mask {
    /// Everything secret about a target.
    pub(crate) fn of(target: &Target) -> Self {
        Self::new(target.secrets())
    }

    fn new(secrets: Vec<Secret>) -> Self {
        let mut all: Vec<Secret> = Vec::new();
        for secret in secrets.iter().filter(|secret| secret.expose().len() >= SHORTEST) {
            for form in forms(secret.expose()) {
                if !all.iter().any(|known| known.expose() == form) {
                    all.push(Secret::new(form));
                }
            }
        }
        Self(all)
    }

    /// The text with every secret replaced by `***`, and so every beginning of one that was cut off.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut masked = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            match self.0.iter().filter_map(|secret| shown(secret.expose(), rest)).max() {
                Some(length) => {
                    masked.push_str("***");
                    rest = &rest[length..];
                }
                None => {
                    masked.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        masked
    }

    /// What is known about a failure, with every secret replaced.
    pub(crate) fn detail(&self, detail: ErrorDetail) -> ErrorDetail {
        let applied = |text: Option<String>| text.map(|text| self.apply(&text));
        ErrorDetail {
            message: self.apply(&detail.message),
            code: applied(detail.code),
            excerpt: applied(detail.excerpt),
            retry_after: applied(detail.retry_after),
        }
    }

    /// The first 512 bytes of a body, masked before it is cut.
    pub(crate) fn excerpt(&self, body: &[u8]) -> Option<String> {
        let masked = self.apply(&String::from_utf8_lossy(body));
        let cut = masked
            .char_indices()
            .map(|(at, c)| at + c.len_utf8())
            .take_while(|end| *end <= EXCERPT)
            .last()?;
        Some(masked[..cut].to_owned())
    }
}

/// How many bytes of a secret stand at the beginning of a text; `None` when they are too few to tell it by.
fn shown(secret: &str, text: &str) -> Option<usize> {
    let both = secret.chars().zip(text.chars()).take_while(|(one, other)| one.eq_ignore_ascii_case(other));
    let length = both.map(|(one, _)| one.len_utf8()).sum();
    (length >= PREFIX.min(secret.len())).then_some(length)
}

/// A secret as it is, and as URLs, JSON, HTML and base64 write it.
fn forms(secret: &str) -> Vec<String> {
    let replaced = |pairs: &[(char, &str)]| {
        let one = |c: char| {
            pairs.iter().find(|(from, _)| *from == c).map_or(c.to_string(), |(_, to)| (*to).to_owned())
        };
        secret.chars().map(one).collect::<String>()
    };
    let escaped = |kept: &[char]| -> String {
        let one = |c: char| match c.is_ascii_alphanumeric() || kept.contains(&c) {
            true => c.to_string(),
            false => format!("\\u{:04x}", c as u32),
        };
        secret.chars().map(one).collect()
    };
    let mut forms = vec![
        secret.to_owned(),
        utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string(),
        utf8_percent_encode(secret, URL_KEPT).to_string(),
        secret.bytes().map(|byte| format!("%{byte:02X}")).collect(),
        replaced(&[('/', "\\/")]),
        escaped(&['-', '_', '.']),
        escaped(&[]),
        replaced(&[('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")]),
        replaced(&[('/', "&#x2F;"), ('+', "&#43;"), ('=', "&#x3D;"), ('&', "&amp;")]),
    ];
    // Short ones would blank out whatever happens to be written so.
    if secret.len() >= PREFIX {
        forms.extend([STANDARD.encode(secret), STANDARD_NO_PAD.encode(secret), URL_SAFE.encode(secret)]);
    }
    forms
}

/// What URLs leave as it is.
const URL_KEPT: &percent_encoding::AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(secrets: &[&str]) -> Mask {
        Mask::new(secrets.iter().map(|secret| Secret::new(*secret)).collect())
    }

    #[test]
    fn secrets_that_begin_alike_hide_each_other_whole() {
        let keys = ["sk-ant-api03-AAAAbbbbCCCCdddd1111", "sk-ant-api03-ZZZZyyyyXXXXwwww222233"];
        for order in [[0, 1], [1, 0]] {
            let mask = mask(&order.map(|at| keys[at]));
            for key in keys {
                assert_eq!(mask.apply(&format!("bad key {key}.")), "bad key ***.");
                assert_eq!(mask.apply(&format!("cut {}", &key[..20])), "cut ***");
            }
        }
        let mask = mask(&["sk-SENTINEL0123456789", "sk-SENTINEL0123456789:sk-SENTINEL0123456789"]);
        assert_eq!(mask.apply("x/sk-SENTINEL0123456789:sk-SENTINEL0123456789/y"), "x/***/y");
    }

    #[test]
    fn a_secret_is_hidden_in_every_form_that_servers_write() {
        let key = "sk-ABCDEFGH/ijkl+mnopqrst/uvwxyz0123==";
        let mask = mask(&[key]);
        let written = [
            key,
            "sk-ABCDEFGH%2Fijkl%2Bmnopqrst%2Fuvwxyz0123%3D%3D",
            "sk%2dABCDEFGH%2fijkl%2bmnopqrst%2fuvwxyz0123%3d%3d",
            &key.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>(),
            "sk-ABCDEFGH\\/ijkl+mnopqrst\\/uvwxyz0123==",
            "sk-ABCDEFGH\\u002fijkl\\u002bmnopqrst\\u002fuvwxyz0123\\u003d\\u003d",
            "sk\\u002dABCDEFGH\\u002fijkl\\u002bmnopqrst\\u002fuvwxyz0123\\u003d\\u003d",
            "sk-ABCDEFGH&#x2F;ijkl&#43;mnopqrst&#x2F;uvwxyz0123&#x3D;&#x3D;",
            &STANDARD.encode(key),
            &URL_SAFE.encode(key),
        ];
        for text in written {
            assert_eq!(mask.apply(&format!("<{text}>")), "<***>", "{text}");
        }
    }

    #[test]
    fn words_that_are_no_secret_stay() {
        let mask = mask(&["sk-SENTINEL0123456789", "short"]);
        for text in ["short", "sk-SENTINEL", "好🙂 sk-", ""] {
            assert_eq!(mask.apply(text), text);
        }
    }
}
