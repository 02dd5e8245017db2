//! From a base URL (and perhaps a path) to the address that requests go to. Pure.

use url::{Host, Url};

use super::api::{ends, named_by};
use crate::diagnostic::masked;
use crate::plan::{Api, Endpoint, Scheme, Server};

/// An address and what came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) server: Server,
    pub(super) api: Api,
    /// The base for people: without user info, secret query values masked.
    pub(super) shown: String,
    /// `user:password` of the URL, decoded.
    pub(super) user_info: Option<String>,
}

/// Why a URL cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UrlProblem {
    pub(super) message: String,
    pub(super) hint: String,
}

/// Resolves a base. `api` and `api_path` are those that the scenario says, if any.
pub(super) fn resolve(base: &str, api: Option<Api>, api_path: Option<&str>) -> Result<Resolved, UrlProblem> {
    let base = base.trim();
    if let Some(path) = api_path {
        check_path(path)?;
    }
    if base == "mock:" || base.starts_with("mock:/") {
        return mock(base, api, api_path);
    }
    let url = parse(base)?;
    let api = match api {
        Some(api) => api,
        None => told_by(api_path, url.path()),
    };
    let path = request_path(url.path(), url.query(), api, api_path)?;
    let endpoint = endpoint(&url, path)?;
    let without_path = Endpoint { path: String::new(), ..endpoint.clone() };
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let base_path = if url.path() == "/" && !base.ends_with('/') { "" } else { url.path() };
    let shown = masked(&format!("{}{base_path}{query}", without_path.url()));
    Ok(Resolved { server: Server::At(endpoint), api, shown, user_info: user_info(&url) })
}

fn mock(base: &str, api: Option<Api>, api_path: Option<&str>) -> Result<Resolved, UrlProblem> {
    let rest = base.strip_prefix("mock://").unwrap_or("");
    let settings = rest.strip_prefix('?').unwrap_or(rest);
    if !rest.is_empty() && !rest.starts_with('?') {
        return Err(problem(
            "the built-in mock has no host and no path",
            "write `mock://` or `mock://?ttft=50ms&itl=10ms`",
        ));
    }
    let api = match api {
        Some(api) => api,
        None => told_by(api_path, ""),
    };
    let path = request_path("", None, api, api_path)?;
    let server = Server::Mock { settings: settings.to_owned(), path };
    Ok(Resolved { server, api, shown: base.to_owned(), user_info: None })
}

fn parse(base: &str) -> Result<Url, UrlProblem> {
    let Some((scheme, rest)) = base.split_once("://") else {
        let local = base.starts_with("localhost") || base.starts_with("127.") || base.starts_with('[');
        let scheme = if local { "http" } else { "https" };
        return Err(problem("the URL has no scheme", format!("write `{scheme}://{}`", masked(base))));
    };
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
        return Err(problem(
            format!("the scheme `{scheme}` cannot be spoken"),
            "one of `https`, `http`, `mock`",
        ));
    }
    if rest.is_empty() || rest.starts_with(['/', '?', '#', ':']) {
        return Err(problem("the URL has no host", "write `https://host/path`"));
    }
    if base.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(problem("the URL has white space in it", "take it out, or write it as `%20`"));
    }
    let url = Url::parse(base)
        .map_err(|error| problem(format!("not a URL: {error}"), "write `https://host/path`"))?;
    if url.fragment().is_some() {
        return Err(problem("the URL has a fragment (`#...`), which is never sent", "take it out"));
    }
    if let Some((name, _)) = url.query_pairs().find(|(name, _)| name.to_lowercase().starts_with("utm_")) {
        let hint = "the address of an API has no campaign parameters; look it up in the provider's docs";
        return Err(problem(format!("`{name}` in the URL: this is a web page's address"), hint));
    }
    Ok(url)
}

fn check_path(path: &str) -> Result<(), UrlProblem> {
    if path.contains("://") {
        return Err(problem("`api_path` is a whole URL", "put it into `base_url`, or keep only the path"));
    }
    if path.contains('#') {
        return Err(problem("`api_path` has a fragment (`#...`), which is never sent", "take it out"));
    }
    match path.chars().find(|c| !c.is_ascii_graphic()) {
        Some(_) => Err(problem("`api_path` has a character that no path may have", "percent-encode it")),
        None => Ok(()),
    }
}

