//! Keeps keys out of what servers echo back.

use measure::sample::ErrorDetail;
use scenario::plan::Target;

/// Shorter texts are no secrets worth searching for, and would blank out ordinary words.
const SHORTEST: usize = 6;
/// This much of a key's beginning is masked even where the rest was cut off.
const PREFIX: usize = 12;
/// This much of a body is kept with a failure, in bytes.
const EXCERPT: usize = 512;

/// The texts that must not be shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mask(Vec<scenario::Secret>);

impl Mask {
    /// Everything secret about a target.
    pub(crate) fn of(target: &Target) -> Self {
        let mut secrets = target.secrets();
        // The longest first, so that a key inside a header value does not leave its rest behind.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        Self(secrets)
    }

    /// The text with every secret replaced by `***`.
    pub(crate) fn apply(&self, text: &str) -> String {
        self.0.iter().map(|secret| secret.expose()).filter(|secret| secret.len() >= SHORTEST).fold(
            text.to_owned(),
            |text, secret| {
                let text = text.replace(secret, "***");
                match secret.get(..PREFIX) {
                    Some(prefix) => text.replace(prefix, "***"),
                    None => text,
                }
            },
        )
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
