//! Everything one attempt needs that does not change during a run: address, headers, limits, protocol.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Uri};
use scenario::plan::{Auth, Endpoint, Target, Timeouts};

use crate::EngineError;
use crate::clock::Clock;
use crate::mask::Mask;
use crate::protocol::Protocol;
use crate::transport::{Dial, client_config};

/// The fixed part of every attempt, shared by all workers.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) dial: Dial,
    pub(crate) protocol: Protocol,
    pub(crate) stream: bool,
    pub(crate) keep_alive: bool,
    pub(crate) timeouts: Timeouts,
    pub(crate) max_event_size: usize,
    pub(crate) mask: Mask,
    pub(crate) clock: Clock,
    path: Uri,
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
        Ok(Self {
            dial: Dial {
                endpoint: endpoint.clone(),
                server_name,
                tls: client_config(&target.tls)?,
                timeout: target.timeouts.connect,
                clock,
            },
            protocol: match &target.response {
                Some(response) => Protocol::custom(Arc::clone(response)),
                None => Protocol::of(target.api),
            },
            stream: target.stream,
            keep_alive: target.keep_alive,
            timeouts: target.timeouts,
            max_event_size: target.max_event_size,
            mask: Mask::of(target),
            clock,
            path: endpoint.path.parse().map_err(|_| EngineError::Path(endpoint.path.clone()))?,
            headers: headers(target, endpoint)?,
            request_id_header: name(&target.request_id_header)?,
            auth: auth(target)?,
        })
    }

    /// Number of keys that take turns.
    pub(crate) fn keys(&self) -> usize {
        self.auth.len()
    }

    /// The request of one attempt, in origin form.
    pub(crate) fn request(&self, message: &Message) -> Request<Full<Bytes>> {
        let mut request =
            Request::post(self.path.clone()).body(Full::new(message.body.clone())).unwrap_or_default();
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        if let Ok(id) = HeaderValue::from_str(&message.request_id) {
            headers.insert(self.request_id_header.clone(), id);
        }
        if let Some((name, value)) = message.key.and_then(|key| self.auth.get(key)) {
            headers.insert(name.clone(), value.clone());
        }
        request
    }
}

fn headers(target: &Target, endpoint: &Endpoint) -> Result<HeaderMap, EngineError> {
    let mut headers = HeaderMap::new();
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
