//! TLS settings: the system's roots (and `SSL_CERT_FILE`), a CA file, or no verification, as the plan says.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use scenario::plan::{Tls, TlsVerification};

use crate::EngineError;

/// The client's TLS settings, shared by every connection of the run.
pub(crate) fn client_config(tls: &Tls) -> Result<Arc<ClientConfig>, EngineError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| EngineError::Tls(error.to_string()))?;
    let config = match &tls.verification {
        TlsVerification::Off => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AcceptAny(provider)))
            .with_no_client_auth(),
        TlsVerification::System | TlsVerification::CaFile(_) => {
            builder.with_root_certificates(roots(&tls.verification)?).with_no_client_auth()
        }
    };
    Ok(Arc::new(config))
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
