//! What the numbers of several rungs give away: refusals, queueing, a long tail, a generator at its limit, a rate that was
//! not reached.

use measure::Amount;
use measure::distribution::DistributionSummary;
use measure::result::StageResult;

use super::{Facts, climb};
use crate::lang::{capitalised, counted};
use crate::number::{duration, percent, rate};
use crate::{Lang, load};
use measure::reach::{Shortfall, shortfall};

/// A jump of this factor from one rung to the next is queueing.
const JUMP: f64 = 2.0;
/// A rate that was reached to this share is not told as another.
const NEARLY: f64 = 0.995;
/// Medians of fewer values than this are not compared.
const FEWEST: u64 = 10;
/// P99 over this many means is a long tail.
const TAIL: f64 = 3.0;

/// The first stage of an open loop that did not send what it was to send.
pub(super) fn unreached(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let short = facts.ran.iter().copied().find(|stage| shortfall(stage).is_some())?;
    let told = facts.broke.is_some_and(|broke| broke.name == short.name && climb::broke_by_drops(broke));
    if told { None } else { unreached_at(short, "", lang) }
}

/// The same of one stage, with what follows from it.
pub(super) fn unreached_at(stage: &StageResult, so: &str, lang: Lang) -> Option<String> {
    let short = shortfall(stage)?;
    let place = capitalised(&load::place(stage, lang));
    let (what, zh) = match short.grew {
        Some(_) => ("kept up with", "跟上"),
        None => ("reached", "达到"),
    };
    let why = why(&short, lang);
    Some(lang.pick(
        format!("{place} the offered rate was not {what}: {why}{so}."),
        format!("{place}时未{zh}设定的请求速率：{why}{so}。"),
    ))
}

fn why(short: &Shortfall, lang: Lang) -> String {
    let Shortfall { dropped, planned, .. } = *short;
    let reached = short.reached.filter(|reached| *reached < NEARLY * short.offered).map(|reached| {
        let (reached, offered) = (rate(Some(reached)), Amount(short.offered));
        lang.pick(
            format!("{reached} of {offered} requests/s were started"),
            format!("每秒实际发出 {reached} 个，设定为 {offered} 个"),
        )
    });
    let dropped = (dropped > 0).then(|| {
        lang.pick(
            format!(
                "{dropped} of {} found no slot and {} dropped",
                counted(planned, "request"),
                if dropped == 1 { "was" } else { "were" }
            ),
            format!("{planned} 个请求中有 {dropped} 个因没有空位而被丢弃"),
        )
    });
    let waited = short.waited_ms.map(|waited| {
        let waited = duration(Some(waited));
        lang.pick(
            format!("requests waited for a slot (queue P95 {waited})"),
            format!("请求在客户端等待空位（queue P95 {waited}）"),
        )
    });
    let grew = short.grew.map(|open| {
        let [then, now] = open.map(|open| rate(Some(open)));
        lang.pick(
            format!("fewer requests ended than started, and open ones grew from {then} to {now}"),
            format!("完成的请求少于发出的请求，未完成的从 {then} 增至 {now}"),
        )
    });
    let parts: Vec<String> = [reached, dropped, waited, grew].into_iter().flatten().collect();
    parts.join(lang.pick(", ", "，"))
}

/// Where 429s begin on the ladder, when something else broke first. Those of ramps are told with them.
pub(super) fn wall(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let told = |stage: &StageResult| facts.broke.is_some_and(|broke| broke.name == stage.name);
    let stage = facts.rungs.iter().find(|stage| stage.http_429 > 0)?;
    let (from, ratio) = (load::level(stage.level(), lang), percent(stage.http_429_ratio));
    let mut above = facts.rungs.iter().filter(|rung| load::amount(rung) > load::amount(stage));
    let stays = above.all(|rung| rung.http_429 > 0);
    (!told(stage)).then(|| match stays {
        true => lang.pick(
            format!("From {from} on the endpoint answers 429 (ratio {ratio})."),
            format!("自{from}起出现 429（占比 {ratio}）。"),
        ),
        false => lang.pick(
            format!("At {from} the endpoint answered 429 (ratio {ratio}), and not at every level above."),
            format!("{}出现 429（占比 {ratio}），但更高级别并非都有。", from.trim_end()),
        ),
    })
}

pub(super) fn queueing(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    facts.rungs.windows(2).find_map(|pair| {
        // A generator at its limit makes requests wait by itself.
        if pair.iter().any(|rung| rung.client.saturated) {
            return None;
        }
        let jump = |name, from: &DistributionSummary, to: &DistributionSummary| {
            if from.n.min(to.n) < FEWEST {
                return None;
            }
            let (from, to) = (from.p50.filter(|from| *from > 0.0)?, to.p50?);
            (to >= JUMP * from).then(|| (name, duration(Some(from)), duration(Some(to))))
        };
        let (name, from, to) = jump("TPOT", &pair[0].tpot_ms, &pair[1].tpot_ms)
            .or_else(|| jump("TTFT", &pair[0].ttft_ms, &pair[1].ttft_ms))?;
        let span = load::span(pair[0].level(), pair[1].level(), lang);
        Some(lang.pick(
            format!("From {span} the median {name} went from {from} to {to}: requests queue."),
            format!("{span}时，{name} 中位数由 {from} 升至 {to}：请求在排队。"),
        ))
    })
}

pub(super) fn long_tail(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    facts.rungs.iter().find_map(|stage| {
        let weak = stage.tpot_ms.weak.iter().any(|name| name == "p99");
        let (p99, mean) = (stage.tpot_ms.p99?, stage.tpot_ms.mean?);
        (!weak && p99 > TAIL * mean).then(|| {
            let at = load::point(stage.level(), lang);
            let (p99, mean) = (duration(Some(p99)), duration(Some(mean)));
            lang.pick(
                format!("At {at} TPOT has a long tail (P99 {p99}, mean {mean}): a retry behind the gateway, or one slow instance."),
                format!("{at}时 TPOT 存在长尾（P99 {p99}，均值 {mean}）：可能是网关后重试或某个实例偏慢。"),
            )
        })
    })
}

pub(super) fn generator(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let saturated = |stage: &&&StageResult| stage.client.saturated;
    if let Some(stage) = facts.rungs.iter().find(saturated) {
        let from = load::level(stage.level(), lang);
        let all_above = facts.rungs.iter().filter(|rung| load::amount(rung) >= load::amount(stage));
        if !all_above.into_iter().all(|rung| rung.client.saturated) {
            let which = facts.rungs.iter().filter(|rung| rung.client.saturated);
            let which: Vec<String> =
                which.map(|rung| load::point(rung.level(), lang).trim().to_owned()).collect();
            return Some(lang.pick(
                format!(
                    "At {} the load generator itself was at its limit; read those rungs with care.",
                    which.join(", ")
                ),
                format!("{}时压测机自身达到极限，相应数据需谨慎解读。", which.join("、")),
            ));
        }
        return Some(lang.pick(
            format!("From {from} on the load generator itself was at its limit; read those rungs with care."),
            format!("自{from}起压测机自身达到极限，相应数据需谨慎解读。"),
        ));
    }
    let stage = facts.ran.iter().find(saturated)?;
    let place = capitalised(&load::place(stage, lang));
    Some(lang.pick(
        format!("{place} the load generator itself was at its limit; read that stage with care."),
        format!("{place}时压测机自身达到极限，相应数据需谨慎解读。"),
    ))
}
