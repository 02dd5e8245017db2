//! Where requests go: `base_url`, or `host`, `port` and `scheme`.

use super::url::{Resolved, resolve};
use crate::plan::{Api, Server};
use crate::read::Section;

const EITHER: &str = "either `base_url = \"https://host/path\"`, or `host` and `port`";

/// Reads the address; `None` when there is none (reported).
pub(super) fn read(section: Section<'_>, api: Option<Api>) -> Option<Resolved> {
    let problems = section.context.problems;
    let parts = section.all_said(&["host", "port", "scheme"]);
    if let (Some(_), Some(part)) = (section.said("base_url"), parts.first()) {
        problems.error_with_hint(&part.key, format!("`{}` beside `base_url`", part.path.name()), EITHER);
        return None;
    }
    let api_path = section.visible_text("api_path");
    let (base, key) = match section.said("base_url") {
        Some(_) => (section.text("base_url")?, "base_url"),
        None if parts.is_empty() => {
            section
                .missing("nothing says where requests go", format!("{EITHER}; or `base_url = \"mock://\"`"));
            return None;
        }
        None => (from_parts(section)?, if section.said("host").is_some() { "host" } else { "port" }),
    };
    match resolve(&base, api, api_path.as_deref()) {
        Ok(resolved) => {
            check_allowed(section, &resolved);
            Some(resolved)
        }
        Err(problem) => {
            let key = if problem.message.contains("api_path") { "api_path" } else { key };
            let place = section.get(key).map_or_else(|| section.place(), |node| node.place.clone());
            problems.error_with_hint(&place, problem.message, problem.hint);
            None
        }
    }
}

fn from_parts(section: Section<'_>) -> Option<String> {
    let host = match section.said("host") {
        Some(node) => {
            let host = section.visible_text("host")?.trim().to_owned();
            if host.contains("://") || host.contains(['/', '?', '#', '@']) {
                section.context.expected_with_hint(
                    node,
                    "a host name or address",
                    "a whole URL goes into `base_url`",
                );
                return None;
            }
            host
        }
        None => "localhost".to_owned(),
    };
    let port = section.said("port").map(|_| section.count("port", 1..=65_535));
    if port == Some(None) {
        return None;
    }
    let port = port.flatten();
    let scheme = match section.said("scheme") {
        Some(_) => section.choice("scheme", &[("http", "http"), ("https", "https")])?,
        None if port == Some(443) => "https",
        None => "http",
    };
    let host = if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host };
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{scheme}://{host}{port}"))
}

/// `allow`: a scenario that is made for one host cannot be pointed at another by mistake.
fn check_allowed(section: Section<'_>, resolved: &Resolved) {
    let allowed = section.list("allow").iter().filter_map(|node| section.context.text(node));
    let allowed: Vec<&str> = allowed.collect();
    let (Some(_), Server::At(endpoint)) = (section.get("allow"), &resolved.server) else { return };
    let with_port = format!("{}:{}", endpoint.host, endpoint.port);
    let same =
        |host: &&str| host.eq_ignore_ascii_case(&endpoint.host) || host.eq_ignore_ascii_case(&with_port);
    if !allowed.iter().any(|host| same(&host.trim_matches(['[', ']']))) {
        let place = section.all_said(&["base_url", "host", "port"]).first().map(|node| node.place.clone());
        section.context.problems.error_with_hint(
            &place.unwrap_or_else(|| section.place()),
            format!("this scenario may not be pointed at `{}`", endpoint.host),
            format!("`allow` lists {}", allowed.join(", ")),
        );
    }
}
