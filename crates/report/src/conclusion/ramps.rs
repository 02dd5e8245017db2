//! A run of ramps: no level was held, so that nothing can be said to have held or broken. What is told is the way.

use measure::result::{StageResult, StageStatus};
use measure::{Amount, LoadUnit};

use super::{Facts, target};
use crate::number::{duration, percent, rate, seconds};
use crate::{Lang, load};

/// More levels than this are not listed one by one.
const MOST_LEVELS: usize = 5;

/// The way that the load went and what came of it, where no stage held a level.
pub(super) fn ramped(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let ramps: Vec<&StageResult> =
        facts.ran.iter().copied().filter(|stage| stage.counts.started > 0).collect();
    let ramps: Vec<&StageResult> =
        ramps.into_iter().filter(|stage| !load::is_rung(facts.run, stage)).collect();
    if ramps.is_empty() {
        return None;
    }
    let ways = ramps.chunk_by(|one, other| one.level().unit() == other.level().unit());
    let told: Vec<String> = ways.map(|ramps| told(ramps, lang)).collect();
    let all = told.join(lang.pick("; ", "；"));
    // Beside rungs the target was named already.
    if facts.held.is_some() {
        return Some(lang.pick(format!("Off the rungs {all}."), format!("阶梯之外：{all}。")));
    }
    let target = target(facts.run, lang);
    Some(lang.pick(format!("{target}: {all}."), format!("{target}：{all}。")))
}

/// Ramps of one kind that follow one another.
fn told(ramps: &[&StageResult], lang: Lang) -> String {
    let sum = |of: fn(&StageResult) -> u64| ramps.iter().map(|stage| of(stage)).sum::<u64>();
    let (ok, failed) = (sum(|stage| stage.counts.ok), sum(|stage| stage.counts.failed));
    let success = percent((ok + failed > 0).then(|| ok as f64 / (ok + failed) as f64));
    let window = seconds(ramps.iter().map(|stage| stage.window_s).sum());
    let refused = match sum(|stage| stage.http_429) {
        0 => lang.pick("no 429".to_owned(), "无 429".to_owned()),
        n => {
            let attempts = sum(|stage| stage.counts.attempts);
            lang.pick(
                format!("{n} of {attempts} attempts answered 429"),
                format!("{attempts} 次尝试中有 {n} 次 429"),
            )
        }
    };
    let cut = ramps.iter().any(|stage| stage.status != StageStatus::Complete);
    let way = match cut {
        true => {
            way(ramps, lang).trim_end().replacen("went ", "was to go ", 1)
                + lang.pick(", was cut short and ran", "（未跑完）")
        }
        false => way(ramps, lang),
    };
    let way = way.trim_end();
    let parts: Vec<String> =
        [Some(refused), fastest(ramps, lang), slowest(ramps, lang)].into_iter().flatten().collect();
    let parts = parts.join(lang.pick(", ", "，"));
    lang.pick(
        format!("the load {way} over {window} s: {success} success, {parts}"),
        format!("{window} 秒内{way}：成功率 {success}，{parts}"),
    )
}

/// `went from 0 to 100 users and back`.
fn way(ramps: &[&StageResult], lang: Lang) -> String {
    let ends = ramps.iter().flat_map(|stage| [stage.ramp_from, Some(stage.level().amount())]);
    let mut levels: Vec<Amount> = ends.flatten().collect();
    levels.dedup();
    let unit = ramps.first().map_or(LoadUnit::Users, |stage| stage.level().unit());
    let span =
        |from: Amount, to: Amount| load::span(load::of_unit(unit, from), load::of_unit(unit, to), lang);
    let least = levels.iter().copied().reduce(|one, other| if other < one { other } else { one });
    let most = levels.iter().copied().reduce(|one, other| if other > one { other } else { one });
    match (&levels[..], least, most) {
        (&[only], ..) => {
            let level = load::level(load::of_unit(unit, only), lang);
            lang.pick(format!("was {level}"), level)
        }
        (&[from, to], ..) => lang.pick("went from ", "").to_owned() + &span(from, to),
        (&[from, to, back], ..) if back == from => lang.pick(
            format!("went from {} and back", span(from, to)),
            format!("{}再回到 {from}", span(from, to)),
        ),
        (&[from, .., to], ..) if levels.len() <= MOST_LEVELS => {
            let via: Vec<String> = levels[1..levels.len() - 1].iter().map(ToString::to_string).collect();
            lang.pick(
                format!("went from {} by way of {}", span(from, to), via.join(", ")),
                format!("{}（途经 {}）", span(from, to).trim_end(), via.join("、")),
            )
        }
        (_, Some(least), Some(most)) => {
            let between = load::between(load::of_unit(unit, least), load::of_unit(unit, most), lang);
            let (users, load) = match unit {
                LoadUnit::Users => (" users", "并发"),
                LoadUnit::RequestsPerS => ("", "请求速率"),
            };
            lang.pick(
                format!("went up and down between {between}{users}"),
                format!("{load}在{between}之间升降"),
            )
        }
        _ => String::new(),
    }
}

/// The best throughput of a stage. Single seconds would show chance.
fn fastest(ramps: &[&StageResult], lang: Lang) -> Option<String> {
    let qps = ramps.iter().filter_map(|stage| stage.qps).reduce(f64::max)?;
    let qps = rate(Some(qps));
    Some(match ramps.len() {
        1 => lang.pick(format!("{qps} requests/s on average"), format!("平均 {qps} 请求/秒")),
        _ => lang.pick(format!("{qps} requests/s in the best stage"), format!("最高的一级 {qps} 请求/秒")),
    })
}

/// The response time where the load was highest: in the stage that stayed there, else in the first that came there.
fn slowest(ramps: &[&StageResult], lang: Lang) -> Option<String> {
    let stage = load::highest(ramps)?;
    let e2e = duration(Some(stage.e2e_ms.p95?));
    if ramps.len() == 1 {
        return Some(lang.pick(format!("a response time P95 of {e2e}"), format!("响应时间 P95 {e2e}")));
    }
    let at = load::place(stage, lang);
    Some(lang.pick(
        format!("a response time P95 of {e2e} in the stage {at}"),
        format!("{at}的一级响应时间 P95 {e2e}"),
    ))
}
