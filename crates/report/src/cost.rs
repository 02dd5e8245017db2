//! What a run cost.

use measure::result::RunResult;

/// `1.28 USD`, small sums to a few figures; nothing without a price.
pub(crate) fn cost(run: &RunResult) -> Option<String> {
    let (cost, currency) = (run.cost?, run.currency.as_deref().unwrap_or_default());
    // A sum under a cent is not nothing.
    let digits = if cost > 0.0 && cost < 0.01 { 6 } else { 2 };
    Some(format!("{cost:.digits$} {currency}").trim_end().to_owned())
}
