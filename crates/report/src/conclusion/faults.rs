//! What failed: whose fault each class is, how much of it there was, and whether 429 has to do with the load.

use std::collections::BTreeMap;

use measure::result::StageResult;
use measure::{ErrorClass, ErrorGroup};

use super::Facts;
use crate::number::percent;
use crate::{Lang, load};

/// Success under this share is told by itself.
const SUCCESS: f64 = 0.95;
/// Fewer requests than this are too few to speak of a share.
const FEWEST: u64 = 20;
/// If two shares were alike, the smaller group would have had this many: less may be chance.
const EXPECTED: f64 = 5.0;
/// A share that is this many times another has risen.
const RISEN: f64 = 1.5;

/// Whose fault a class is, in a word.
pub(super) fn whose(class: &str, lang: Lang) -> &'static str {
    match ErrorClass::named(class).map(ErrorClass::group) {
        Some(ErrorGroup::Config) => lang.pick("configuration", "配置问题"),
        Some(ErrorGroup::Capacity) => lang.pick("capacity", "容量问题"),
        Some(ErrorGroup::Protocol) => lang.pick("protocol", "协议问题"),
        Some(ErrorGroup::Client) => lang.pick("this machine", "压测机问题"),
        Some(ErrorGroup::Stability) | None => lang.pick("stability", "稳定性问题"),
    }
}

/// Whether failures of a class can say where the limit of the load lies.
pub(super) fn bounds_load(class: &str) -> bool {
    match ErrorClass::named(class).map(ErrorClass::group) {
        Some(ErrorGroup::Capacity | ErrorGroup::Stability) | None => true,
        Some(ErrorGroup::Config | ErrorGroup::Protocol | ErrorGroup::Client) => false,
    }
}

/// Whether what broke a rung has to do with the load: what a level in between would show.
pub(super) fn is_of_load(facts: &Facts<'_>, stage: &StageResult) -> bool {
    if stage.http_429 > 0 {
        return trend(facts, stage) != Trend::Flat;
    }
    let fell = stage.success_rate.is_some_and(|rate| rate < 0.99);
    let worst = stage.errors.iter().max_by_key(|error| error.count);
    !fell || worst.is_none_or(|error| bounds_load(&error.class))
}

/// Every class that failed, by whose fault it is.
pub(super) fn by_group(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    for error in facts.climbed.iter().flat_map(|stage| &stage.errors) {
        *classes.entry(error.class.as_str()).or_default() += error.count;
    }
    let mut all: Vec<(&str, &str, u64)> =
        classes.into_iter().map(|(class, count)| (whose(class, lang), class, count)).collect();
    // In the same order in every language.
    all.sort_by_key(|(_, class, _)| whose(class, Lang::En));
    let told = |(whose, class, count): &(&str, &str, u64)| {
        lang.pick(format!("{count} `{class}` ({whose})"), format!("`{class}` {count} 个（{whose}）"))
    };
    let parts: Vec<String> = all.iter().map(told).collect();
    (!parts.is_empty()).then(|| {
        lang.pick(format!("Failed: {}.", parts.join(", ")), format!("失败请求：{}。", parts.join("、")))
    })
}

/// The rung with the least success, where that is little and not told with the break.
pub(super) fn success(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let rungs = facts.climbed.iter().copied().filter(|stage| load::is_rung(facts.run, stage));
    let judged = rungs.filter(|stage| stage.counts.ok + stage.counts.failed >= FEWEST);
    let shares = judged.filter_map(|stage| Some((stage.success_rate?, stage)));
    let (share, stage) = shares.reduce(|one, other| if other.0 < one.0 { other } else { one })?;
    let told = facts.broke.is_some_and(|broke| broke.name == stage.name && broke.http_429 == 0);
    let at = load::place(stage, lang);
    (share < SUCCESS && !told).then(|| {
        let share = percent(Some(share));
        lang.pick(
            format!("Success was lowest {at}: {share} (under 95%)."),
            format!("成功率最低出现在{}：{share}（低于 95%）。", at.trim_end()),
        )
    })
}

/// How the share of 429 goes with the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trend {
    /// It is clearly more at higher levels.
    Rises,
    /// It is there from the first level and no more at higher ones.
    Flat,
    /// Too few requests tell.
    Unknown,
}

/// Compares the 429s of the rung where they begin with those of the rungs below, or above where none is below.
pub(super) fn trend(facts: &Facts<'_>, at: &StageResult) -> Trend {
    let sums = |above: bool| {
        let others = facts.rungs.iter().filter(|rung| match above {
            true => load::amount(rung) > load::amount(at),
            false => load::amount(rung) < load::amount(at),
        });
        others.fold((0, 0), |sum, rung| (sum.0 + rung.http_429, sum.1 + rung.counts.attempts))
    };
    let (here, below, above) = ((at.http_429, at.counts.attempts), sums(false), sums(true));
    let (low, high) = if below.1 > 0 { (below, here) } else { (here, above) };
    let share = |(refused, attempts): (u64, u64)| refused as f64 / attempts.max(1) as f64;
    if share(high) * (low.1 as f64) < EXPECTED {
        return Trend::Unknown;
    }
    match share(high) >= RISEN * share(low) {
        true => Trend::Rises,
        false => Trend::Flat,
    }
}
