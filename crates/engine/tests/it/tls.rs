//! TLS with a private CA: refused without a setting, accepted with one, and said when it is switched off.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use measure::{ErrorClass, Outcome};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::run::attempts;
use crate::script::{DONE, STOP, text};

/// Names that every certificate here is for.
fn params() -> CertificateParams {
    CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap()
}

/// A server whose certificate for `localhost` comes from a CA of its own; the CA's certificate is written to `ca`.
fn server(ca: &Path) -> u16 {
    let (ca_key, leaf_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = authority.self_signed(&ca_key).unwrap();
    std::fs::write(ca, root.pem()).unwrap();
    let issuer = Issuer::new(authority, ca_key);
    let leaf = params().signed_by(&leaf_key, &issuer).unwrap();
    serve(leaf.der().clone(), &leaf_key)
}

/// A server whose certificate vouches for itself; it is written to `root` as well.
fn self_signed(is_ca: IsCa, root: &Path) -> u16 {
    let key = KeyPair::generate().unwrap();
    let mut params = params();
    params.is_ca = is_ca;
    let own = params.self_signed(&key).unwrap();
    std::fs::write(root, own.pem()).unwrap();
    serve(own.der().clone(), &key)
}

fn serve(certificate: CertificateDer<'static>, key: &KeyPair) -> u16 {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            std::thread::spawn(move || while answer(&mut stream).is_some() {});
        }
    });
    port
}

/// Answers one request; requests of these tests come whole in few reads.
fn answer(stream: &mut StreamOwned<ServerConnection, std::net::TcpStream>) -> Option<()> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.ends_with(b"}") {
        let n = stream.read(&mut buffer).ok().filter(|n| *n > 0)?;
        request.extend_from_slice(&buffer[..n]);
    }
    let body = text("a") + STOP + DONE;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).ok()
}

#[test]
fn net_07_a_private_ca_is_refused_unless_it_is_named_and_the_message_names_the_setting() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let port = server(&ca);
    let https = "scheme = \"https\"\n";
    let refused = attempts(port, "openai-chat", 1, https).remove(0);
    assert_eq!(refused.outcome, Outcome::Failed(ErrorClass::Tls), "{:?}", refused.error);
    assert!(refused.error.unwrap().message.contains("ca_file"));
    let named = format!("{https}[target.tls]\nca_file = \"{}\"\n", ca.display());
    let all = attempts(port, "openai-chat", 2, &named);
    assert!(all.iter().all(|attempt| attempt.outcome == Outcome::Ok), "{:?}", all[0].error);
    assert_eq!((all[0].reused, all[1].reused), (false, true));
    assert!(all[0].at.connected > Some(all[0].at.start) && all[1].at.connected.is_none());
    let off = attempts(port, "openai-chat", 1, &format!("{https}[target.tls]\ninsecure = true\n"));
    assert_eq!(off[0].outcome, Outcome::Ok);
}

#[test]
fn net_07_a_certificate_that_vouches_for_itself_is_accepted_as_its_own_root_or_said_to_be_none() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("own.pem");
    for is_ca in [IsCa::NoCa, IsCa::ExplicitNoCa, IsCa::Ca(BasicConstraints::Unconstrained)] {
        let what = format!("{is_ca:?}");
        let port = self_signed(is_ca, &root);
        let named = format!("scheme = \"https\"\n[target.tls]\nca_file = \"{}\"\n", root.display());
        let attempt = attempts(port, "openai-chat", 1, &named).remove(0);
        match attempt.outcome {
            Outcome::Ok => {}
            Outcome::Failed(ErrorClass::Tls) => {
                let message = attempt.error.unwrap().message;
                assert!(message.contains("insecure") || message.contains("ca_file"), "{what}: {message}");
            }
            other => panic!("{what}: {other:?} {:?}", attempt.error),
        }
        assert_eq!(attempt.status.is_some(), attempt.outcome == Outcome::Ok);
    }
}

#[test]
fn plain_http_where_tls_is_due_is_a_failed_connection() {
    let script = crate::script::Script::always(Vec::new());
    let attempt = attempts(
        script.port,
        "openai-chat",
        1,
        "scheme = \"https\"\n[target.timeouts]\nconnect = \"300ms\"\n",
    )
    .remove(0);
    let Outcome::Failed(class) = attempt.outcome else { panic!("{:?}", attempt.outcome) };
    assert!(matches!(class, ErrorClass::ConnectFailed | ErrorClass::TimeoutConnect), "{class}");
}
