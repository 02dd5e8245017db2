//! What was laid over the file, for the result: secrets masked, in the order applied.

use std::collections::BTreeMap;

use crate::key_path::KeyPath;
use crate::layers::{Entry, Layer, Node, NodeKind, Origin};
use crate::plan::Override;

/// Every value that a stronger layer than the file gave.
pub(crate) fn overrides(root: &Node, layers: &[Layer]) -> Vec<Override> {
    let mut nodes = BTreeMap::new();
    leaves(root, &mut nodes);
    let mut all = Vec::new();
    for (rank, layer) in layers.iter().enumerate() {
        if matches!(layer.origin, Origin::Defaults | Origin::File) {
            continue;
        }
        let stronger = &layers[rank + 1..];
        let effective =
            layer.entries.iter().filter(|(path, _)| !stronger.iter().any(|layer| layer.has(path)));
        let mut entries: Vec<_> =
            effective.filter_map(|(path, entry)| Some((*nodes.get(path)?, path, entry))).collect();
        entries.sort_by_key(|(_, _, entry)| entry.order);
        all.extend(entries.into_iter().map(|(node, path, entry)| told(node, path, entry, &layer.origin)));
    }
    all
}

fn told(node: &Node, path: &KeyPath, entry: &Entry, origin: &Origin) -> Override {
    Override {
        key: path.to_string(),
        value: node.as_toml(),
        source: match origin {
            Origin::Profile(name) => format!("profile {name}"),
            Origin::Defaults | Origin::File | Origin::Environment | Origin::CommandLine => {
                entry.source.split_whitespace().next().unwrap_or("").to_owned()
            }
        },
        changes_workload: changes_workload(path),
    }
}

/// Tables are told by their values; arrays as a whole.
fn leaves<'a>(node: &'a Node, into: &mut BTreeMap<KeyPath, &'a Node>) {
    match &node.kind {
        NodeKind::Table(rows) => rows.iter().for_each(|(_, node)| leaves(node, into)),
        _ => {
            into.insert(node.path.clone(), node);
        }
    }
}

/// What is sent and how hard. Where it goes, how long one waits and how it is reported are no workload, nor is the
/// seed, which only picks among equals.
fn changes_workload(path: &KeyPath) -> bool {
    let harmless = matches!(path.name(), "api_key_file" | "seed" | "drain_timeout");
    matches!(path.section(), "load" | "data") && !harmless
}
