//! Several ways to say one thing: a stronger layer's way displaces the weaker layers' other ways.
//!
//! Without this `--set target.port=8080` over a file with `base_url` would be a conflict that nobody can resolve
//! from the command line. Inside one layer two ways remain a conflict, reported by the section's reader.

use super::layer::Layer;
use crate::key_path::KeyPath;

/// Each group lists the ways; each way the keys that belong to it.
const GROUPS: &[&[&[&str]]] = &[
    &[&["target.base_url"], &["target.host", "target.port", "target.scheme"]],
    &[&["target.api_key"], &["target.api_key_env"], &["target.api_key_file", "data.api_key_file"]],
    &[&["load.stages"], &["load.stage"], &["load.threads"], &["load.rate"]],
    &[&["load.stage_duration"], &["load.stage_requests"], &["load.duration"], &["load.requests"]],
    &[&["load.ramp_up"], &["load.spawn_rate"]],
    &[&["load.warm_up.requests"], &["load.warm_up.duration"]],
    &[&["data.query"], &["data.queries"], &["data.trace"]],
    &[&["target.tls.ca_file"], &["target.tls.insecure"]],
    &[
        &["target.response.done.event"],
        &["target.response.done.data"],
        &["target.response.done.pointer", "target.response.done.equals"],
    ],
];

/// Removes from the weaker layers what a stronger one says in another way. `layers` runs from weak to strong.
pub(super) fn displace(layers: &mut [Layer]) {
    let groups = groups();
    for strong in (1..layers.len()).rev() {
        let (weaker, stronger) = layers.split_at_mut(strong);
        for ways in &groups {
            let Some(chosen) =
                ways.iter().position(|way| way.iter().any(|key| stronger[0].has(&KeyPath::dotted(key))))
            else {
                continue;
            };
            let others = ways.iter().enumerate().filter(|(place, _)| *place != chosen);
            for key in others.flat_map(|(_, way)| way.iter()) {
                weaker.iter_mut().for_each(|layer| layer.remove(key));
            }
        }
    }
}

/// Ways, each with its keys.
type Group = Vec<Vec<String>>;

/// The groups, and those of `[target]` once more for the other side of an A/B run.
fn groups() -> Vec<Group> {
    let of_a = |key: &str| Some(key.to_owned());
    let of_b = |key: &str| key.strip_prefix("target.").map(|name| format!("target.b.{name}"));
    let named = |ways: &&[&[&str]], side: fn(&str) -> Option<String>| -> Group {
        ways.iter().map(|way| way.iter().filter_map(|key| side(key)).collect()).collect()
    };
    GROUPS.iter().flat_map(|ways| [named(ways, of_a), named(ways, of_b)]).collect()
}
