//! `[target]` as a whole, before it is known whether the bodies ask for a stream.

use std::sync::Arc;

use super::{api, headers, keys, price, proxy, response, server, timeouts, tls};
use crate::layers::NodeKind;
use crate::plan::{
    Api, Auth, Format, Header, HttpVersion, Keys, Price, Proxy, Response, Server, Target, Timeouts, Tls,
};
use crate::read::Section;
use crate::template::Wanted;

/// Everything `[target]` says.
#[derive(Debug)]
pub(crate) struct Settings {
    provider: Option<String>,
    base_url: String,
    /// None after a problem.
    pub(super) server: Option<Server>,
    pub(crate) api: Api,
    response: Option<Arc<Response>>,
    pub(crate) model: Option<String>,
    pub(crate) usage: Usage,
    pub(super) auth: Auth,
    pub(super) keys: Keys,
    user_info: Option<String>,
    pub(super) explicit: Vec<Header>,
    request_id_header: String,
    pub(crate) timeouts: Timeouts,
    pub(super) tls: Tls,
    proxy: Option<Proxy>,
    http: HttpVersion,
    price: Option<Price>,
    keep_alive: bool,
    max_event_size: usize,
}

/// Whether OpenAI streams are asked for token counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usage {
    Ask,
    Never,
}

/// Reads `[target]`, and the key file that `[data]` may name.
pub(crate) fn read(section: Section<'_>, data: Section<'_>) -> Settings {
    read_with(section, data, None)
}

/// As [`read`], with the protocol that is spoken where the section says none.
pub(super) fn read_with(section: Section<'_>, data: Section<'_>, usual: Option<Api>) -> Settings {
    let said = api::read(section).or_else(|| usual.filter(|_| section.get("api").is_none()));
    // An api that was said wrongly is reported; the path must not be blamed as well.
    let assumed = said.or_else(|| section.get("api").map(|_| Api::OpenAiChat));
    let resolved = server::read(section, assumed);
    let told = resolved.as_ref().map(|resolved| resolved.api).filter(|_| assumed == said).or(said);
    let api = told.unwrap_or(Api::OpenAiChat);
    let response = response::read(section, told);
    let at = resolved.as_ref().map(|resolved| &resolved.server);
    let tls = tls::read(section, at);
    let proxy = proxy::read(section, at);
    let (base_url, server, user_info) = match resolved {
        Some(resolved) => (resolved.shown, Some(resolved.server), resolved.user_info),
        None => (String::new(), None, None),
    };
    Settings {
        provider: section.visible_text("provider"),
        base_url,
        server,
        api,
        response,
        model: section.visible_text("model"),
        usage: section.choice("usage", &[("ask", Usage::Ask), ("never", Usage::Never)]).unwrap_or(Usage::Ask),
        auth: read_auth(section).unwrap_or_else(|| api.auth()),
        keys: keys::read(section, data),
        user_info,
        explicit: headers::explicit(section),
        request_id_header: read_request_id_header(section),
        timeouts: timeouts::read(section),
        tls,
        proxy,
        http: read_http(section),
        price: price::read(section),
        keep_alive: section.boolean("keep_alive").unwrap_or_default(),
        max_event_size: section.size("max_event_size", 1024..=1 << 30).unwrap_or_default() as usize,
    }
}

impl Settings {
    /// What its bodies are rendered for.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        let format = self.format();
        Wanted { api: self.api, format, model: self.model.as_deref(), usage: self.usage }
    }

    /// How a streamed answer is written.
    fn format(&self) -> Format {
        self.response.as_ref().map_or(self.api.format(), |response| response.format)
    }

    /// Path that requests go to.
    pub(super) fn path(&self) -> Option<&str> {
        match self.server.as_ref()? {
            Server::At(endpoint) => Some(&endpoint.path),
            Server::Mock { path, .. } => Some(path),
        }
    }

    /// The target of a run whose bodies ask for a stream or not, and name `model`. Without an address it stands on the
    /// mock, so that reading can go on: the problem is recorded.
    pub(crate) fn into_target(self, stream: bool, model: Option<String>, section: Section<'_>) -> Target {
        let problems = section.context.problems;
        let accept = if stream { self.format() } else { Format::Json };
        let server = self.server.unwrap_or(Server::Mock { settings: String::new(), path: String::new() });
        let generated = headers::generated(self.api, accept, self.user_info.as_deref());
        let headers = headers::merged(generated, self.explicit, section);
        let auth_header = match self.auth {
            Auth::Bearer => Some("authorization"),
            Auth::XApiKey => Some("x-api-key"),
            Auth::None => None,
        };
        let own = auth_header.filter(|name| headers.iter().any(|header| header.name == *name));
        let auth = match (own, self.keys.values.is_empty()) {
            (Some(name), false) => {
                problems.notice(format!(
                    "the header `{name}` is the scenario's own; the configured key is not sent"
                ));
                Auth::None
            }
            (Some(_), true) => Auth::None,
            (None, _) => self.auth,
        };
        let remote = matches!(server, Server::At(_));
        if remote
            && self.api.asks_for_key()
            && own.is_none()
            && self.keys.values.is_empty()
            && self.auth != Auth::None
        {
            problems.notice("no key is configured: requests carry no auth header");
        }
        if self.auth == Auth::None && !self.keys.values.is_empty() {
            problems.notice("`auth = \"none\"`: the configured key is not sent");
        }
        Target {
            provider: self.provider,
            base_url: self.base_url,
            server,
            api: self.api,
            response: self.response,
            // An app names none in its bodies; the scenario's own still names the run.
            model: model.or(self.model),
            auth,
            keys: self.keys,
            headers,
            request_id_header: self.request_id_header,
            timeouts: self.timeouts,
            tls: self.tls,
            proxy: self.proxy,
            http: self.http,
            keep_alive: self.keep_alive,
            max_event_size: self.max_event_size,
            stream,
            price: self.price,
            others_secrets: Vec::new(),
        }
    }
}

fn read_auth(section: Section<'_>) -> Option<Auth> {
    section.choice("auth", &[("bearer", Auth::Bearer), ("x-api-key", Auth::XApiKey), ("none", Auth::None)])
}

fn read_http(section: Section<'_>) -> HttpVersion {
    let words = [("1.1", HttpVersion::One), ("2", HttpVersion::Two), ("auto", HttpVersion::Auto)];
    match section.get("http") {
        Some(node)
            if matches!(node.kind, NodeKind::Integer(_) | NodeKind::Float(_)) && node.raw.is_none() =>
        {
            let hint = "versions are written as texts: `http = \"2\"`";
            section.context.expected_with_hint(node, "one of \"1.1\", \"2\", \"auto\"", hint);
            HttpVersion::default()
        }
        _ => section.choice("http", &words).unwrap_or_default(),
    }
}

fn read_request_id_header(section: Section<'_>) -> String {
    let name = section.text("request_id_header").unwrap_or_default();
    let Some(header) = headers::header_name(&name) else {
        if let Some(node) = section.get("request_id_header") {
            section.context.expected(node, "the name of a header");
        }
        return "x-request-id".into();
    };
    let explicit = section.rows("headers").iter().find(|(name, _)| name.eq_ignore_ascii_case(&header));
    if let Some((_, node)) = explicit {
        section.context.problems.error_with_hint(
            &node.key,
            format!("the header `{header}` carries a fresh id per attempt and cannot be fixed"),
            "take it out, or give the generated id another name with `request_id_header`",
        );
    }
    header
}