fn told_by(api_path: Option<&str>, base_path: &str) -> Api {
    named_by(api_path.unwrap_or(base_path)).unwrap_or(Api::OpenAiChat)
}

fn endpoint(url: &Url, path: String) -> Result<Endpoint, UrlProblem> {
    let scheme = if url.scheme() == "https" { Scheme::Https } else { Scheme::Http };
    let host = match url.host() {
        Some(Host::Domain(name)) => name.to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => return Err(problem("the URL has no host", "write `https://host/path`")),
    };
    match url.port_or_known_default() {
        Some(port) if port > 0 => Ok(Endpoint { scheme, host, port, path }),
        _ => Err(problem("port 0 cannot be connected to", "write the server's port")),
    }
}

/// Path and query of a request: the rules that decide between `/v1` once, twice and not at all.
fn request_path(
    base_path: &str,
    query: Option<&str>,
    api: Api,
    api_path: Option<&str>,
) -> Result<String, UrlProblem> {
    let base: Vec<&str> = segments(base_path);
    let (path, more_query) = match api_path.map(|path| path.split_once('?').unwrap_or((path, ""))) {
        Some((path, query)) => (join_said(&base, path), query),
        None if ends(api).iter().any(|end| base.ends_with(&segments(end))) => (base_path.to_owned(), ""),
        None => (default_path(&base, api)?, ""),
    };
    let queries: Vec<&str> =
        [query.unwrap_or(""), more_query].into_iter().filter(|query| !query.is_empty()).collect();
    Ok(match queries.is_empty() {
        true => path,
        false => format!("{path}?{}", queries.join("&")),
    })
}

/// The api's own path below a base that does not have it yet.
fn default_path(base: &[&str], api: Api) -> Result<String, UrlProblem> {
    let Some(own) = api.paths().first().map(|path| segments(path)) else {
        return match base.is_empty() {
            true => Err(problem(
                "nothing says which path of the host is called: a custom api has none of its own",
                "write `api_path = \"/v1/...\"`, or a whole path into `base_url`",
            )),
            false => Ok(format!("/{}", base.join("/"))),
        };
    };
    let last = base.last().copied().unwrap_or_default();
    let keeps_version = match api {
        Api::OpenAiChat | Api::OpenAiCompletions | Api::OpenAiResponses | Api::DifyChat => base.is_empty(),
        Api::AnthropicMessages => !is_version(last),
        Api::OllamaChat | Api::Custom => last != api.version(),
    };
    let version: &[&str] = if keeps_version { &[api.version()] } else { &[] };
    Ok(format!("/{}", [base, version, &own].concat().join("/")))
}

fn join_said(base: &[&str], path: &str) -> String {
    let said = segments(path);
    let slash = if path.ends_with('/') && !said.is_empty() { "/" } else { "" };
    if base.ends_with(&said) {
        return format!("/{}{slash}", base.join("/"));
    }
    let doubled = base.last().is_some_and(|last| is_version(last) && said.first() == Some(last));
    let base = if doubled { &base[..base.len() - 1] } else { base };
    format!("/{}{slash}", [base, &said].concat().join("/"))
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

/// `v1`, `v4`, `v1beta`.
fn is_version(segment: &str) -> bool {
    let digits = segment.strip_prefix(['v', 'V']).unwrap_or("");
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The protocol that the path of a base names.
pub(super) fn named_by_base(base: &str) -> Option<Api> {
    named_by(Url::parse(base.trim()).ok()?.path())
}

/// `user:password` of a URL, decoded.
pub(super) fn user_info(url: &Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let decode = |text: &str| percent_decoded(text);
    Some(format!("{}:{}", decode(url.username()), decode(url.password().unwrap_or(""))))
}

fn percent_decoded(text: &str) -> String {
    // The form decoder also turns `+` into a space, so a `+` is protected first.
    let pair = format!("x={}", text.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(pair.as_bytes())
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

fn problem(message: impl Into<String>, hint: impl Into<String>) -> UrlProblem {
    UrlProblem { message: message.into(), hint: hint.into() }
}

#[cfg(test)]
mod tests;
