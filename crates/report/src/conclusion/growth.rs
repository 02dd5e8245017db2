//! Whether throughput grows with the users, and where it bends.

use measure::LoadUnit;
use measure::result::StageResult;

use super::Facts;
use crate::number::{percent, rate};
use crate::{Lang, load};

/// A gain of this share of the users' is in proportion to them.
const IN_PROPORTION: f64 = 0.8;

/// What the rungs gave: in tokens where all know them, in requests where not.
struct Throughput {
    of: fn(&StageResult) -> Option<f64>,
    unit: [&'static str; 2],
}

fn throughput(facts: &Facts<'_>) -> Throughput {
    match facts.rungs.iter().all(|stage| stage.output_tokens_per_s.is_some()) {
        true => Throughput { of: |stage| stage.output_tokens_per_s, unit: ["tokens/s", "token/秒"] },
        false => Throughput { of: |stage| stage.qps, unit: ["requests/s", "请求/秒"] },
    }
}

/// From the first rung to the highest one that is not past the bend, nor this machine's own limit.
pub(super) fn grew(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    if facts.run.ladder.unit != LoadUnit::Users {
        return None;
    }
    let knee = facts.run.ladder.knee;
    let before = |stage: &&&StageResult| knee.is_none_or(|knee| stage.level().amount() < knee);
    let straight: Vec<_> =
        facts.rungs.iter().filter(before).filter(|stage| !stage.client.saturated).collect();
    let (first, last) = (straight.first()?, straight.last()?);
    let Throughput { of, unit } = throughput(facts);
    let (low, high) = (of(first).filter(|low| *low > 0.0)?, of(last)?);
    let users = load::amount(last) / load::amount(first);
    if users <= 1.0 || high <= low {
        return None;
    }
    let (span, share) = (load::span(first.level(), last.level(), lang), high / low / users);
    let how = match share >= IN_PROPORTION {
        true => lang.pick("in proportion".to_owned(), "与用户数成比例".to_owned()),
        false => {
            let share = percent(Some(share));
            lang.pick(
                format!("less than in proportion ({share} of that)"),
                format!("低于等比例（为等比例的 {share}）"),
            )
        }
    };
    let (low, high, unit) = (rate(Some(low)), rate(Some(high)), lang.pick(unit[0], unit[1]));
    Some(lang.pick(
        format!("From {span} throughput grew from {low} to {high} {unit}, {how}."),
        format!("{}，吞吐由 {low} 增至 {high} {unit}，{how}。", span.trim_end()),
    ))
}

/// Where it bends.
pub(super) fn knee(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let ladder = facts.run.ladder;
    let amount = ladder.knee?;
    let knee = load::point(load::of_unit(ladder.unit, amount), lang);
    let with = match ladder.unit {
        LoadUnit::Users => lang.pick("users", "用户数"),
        LoadUnit::RequestsPerS => lang.pick("the rate", "请求速率"),
    };
    let numbers = numbers(facts, amount.get(), lang).unwrap_or_default();
    Some(lang.pick(
        format!("Throughput stopped growing with {with} at {knee}{numbers}."),
        format!("吞吐在{knee}处不再随{with}增长{numbers}。"),
    ))
}

/// What the rung before the bend gave, and that at the bend.
fn numbers(facts: &Facts<'_>, knee: f64, lang: Lang) -> Option<String> {
    let at = facts.rungs.iter().find(|stage| load::amount(stage) == knee)?;
    let before = facts.rungs.iter().rfind(|stage| load::amount(stage) < knee)?;
    let Throughput { of, unit } = throughput(facts);
    let (there, here, level) =
        (rate(Some(of(before)?)), rate(Some(of(at)?)), load::bare(before.level(), lang));
    let unit = lang.pick(unit[0], unit[1]);
    Some(lang.pick(
        format!(" ({here} {unit}, after {there} at {level})"),
        format!("（{here} {unit}，{}时为 {there}）", load::point(before.level(), lang)),
    ))
}
