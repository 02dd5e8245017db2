//! TLS: the system's roots (and `SSL_CERT_FILE`), a CA file, or no verification, as the plan says; and the handshake.

use std::io;
use std::sync::Arc;

use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use measure::ErrorClass;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use scenario::plan::{HttpVersion, Tls, TlsVerification};
use tower_service::Service as _;

use super::connect::ConnectFailure;
use super::ready::Ready;
use super::socket::{StampedStream, Wire};
use crate::EngineError;

/// The client's TLS settings, shared by every connection of the run.
pub(crate) fn client_config(tls: &Tls, http: HttpVersion) -> Result<Arc<ClientConfig>, EngineError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| EngineError::Tls(error.to_string()))?;
    let mut config = match &tls.verification {
        TlsVerification::Off => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AcceptAny(provider)))
            .with_no_client_auth(),
        TlsVerification::System | TlsVerification::CaFile(_) => {
            builder.with_root_certificates(roots(&tls.verification)?).with_no_client_auth()
        }
    };
    config.alpn_protocols = match http {
        // A server that is asked for nothing speaks HTTP/1.1.
        HttpVersion::One => Vec::new(),
        HttpVersion::Two => vec![b"h2".to_vec()],
        HttpVersion::Auto => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
    };
    Ok(Arc::new(config))
}

/// Shakes hands on a stream: the name to verify is also the one that is sent.
pub(super) async fn secure(
    server_name: &str,
    config: &Arc<ClientConfig>,
    stream: StampedStream,
) -> Result<Wire, ConnectFailure> {
    let name = match server_name.contains(':') {
        true => format!("[{server_name}]"),
        false => server_name.to_owned(),
    };
    let uri = format!("https://{name}/").parse().map_err(|error| ConnectFailure {
        class: ErrorClass::Tls,
        message: format!("`{name}` is not a name that a certificate can carry: {error}"),
    })?;
    let mut connector = HttpsConnector::from((Ready::with(stream), Arc::clone(config)));
    connector.call(uri).await.map_err(|error| not_secured(error.as_ref()))
}

/// What a handshake agreed on.
#[derive(Debug)]
pub(super) struct Agreed {
    pub(super) version: Option<String>,
    pub(super) alpn: Option<String>,
}

/// What was agreed on; `None` without TLS.
pub(super) fn agreed(wire: &Wire) -> Option<Agreed> {
    let MaybeHttpsStream::Https(stream) = wire else { return None };
    let (_, session) = stream.inner().get_ref();
    Some(Agreed {
        version: session.protocol_version().and_then(|version| version.as_str()).map(str::to_owned),
        alpn: session.alpn_protocol().map(|name| String::from_utf8_lossy(name).into_owned()),
    })
}

fn not_secured(error: &(dyn std::error::Error + 'static)) -> ConnectFailure {
    match tls_error(error) {
        Some(rustls::Error::InvalidCertificate(reason)) => ConnectFailure {
            class: ErrorClass::Tls,
            message: format!("the server's certificate is not accepted: {}", in_words(reason)),
        },
        Some(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)) => {
            ConnectFailure {
                class: ErrorClass::ConnectFailed,
                message: "the server does not offer HTTP/2 over TLS (`http = \"2\"`)".to_owned(),
            }
        }
        Some(rustls::Error::InvalidMessage(_)) => ConnectFailure {
            class: ErrorClass::ConnectFailed,
            message: "the server does not speak TLS on this port: is the address plain `http://`?".to_owned(),
        },
        Some(other) => ConnectFailure {
            class: ErrorClass::ConnectFailed,
            message: format!("the TLS handshake failed: {other}"),
        },
        None => ConnectFailure {
            class: ErrorClass::ConnectFailed,
            message: format!("the connection ended in the TLS handshake: {error}"),
        },
    }
}

/// Why a certificate is not accepted, and the setting that helps.
fn in_words(reason: &CertificateError) -> String {
    match reason {
        CertificateError::UnknownIssuer => {
            "its issuer is unknown here (UnknownIssuer); a private CA goes into `[target.tls] ca_file`, or `SSL_CERT_FILE`"
                .to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("it is for another name ({reason}); `[target.tls] server_name` says which one to verify")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => format!("it has expired ({reason})"),
        other if other.to_string().contains("CaUsedAsEndEntity") => {
            "it is a CA's own certificate, which cannot be a server's (CaUsedAsEndEntity); let the CA sign one for the \
             server, or test without verification (`[target.tls] insecure`)"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// The TLS error inside an error: each layer wraps it in an `io::Error` of its own.
fn tls_error<'a>(mut error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    loop {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return Some(tls);
        }
        error = error.downcast_ref::<io::Error>()?.get_ref()?;
    }
}

fn roots(verification: &TlsVerification) -> Result<RootCertStore, EngineError> {
    let mut store = RootCertStore::empty();
    // What the system holds but cannot be parsed is the system's affair; a missing root shows as an unknown issuer.
    store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let TlsVerification::CaFile(path) = verification {
        let wrong = |reason: String| EngineError::CaFile { path: path.clone(), reason };
        let certificates = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
        let mut added = 0;
        for certificate in certificates {
            let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
            store.add(certificate).map_err(|error| wrong(error.to_string()))?;
            added += 1;
        }
        if added == 0 {
            return Err(wrong("it holds no PEM certificate".to_owned()));
        }
    }
    Ok(store)
}

/// Accepts every certificate: `insecure = true`, and the report says so.
#[derive(Debug)]
struct AcceptAny(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
