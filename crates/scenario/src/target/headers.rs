//! The headers of a request: generated ones, replaced by explicit ones of the same name whatever its case.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::Secret;
use crate::diagnostic::{is_secret_name, masked};
use crate::layers::Node;
use crate::plan::{Api, Format, Header};
use crate::read::Section;

/// Headers that the HTTP connection itself writes.
const MANAGED: &[&str] =
    &["content-length", "transfer-encoding", "connection", "host", "expect", "upgrade", "te"];

/// The headers of requests of `api` that ask for answers in `format`, without auth and request id.
pub(super) fn generated(api: Api, format: Format, user_info: Option<&str>) -> Vec<Header> {
    let mut headers = vec![
        plain("content-type", "application/json"),
        plain("accept", format.media_type()),
        plain("accept-encoding", "identity"),
        plain("user-agent", concat!("rungs/", env!("CARGO_PKG_VERSION"))),
    ];
    if api == Api::AnthropicMessages {
        headers.push(plain("anthropic-version", "2023-06-01"));
    }
    if let Some(user_info) = user_info {
        let value = Secret::new(format!("Basic {}", STANDARD.encode(user_info)));
        headers.push(Header { name: "authorization".into(), value, masked: true });
    }
    headers
}

/// The explicit headers of `[target.headers]`, names lower-case.
pub(super) fn explicit(section: Section<'_>) -> Vec<Header> {
    let mut headers: Vec<Header> = Vec::new();
    for (name, node) in section.rows("headers") {
        if let Some(header) = read_one(name, node, section) {
            if headers.iter().any(|other| other.name == header.name) {
                let message = format!("the header `{}` is given twice", header.name);
                section.context.problems.error_with_hint(
                    &node.key,
                    message,
                    "header names are the same in any case",
                );
            }
            headers.push(header);
        }
    }
    headers
}

/// Generated headers with the explicit ones in their place.
pub(super) fn merged(mut generated: Vec<Header>, explicit: Vec<Header>, section: Section<'_>) -> Vec<Header> {
    for header in explicit {
        match generated.iter_mut().find(|other| other.name == header.name) {
            Some(other) => {
                section.context.problems.notice(format!(
                    "the header `{}` is the scenario's own, not the generated one",
                    header.name
                ));
                *other = header;
            }
            None => generated.push(header),
        }
    }
    generated
}

/// A header's name, if it is one: lower-case.
pub(super) fn header_name(name: &str) -> Option<String> {
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    (!name.is_empty() && name.chars().all(token)).then(|| name.to_ascii_lowercase())
}

fn read_one(written: &str, node: &Node, section: Section<'_>) -> Option<Header> {
    let problems = section.context.problems;
    let Some(name) = header_name(written) else {
        problems.error(&node.key, format!("`{written}` is not a header name"));
        return None;
    };
    if MANAGED.contains(&name.as_str()) {
        problems.error_with_hint(
            &node.key,
            format!("the header `{name}` is written by the connection itself"),
            "take it out",
        );
        return None;
    }
    let value = section.context.text(node)?.trim();
    if let Some(at) = value.chars().position(|c| c != '\t' && (c.is_control() || !c.is_ascii())) {
        let message =
            format!("the header `{name}` has a character that no header may have (character {})", at + 1);
        problems.error_with_hint(&node.place, message, "only visible ASCII characters and spaces");
        return None;
    }
    // A key is one under any name, by its shape.
    let is_secret = !node.variables.is_empty() || is_secret_name(&name) || masked(value) != value;
    Some(Header { name, value: Secret::new(value), masked: is_secret })
}

fn plain(name: &str, value: &str) -> Header {
    Header { name: name.into(), value: Secret::new(value), masked: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_info_becomes_a_masked_basic_header() {
        let headers = generated(Api::OpenAiChat, Format::Sse, Some("user:pass"));
        let header = headers.iter().find(|header| header.name == "authorization").unwrap();
        assert_eq!((header.value.expose(), header.masked), ("Basic dXNlcjpwYXNz", true));
    }

    #[test]
    fn a_stream_is_asked_for_by_name_and_never_compressed() {
        let value = |format, name: &str| {
            let headers = generated(Api::AnthropicMessages, format, None);
            headers.iter().find(|header| header.name == name).map(|header| header.value.expose().to_owned())
        };
        assert_eq!(value(Format::Sse, "accept").as_deref(), Some("text/event-stream"));
        assert_eq!(value(Format::Ndjson, "accept").as_deref(), Some("application/x-ndjson"));
        assert_eq!(value(Format::Json, "accept").as_deref(), Some("application/json"));
        assert_eq!(value(Format::Sse, "accept-encoding").as_deref(), Some("identity"));
        assert_eq!(value(Format::Sse, "anthropic-version").as_deref(), Some("2023-06-01"));
    }
}
