//! Everything one attempt needs that does not change during a run: address, headers, limits, protocol.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION};
use hyper::{Method, Request, Uri};
use scenario::plan::{Auth, Endpoint, Target, Timeouts};

use crate::EngineError;
use crate::clock::Clock;
use crate::mask::Mask;
use crate::protocol::Protocol;
use crate::transport::{Dial, Reuse, Spoken, authorization, client_config};

/// The fixed part of every attempt, shared by all workers.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) dial: Dial,
    pub(crate) protocol: Protocol,
    pub(crate) stream: bool,
    pub(crate) reuse: Reuse,
    pub(crate) timeouts: Timeouts,
    pub(crate) max_event_size: usize,
    pub(crate) mask: Mask,
    pub(crate) clock: Clock,
    /// As the request line of HTTP/1.1 has it: the path, or the whole URL where a proxy is to read it.
    line: Uri,
    /// Scheme, authority and path, which are headers of their own in HTTP/2.
    url: Uri,
    headers: HeaderMap,
    request_id_header: HeaderName,
    auth: Vec<(HeaderName, HeaderValue)>,
}

/// What differs from request to request.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) body: Bytes,
    pub(crate) key: Option<usize>,
    pub(crate) request_id: String,
}

impl Caller {
    pub(crate) fn new(target: &Target, endpoint: &Endpoint, clock: Clock) -> Result<Self, EngineError> {
        let server_name = target.tls.server_name.clone().unwrap_or_else(|| endpoint.host.clone());
        if rustls::pki_types::ServerName::try_from(server_name.as_str()).is_err() {
            return Err(EngineError::ServerName(server_name));
        }
        let dial = Dial {
            endpoint: endpoint.clone(),
            server_name,
            tls: client_config(&target.tls, target.http)?,
            proxy: target.proxy.clone(),
            http: target.http,
            timeout: target.timeouts.connect,
            clock,
        };
        let path = endpoint.path.as_str();
        let url = format!("{}://{}{path}", endpoint.scheme.name(), endpoint.authority());
        let line = if dial.is_forwarded() { &url } else { path };
        Ok(Self {
            line: uri(line)?,
            url: uri(&url)?,
            headers: headers(target, endpoint, &dial)?,
            dial,
            protocol: match &target.response {
                Some(response) => Protocol::custom(Arc::clone(response)),
                None => Protocol::of(target.api),
            },
            stream: target.stream,
            reuse: if target.keep_alive { Reuse::Allowed } else { Reuse::Never },
            timeouts: target.timeouts,
            max_event_size: target.max_event_size,
            mask: Mask::of(target),
            clock,
            request_id_header: name(&target.request_id_header)?,
            auth: auth(target)?,
        })
    }

    /// Number of keys that take turns.
    pub(crate) fn keys(&self) -> usize {
        self.auth.len()
    }

    /// The request of one attempt, in the form that its connection speaks.
    pub(crate) fn request(&self, message: &Message, spoken: Spoken) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(message.body.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = match spoken {
            Spoken::Http1 => self.line.clone(),
            Spoken::Http2 => self.url.clone(),
        };
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        if spoken == Spoken::Http2 {
            headers.remove(HOST);
        }
        if let Ok(id) = HeaderValue::from_str(&message.request_id) {
            headers.insert(self.request_id_header.clone(), id);
        }
        if let Some((name, value)) = message.key.and_then(|key| self.auth.get(key)) {
            headers.insert(name.clone(), value.clone());
        }
        request
    }
}

fn uri(text: &str) -> Result<Uri, EngineError> {
    text.parse().map_err(|_| EngineError::Path(text.to_owned()))
}

fn headers(target: &Target, endpoint: &Endpoint, dial: &Dial) -> Result<HeaderMap, EngineError> {
    let mut headers = HeaderMap::new();
    if dial.is_forwarded()
        && let Some(value) = dial.proxy.as_ref().and_then(authorization)
    {
        headers.insert(PROXY_AUTHORIZATION, value);
    }
    headers.insert(HOST, value("host", &endpoint.authority())?);
    for header in &target.headers {
        let mut value = value(&header.name, header.value.expose())?;
        value.set_sensitive(header.masked);
        headers.insert(name(&header.name)?, value);
    }
    Ok(headers)
}

fn auth(target: &Target) -> Result<Vec<(HeaderName, HeaderValue)>, EngineError> {
    let header = |key: &scenario::Secret| {
        let (name, text) = match target.auth {
            Auth::Bearer => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            Auth::XApiKey => (HeaderName::from_static("x-api-key"), key.expose().to_owned()),
            Auth::None => return None,
        };
        Some(value(name.as_str(), &text).map(|mut value| {
            value.set_sensitive(true);
            (name, value)
        }))
    };
    target.keys.values.iter().filter_map(header).collect()
}

fn name(name: &str) -> Result<HeaderName, EngineError> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| EngineError::Header(name.to_owned()))
}

fn value(name: &str, text: &str) -> Result<HeaderValue, EngineError> {
    HeaderValue::from_str(text).map_err(|_| EngineError::Header(name.to_owned()))
}
