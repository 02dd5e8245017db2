//! `proxy`: none unless the scenario says so, whatever the environment holds.

use std::net::IpAddr;

use ipnet::IpNet;
use url::Url;

use super::url::user_info;
use crate::Secret;
use crate::layers::Node;
use crate::plan::{Endpoint, Proxy, Scheme, Server};
use crate::read::{Context, Section};

/// Reads `proxy` for the server that requests go to.
pub(super) fn read(section: Section<'_>, server: Option<&Server>) -> Option<Proxy> {
    let node = section.get("proxy")?;
    let text = section.context.text(node)?.trim();
    let proxy = match (text, server) {
        ("none", _) => return None,
        ("env", Some(Server::At(endpoint))) => from_environment(section.context, node, endpoint),
        ("env", _) => return None,
        (url, _) => named(section.context, node, url),
    };
    if matches!(server, Some(Server::Mock { .. })) {
        section.context.problems.notice("the built-in server is reached without the proxy");
        return None;
    }
    proxy
}

fn named(context: &Context<'_>, node: &Node, url: &str) -> Option<Proxy> {
    let proxy = parse(url, "target.proxy");
    if proxy.is_none() {
        // Not what was found: it may hold a password.
        let message = "expected \"none\", \"env\" or an address such as \"http://proxy:3128\" for `proxy`";
        let hint = "proxies are spoken to in plain HTTP; SOCKS is not supported";
        context.problems.error_with_hint(&node.place, message, hint);
    }
    proxy
}

/// The variable for the endpoint's scheme, else the one for all, unless `NO_PROXY` names the host.
fn from_environment(context: &Context<'_>, node: &Node, endpoint: &Endpoint) -> Option<Proxy> {
    let said = |name: &'static str| {
        let text = context.environment.get(name)?.trim();
        (!text.is_empty()).then_some((name, text))
    };
    let names: &[&'static str] = match endpoint.scheme {
        Scheme::Http => &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
        Scheme::Https => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let (name, text) = names.iter().find_map(|name| said(name))?;
    let exceptions = said("no_proxy").or_else(|| said("NO_PROXY")).map_or("", |(_, text)| text);
    if is_excepted(exceptions, endpoint) {
        context.problems.notice(format!("NO_PROXY names `{}`: the proxy is not used", endpoint.host));
        return None;
    }
    let proxy = parse(text, name);
    if proxy.is_none() {
        let message = format!("the variable `{name}` holds no address of a proxy that can be used");
        let hint = "expected an address such as `http://proxy:3128`; SOCKS is not supported";
        context.problems.error_with_hint(&node.place, message, hint);
    }
    proxy
}

/// `http://[user:password@]host[:port]`; the scheme may be left out, as in many environments.
fn parse(text: &str, source: &str) -> Option<Proxy> {
    let url = match text.contains("://") {
        true => Url::parse(text),
        false => Url::parse(&format!("http://{text}")),
    };
    let url = url.ok().filter(|url| url.scheme() == "http" && matches!(url.path(), "" | "/"))?;
    let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
    Some(Proxy {
        host,
        port: url.port().unwrap_or(80),
        user_info: user_info(&url).map(Secret::new),
        source: source.to_owned(),
    })
}

/// Whether `NO_PROXY` names the host: `*`, a domain with all below it, an address, or a network. The names and addresses
/// of this machine itself stand for one another.
fn is_excepted(exceptions: &str, endpoint: &Endpoint) -> bool {
    let hosts: &[&str] = match endpoint.is_loopback() {
        true => &[&endpoint.host, "localhost", "127.0.0.1", "::1"],
        false => &[&endpoint.host],
    };
    let mut entries = exceptions.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty());
    entries.any(|entry| hosts.iter().any(|host| names(entry, host, endpoint.port)))
}

fn names(entry: &str, host: &str, port: u16) -> bool {
    let entry = entry.strip_suffix(&format!(":{port}")).unwrap_or(entry).trim_matches(['[', ']']);
    if entry == "*" || entry.eq_ignore_ascii_case(host) {
        return true;
    }
    if let Ok(address) = host.parse::<IpAddr>() {
        return entry.parse::<IpNet>().is_ok_and(|network| network.contains(&address));
    }
    let domain = entry.trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase();
    let host = host.to_ascii_lowercase();
    host == domain || host.ends_with(&format!(".{domain}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(host: &str) -> Endpoint {
        Endpoint { scheme: Scheme::Http, host: host.into(), port: 8080, path: "/".into() }
    }

    #[test]
    fn no_proxy_names_domains_addresses_and_networks() {
        let rows = [
            ("*", "api.example.com", true),
            ("example.com", "api.example.com", true),
            (".example.com", "example.com", true),
            ("*.example.com", "a.b.example.com", true),
            ("example.com:8080", "example.com", true),
            ("example.com:9090", "example.com", false),
            ("ample.com", "example.com", false),
            ("other.org, EXAMPLE.com", "example.COM", true),
            ("10.0.0.0/8", "10.1.2.3", true),
            ("10.0.0.0/8", "11.1.2.3", false),
            ("192.168.1.7", "192.168.1.7", true),
            ("fd00::/8", "fd00::1", true),
            ("", "example.com", false),
            ("localhost", "127.0.0.1", true),
            ("127.0.0.1", "localhost", true),
            ("[::1]", "localhost", true),
            ("localhost", "example.com", false),
        ];
        for (exceptions, host, expected) in rows {
            assert_eq!(is_excepted(exceptions, &endpoint(host)), expected, "{exceptions} {host}");
        }
    }

    #[test]
    fn an_address_may_leave_out_the_scheme_and_carry_a_password() {
        let proxy = parse("proxy:3128", "x").unwrap();
        assert_eq!((proxy.shown().as_str(), proxy.user_info.is_none()), ("http://proxy:3128", true));
        let proxy = parse("http://me:p%40ss@[::1]:1", "x").unwrap();
        assert_eq!(proxy.shown(), "http://[::1]:1");
        assert_eq!(proxy.user_info.unwrap().expose(), "me:p@ss");
        for wrong in ["socks5://proxy:1080", "https://proxy", "http://", "http://proxy:3128/path", "::"] {
            assert!(parse(wrong, "x").is_none(), "{wrong}");
        }
    }
}
