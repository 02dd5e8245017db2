//! `[target.b]` laid over `[target]`: what B does not say is as in A, and what it says displaces what A says of the same
//! thing in other words.

use super::api::named_by;
use super::settings::Settings;
use super::url::named_by_base;
use crate::layers::{Node, NodeKind};
use crate::plan::{Api, Auth};

/// The keys that say where requests go.
pub(super) const ADDRESS: &[&str] = &["base_url", "host", "port", "scheme"];
/// The keys that say who asks.
pub(super) const CREDENTIALS: &[&str] =
    &["api_key", "api_key_env", "api_key_file", "headers.authorization", "headers.x-api-key"];
/// The ways to check a certificate.
const ROOTS: &[&str] = &["tls.ca_file", "tls.insecure"];

/// Where B says one of the first, it inherits none of the second.
const DISPLACED: &[(&[&str], &[&str])] = &[
    (ADDRESS, ADDRESS),
    (CREDENTIALS, CREDENTIALS),
    (ROOTS, ROOTS),
    (&["timeout"], &["timeouts.first_token", "timeouts.idle"]),
];

/// The tables whose rows are inherited one by one.
const TABLES: &[&str] = &["headers", "timeouts", "tls", "response"];

/// B as a whole.
pub(super) struct Overlay {
    /// Its table, with what it inherits.
    pub(super) table: Node,
    /// The protocol of A, where B's own path does not say another.
    pub(super) api: Option<Api>,
}

type Row = (String, Node);

/// Lays `b` over `target`; `a` is what the latter says.
pub(super) fn overlay(target: &Node, b: &Node, a: &Settings) -> Overlay {
    let another_api = speaks_another(b, a);
    let dropped = dropped(b, a, another_api);
    let is_dropped = |key: &str| dropped.iter().any(|name| name.eq_ignore_ascii_case(key));
    let mut all = laid_over(rows(target), rows(b), is_dropped);
    for (key, node) in all.iter_mut().filter(|(key, _)| TABLES.contains(&key.as_str())) {
        let inherited = target.get(key).filter(|_| !is_dropped(key)).map_or(&[][..], rows);
        if let NodeKind::Table(_) = node.kind {
            let own = b.get(key).map_or(&[][..], rows);
            node.kind =
                NodeKind::Table(laid_over(inherited, own, |name| is_dropped(&format!("{key}.{name}"))));
        }
    }
    let api = Some(a.api).filter(|_| !another_api);
    Overlay { table: Node { kind: NodeKind::Table(all), ..b.clone() }, api }
}

/// Whether a table has one of these keys: `key`, or `table.key`.
pub(super) fn says(table: &Node, keys: &[&str]) -> bool {
    keys.iter().any(|key| match key.split_once('.') {
        Some((outer, inner)) => find(table, outer).and_then(|table| find(table, inner)).is_some(),
        None => find(table, key).is_some(),
    })
}

/// Whether B says itself, or by its path, that it speaks another protocol than A.
fn speaks_another(b: &Node, a: &Settings) -> bool {
    if let Some(api) = b.get("api").and_then(Node::as_text) {
        return api != a.api.name();
    }
    let by_path = b.get("api_path").and_then(Node::as_text).and_then(named_by);
    let named = by_path.or_else(|| b.get("base_url").and_then(Node::as_text).and_then(named_by_base));
    // A custom api may be served at the path of a known one.
    named.is_some_and(|api| api != a.api && a.path().and_then(named_by) != Some(api))
}

/// What B does not inherit, because it says something else instead.
fn dropped(b: &Node, a: &Settings, another_api: bool) -> Vec<&'static str> {
    let mut dropped = vec!["b", "provider"];
    for (_, displaced) in DISPLACED.iter().filter(|(said, _)| says(b, said)) {
        dropped.extend(*displaced);
    }
    if another_api {
        dropped.extend(["api", "api_path", "response", "auth"]);
    }
    if b.get("base_url").and_then(Node::as_text).and_then(named_by_base).is_some() {
        dropped.push("api_path");
    }
    if says(b, CREDENTIALS) && a.auth == Auth::None {
        dropped.push("auth");
    }
    dropped
}

/// The rows of both tables in the order of the weaker one; names of headers are the same in any case.
fn laid_over(inherited: &[Row], own: &[Row], is_dropped: impl Fn(&str) -> bool) -> Vec<Row> {
    let of = |rows: &[Row], name: &str| rows.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).cloned();
    let replaced = inherited
        .iter()
        .filter_map(|row| of(own, &row.0).or_else(|| (!is_dropped(&row.0)).then(|| row.clone())));
    let further = own.iter().filter(|(key, _)| of(inherited, key).is_none()).cloned();
    replaced.chain(further).collect()
}

fn find<'n>(table: &'n Node, name: &str) -> Option<&'n Node> {
    rows(table).iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, node)| node)
}

fn rows(node: &Node) -> &[Row] {
    match &node.kind {
        NodeKind::Table(rows) => rows,
        _ => &[],
    }
}
