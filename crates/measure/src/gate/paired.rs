//! A value against that of the other side of an A/B run.

use super::change::{Amounts, Distance, amounts};
use super::check::Rule;
use crate::result::Difference;

/// What the difference amounts to; `None` where its interval is not known.
pub(super) fn paired(difference: &Difference, allowed: f64, rule: &Rule) -> Option<Amounts> {
    let interval = difference.interval?;
    let comparison = rule.check.comparison;
    let absolute = Distance::between(0.0, difference.absolute, [interval.low, interval.high], comparison);
    let to_limit = match difference.share.zip(difference.share_interval) {
        Some((share, ends)) => Distance::between(allowed, share, ends, comparison),
        // Where B is 0 no change is a share of it: the limit is 0 as well.
        None => absolute,
    };
    Some(amounts(to_limit, rule.min_change.map(|least| absolute.less(least))))
}
