//! Whether one key rather than the endpoint is the matter: its quota, or that it is refused at all.

use std::collections::BTreeMap;

use measure::ErrorClass;

use super::Facts;
use crate::Lang;

/// Fewer requests than this say nothing about keys that were not limited.
const FEWEST: u64 = 20;
/// Fewer failures in a row than this may be chance.
const FEWEST_OF_ONE: u64 = 5;
/// If all keys were alike, those without a 429 would have had this many: that none came is no chance (under 1 %).
const EXPECTED: f64 = 5.0;

/// More likely than this it is no news.
const CHANCE: f64 = 0.01;

/// A key over the whole run.
struct Key<'a> {
    name: &'a str,
    requests: u64,
    http_429: u64,
    failed: u64,
}

impl Key<'_> {
    /// Whether nothing was answered, for another reason than 429.
    fn is_dead(&self) -> bool {
        self.requests >= FEWEST_OF_ONE && self.failed == self.requests && self.http_429 < self.requests
    }
}

/// Said where some keys were answered 429 and the others, asked often enough, not once.
pub(super) fn limited(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let keys: Vec<Key<'_>> = over_all_stages(facts).into_iter().filter(|key| !key.is_dead()).collect();
    let (limited, free): (Vec<&Key<'_>>, Vec<&Key<'_>>) = keys.iter().partition(|key| key.http_429 > 0);
    let sum = |keys: &[&Key<'_>], of: fn(&Key<'_>) -> u64| keys.iter().map(|key| of(key)).sum::<u64>();
    let (requests, refused) = (sum(&limited, |key| key.requests), sum(&limited, |key| key.http_429));
    let others = sum(&free, |key| key.requests);
    let expected = refused as f64 / requests.max(1) as f64 * others as f64;
    if limited.is_empty() || others < FEWEST || expected < EXPECTED {
        return None;
    }
    let names: Vec<&str> = limited.iter().map(|key| key.name).collect();
    let (names, all) = (listed(&names, lang), keys.len());
    let (was, its, that) = match limited.len() {
        1 => ("was", "its", "that key's quota"),
        _ => ("were", "their", "the quota of those keys"),
    };
    Some(lang.pick(
        format!(
            "Only {names} of {all} {was} limited: {refused} of the answers to {its} {requests} requests were 429, and \
             none to the {others} requests of the others; the limit is {that}, not the endpoint's."
        ),
        format!(
            "{all} 个 Key 中仅 {names} 被限流：其 {requests} 个请求收到 {refused} 次 429，其余 Key 的 {others} 个请求均未出现 \
             429；受限的是 Key 自身的配额，而非端点。"
        ),
    ))
}

/// Said where every request of a key failed while others were answered.
pub(super) fn dead(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let keys = over_all_stages(facts);
    let (dead, others): (Vec<&Key<'_>>, Vec<&Key<'_>>) = keys.iter().partition(|key| key.is_dead());
    if dead.is_empty() || others.iter().all(|key| key.failed == key.requests) {
        return None;
    }
    // Where most requests of the others fail too, that a few of one all did may be chance.
    let of_others = |of: fn(&Key<'_>) -> u64| others.iter().map(|key| of(key)).sum::<u64>() as f64;
    let share = of_others(|key| key.failed) / of_others(|key| key.requests).max(1.0);
    let by_chance = |key: &&Key<'_>| share.powf(key.requests as f64) * keys.len() as f64;
    if dead.iter().any(|key| by_chance(key) > CHANCE) {
        return None;
    }
    let names: Vec<&str> = dead.iter().map(|key| key.name).collect();
    let requests: u64 = dead.iter().map(|key| key.requests).sum();
    let (names, all) = (listed(&names, lang), keys.len());
    let (that, refused) = (if dead.len() == 1 { "that key" } else { "those keys" }, refused(facts, requests));
    let class =
        refused.map(|class| lang.pick(format!(" (`{class}`)"), format!("（`{class}`）"))).unwrap_or_default();
    Some(lang.pick(
        format!(
            "Every one of the {requests} requests of {names} of {all} failed{class} while other keys were answered: \
             check {that}, and replace or remove what is refused; the numbers of the stages contain these failures."
        ),
        format!(
            "{all} 个 Key 中 {names} 的 {requests} 个请求全部失败{class}，其余 Key 有正常应答：请检查并更换或移除；各级数据均包含这些失败。"
        ),
    ))
}

/// The class that a bad key is refused with, where it accounts for so many failures.
fn refused<'a>(facts: &Facts<'a>, requests: u64) -> Option<&'a str> {
    let errors = || facts.ran.iter().flat_map(|stage| &stage.errors);
    let of_keys = [ErrorClass::Unauthorized, ErrorClass::Forbidden, ErrorClass::Quota];
    of_keys.into_iter().find_map(|class| {
        let sum: u64 = errors().filter(|error| error.class == class.name()).map(|error| error.count).sum();
        (sum >= requests).then(|| class.name())
    })
}

fn over_all_stages<'a>(facts: &Facts<'a>) -> Vec<Key<'a>> {
    // By place, for `key 10` comes before `key 2` in the alphabet.
    let mut keys: BTreeMap<usize, Key<'a>> = BTreeMap::new();
    for stage in &facts.ran {
        for (place, line) in stage.keys.iter().enumerate() {
            let key =
                keys.entry(place).or_insert(Key { name: &line.key, requests: 0, http_429: 0, failed: 0 });
            key.requests += line.requests;
            key.http_429 += line.http_429;
            key.failed += line.failed;
        }
    }
    keys.into_values().collect()
}

fn listed(names: &[&str], lang: Lang) -> String {
    match names {
        [names @ .., last] if !names.is_empty() => {
            names.join(lang.pick(", ", "、")) + lang.pick(" and ", "、") + last
        }
        names => names.concat(),
    }
}
