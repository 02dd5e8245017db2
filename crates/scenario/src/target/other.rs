//! The other side of an A/B run: `[target.b]`, read as a target of its own.

use super::overlay::{ADDRESS, CREDENTIALS, overlay, says};
use super::settings::{Settings, read_with};
use super::url::named_by_base;
use crate::diagnostic::{Place, masked};
use crate::layers::{Node, NodeKind};
use crate::plan::{Auth, Endpoint, Header, Keys, Server};
use crate::read::Section;

/// Reads `[target.b]`, if there is one; `a` is what `[target]` says. Nothing secret of A goes to another host.
pub(crate) fn read_other(target: Section<'_>, data: Section<'_>, a: &Settings) -> Option<Settings> {
    let own = target.said("b").filter(|node| matches!(node.kind, NodeKind::Table(_)))?;
    let whole = overlay(target.node()?, own, a);
    let section = Section::new(Some(&whole.table), target.context);
    // The key file of [data] is A's.
    let data = if says(own, CREDENTIALS) { Section::new(None, data.context) } else { data };
    let mut b = read_with(section, data, whole.api);
    refuse_two_paths(target, own, &b, section);
    if let (Some(from), Some(to)) = (&a.server, &b.server)
        && let Some(hosts) = Hosts::apart(from, to)
    {
        withhold(&mut b, own, &hosts, section);
    }
    Some(b)
}

/// An address of A that ends in the path of A's api is no base for another api.
fn refuse_two_paths(target: Section<'_>, own: &Node, b: &Settings, section: Section<'_>) {
    let inherited = target.get("base_url").filter(|_| !says(own, ADDRESS)).and_then(Node::as_text);
    let Some(of_a) = inherited.and_then(named_by_base).filter(|api| *api != b.api) else { return };
    let Some(said) = own.get("api").or_else(|| own.get("api_path")) else { return };
    section.context.problems.error_with_hint(
        &said.place,
        format!(
            "`base_url` of [target] ends in the path of `{}`, and B speaks `{}`",
            of_a.name(),
            b.api.name()
        ),
        "say `base_url` in [target.b] too",
    );
}

/// Two hosts that are not one and the same.
struct Hosts {
    from: String,
    to: String,
}

impl Hosts {
    /// None where what A's host may know B's knows anyway. The built-in server is part of this program.
    fn apart(from: &Server, to: &Server) -> Option<Self> {
        let Server::At(to) = to else { return None };
        let from = match from {
            Server::At(from) if is_same(from, to) => return None,
            Server::At(from) => from.host.clone(),
            Server::Mock { .. } => "the built-in server".to_owned(),
        };
        Some(Self { from, to: to.host.clone() })
    }
}

fn is_same(one: &Endpoint, other: &Endpoint) -> bool {
    one.host.eq_ignore_ascii_case(&other.host) || (one.is_loopback() && other.is_loopback())
}

/// Takes from B what A's host alone may know; where the run would then lack something, that is an error.
fn withhold(b: &mut Settings, own: &Node, hosts: &Hosts, section: Section<'_>) {
    if !says(own, &["tls.server_name"]) {
        b.tls.server_name = None;
    }
    let said = section.all_said(ADDRESS).first().map(|node| node.place.clone());
    let place = said.unwrap_or_else(|| section.place());
    let refuse = |what: &str, hint: &str| {
        let message = format!("{what} is for `{}`: it is not sent to `{}`, where B is", hosts.from, hosts.to);
        section.context.problems.error_with_hint(&place, message, hint);
    };
    let path = section.get("api_path").filter(|_| !says(own, &["api_path"])).and_then(Node::as_text);
    if path.is_some_and(|path| masked(path) != path) {
        refuse("the secret in `api_path`", "say `api_path` in [target.b] too");
    }
    let taken = take_secrets(b, own);
    if own.get("auth").and_then(Node::as_text) != Some("none") {
        taken.iter().for_each(|secret| refuse(secret, hint(&place)));
    }
}

/// Takes the headers and keys that B does not say itself, and names those that would have been sent.
fn take_secrets(b: &mut Settings, own: &Node) -> Vec<String> {
    let is_own = |header: &Header| says(own, &[&format!("headers.{}", header.name)]);
    let (kept, taken): (Vec<Header>, Vec<Header>) =
        b.explicit.drain(..).partition(|header| !header.masked || is_own(header));
    b.explicit = kept;
    let mut secrets: Vec<String> =
        taken.iter().map(|header| format!("the header `{}`", header.name)).collect();
    if !says(own, CREDENTIALS) {
        let Keys { values, source } = std::mem::take(&mut b.keys);
        let sent = !values.is_empty() && b.auth != Auth::None;
        secrets.extend(source.filter(|_| sent).map(|source| format!("the key from {source}")));
    }
    secrets
}

/// How to say what B's own host may know.
fn hint(place: &Place) -> &'static str {
    match place {
        Place::Layer(_) => {
            "say `--set target.b.api_key_env=NAME`, or `--set target.b.auth=none` where none is needed"
        }
        Place::Text { .. } | Place::Line { .. } | Place::File(_) => {
            "say `api_key = \"${NAME}\"` (or the header) in [target.b], or `auth = \"none\"` where none is needed"
        }
    }
}
