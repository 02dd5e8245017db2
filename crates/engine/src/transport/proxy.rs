//! A tunnel through a proxy (`CONNECT`), and what it takes to be let through.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use measure::ErrorClass;
use scenario::plan::{Endpoint, Proxy};
use tower_service::Service as _;

use super::connect::ConnectFailure;
use super::ready::Ready;
use super::socket::StampedStream;

/// Asks the proxy at the other end of a stream for a tunnel to the endpoint.
pub(super) async fn tunnel(
    proxy: &Proxy,
    endpoint: &Endpoint,
    stream: StampedStream,
) -> Result<StampedStream, ConnectFailure> {
    let failed = |reason: String| ConnectFailure {
        class: ErrorClass::ConnectFailed,
        message: format!(
            "the proxy {} of `{}` opened no tunnel to {}:{}: {reason}",
            proxy.shown(),
            proxy.source,
            endpoint.host,
            endpoint.port
        ),
    };
    let uri = |text: String| text.parse::<Uri>().map_err(|error| failed(error.to_string()));
    let host = match endpoint.host.contains(':') {
        true => format!("[{}]", endpoint.host),
        false => endpoint.host.clone(),
    };
    let destination = uri(format!("{}://{host}:{}/", endpoint.scheme.name(), endpoint.port))?;
    let mut tunnel = Tunnel::new(uri(proxy.shown())?, Ready::with(stream));
    if let Some(value) = authorization(proxy) {
        tunnel = tunnel.with_auth(value);
    }
    tunnel.call(destination).await.map_err(|error| failed(error.to_string()))
}

/// Value of `Proxy-Authorization`, if the proxy was given with a user.
pub(crate) fn authorization(proxy: &Proxy) -> Option<HeaderValue> {
    let user_info = proxy.user_info.as_ref()?;
    let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(user_info.expose()))).ok()?;
    value.set_sensitive(true);
    Some(value)
}
