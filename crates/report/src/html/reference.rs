//! The appendix: what every metric means, and what to do about a failure.

use serde::Serialize;

use super::text::Text;
use crate::trouble;

/// Both tables; they are the same in every report.
#[derive(Debug, Serialize)]
pub(super) struct Reference {
    metrics: Vec<(&'static str, Text)>,
    troubles: Vec<Trouble>,
}

#[derive(Debug, Serialize)]
struct Trouble {
    sign: &'static str,
    cause: Text,
    look: Text,
    action: Text,
}

pub(super) fn tables() -> Reference {
    let metrics = measure::metric::TABLE.iter().map(|entry| (entry.name, Text::new(entry.en, entry.zh)));
    let troubles = trouble::TABLE.iter().map(|row| Trouble {
        sign: row.sign,
        cause: Text::of(|lang| row.advice(lang).cause.to_owned()),
        look: Text::of(|lang| row.advice(lang).look.to_owned()),
        action: Text::of(|lang| row.advice(lang).action.to_owned()),
    });
    Reference { metrics: metrics.collect(), troubles: troubles.collect() }
}
