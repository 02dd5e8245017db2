//! Whether the limit is one key's quota rather than the endpoint.

use std::collections::BTreeMap;

use super::Facts;
use crate::Lang;

/// Fewer requests than this say nothing about keys that were not limited.
const FEWEST: u64 = 20;
/// If all keys were alike, those without a 429 would have had this many: that none came is no chance (under 1 %).
const EXPECTED: f64 = 5.0;

/// A key over the whole run.
struct Key<'a> {
    name: &'a str,
    requests: u64,
    http_429: u64,
}

/// Said where some keys were answered 429 and the others, asked often enough, not once.
pub(super) fn limited(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let keys = over_all_stages(facts);
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

fn over_all_stages<'a>(facts: &Facts<'a>) -> Vec<Key<'a>> {
    // By place, for `key 10` comes before `key 2` in the alphabet.
    let mut keys: BTreeMap<usize, Key<'a>> = BTreeMap::new();
    for stage in &facts.ran {
        for (place, line) in stage.keys.iter().enumerate() {
            let key = keys.entry(place).or_insert(Key { name: &line.key, requests: 0, http_429: 0 });
            key.requests += line.requests;
            key.http_429 += line.http_429;
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
