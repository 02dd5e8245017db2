//! `[target.price]`: what tokens cost.

use crate::plan::Price;
use crate::read::Section;

/// The price, if the scenario has one.
pub(super) fn read(target: Section<'_>) -> Option<Price> {
    let price = target.section("price");
    price.is_present().then(|| Price {
        input: price.number("input").unwrap_or_default(),
        output: price.number("output").unwrap_or_default(),
        currency: price.visible_text("currency").unwrap_or_default(),
    })
}
