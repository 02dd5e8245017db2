//! TLS with a private CA: refused without a setting, accepted with one, and said when it is switched off.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use measure::{ErrorClass, Outcome};
use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::run::attempts;
use crate::script::{DONE, STOP, text};

/// A server whose certificate for `localhost` comes from a CA of its own; the CA's certificate is written to `ca`.
pub(crate) fn server(ca: &Path) -> u16 {
    server_of(ca, usize::MAX)
}

/// As [`server`]; each connection answers so many requests.
fn server_of(ca: &Path, requests: usize) -> u16 {
    let (leaf, leaf_key) = issued(ca);
    serve(&leaf, &leaf_key, requests)
}

/// The settings of a server as [`server`] starts one.
pub(crate) fn config(ca: &Path) -> Arc<ServerConfig> {
    let (leaf, leaf_key) = issued(ca);
    config_of(&leaf, &leaf_key)
}

/// A certificate for `localhost` from a CA of its own, and its key.
fn issued(ca: &Path) -> (Certificate, KeyPair) {
    let (ca_key, leaf_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = params.self_signed(&ca_key).unwrap();
    std::fs::write(ca, root.pem()).unwrap();
    let issuer = Issuer::new(params, ca_key);
    let leaf = CertificateParams::new(names()).unwrap().signed_by(&leaf_key, &issuer).unwrap();
    (leaf, leaf_key)
}

/// A server whose certificate is signed by itself, as a CA's or not; it is written to `pem`.
fn self_signed(pem: &Path, is_ca: IsCa) -> u16 {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(names()).unwrap();
    params.is_ca = is_ca;
    let certificate = params.self_signed(&key).unwrap();
    std::fs::write(pem, certificate.pem()).unwrap();
    serve(&certificate, &key, usize::MAX)
}

fn names() -> Vec<String> {
    vec!["localhost".to_owned(), "127.0.0.1".to_owned()]
}

fn config_of(certificate: &Certificate, key: &KeyPair) -> Arc<ServerConfig> {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    Arc::new(config)
}

fn serve(certificate: &Certificate, key: &KeyPair, requests: usize) -> u16 {
    let config = config_of(certificate, key);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            std::thread::spawn(move || {
                for _ in 0..requests {
                    if answer(&mut stream).is_none() {
                        return;
                    }
                }
                // Says goodbye just as the connection is used again.
                let _ = stream.read(&mut [0; 4096]);
                stream.conn.send_close_notify();
                let _ = stream.flush();
            });
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
fn ret_07_a_kept_connection_that_says_goodbye_just_as_it_is_used_is_redialled() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let port = server_of(&ca, 1);
    let target = format!("scheme = \"https\"\n[target.tls]\nca_file = \"{}\"\n", ca.display());
    let all = attempts(port, "openai-chat", 3, &target);
    for (n, attempt) in all.iter().enumerate() {
        assert_eq!(attempt.outcome, Outcome::Ok, "{n}: {:?}", attempt.error);
        assert_eq!(attempt.flags.contains(measure::Flag::Redial), n > 0, "{n}");
    }
}

#[test]
fn net_07_a_refused_certificate_is_the_same_the_next_time_and_is_not_retried() {
    let dir = tempfile::tempdir().unwrap();
    let port = server(&dir.path().join("ca.pem"));
    let load = "scheme = \"https\"\n[load]\nstages = [1]\nstage_requests = 2\npreflight = false\n\
                [load.retry]\nmax = 3\nbase = \"10ms\"\non = [\"connect_failed\", \"connection_closed\", \"server_error\"]\n";
    let outcome = crate::run::run(&crate::run::scenario(port, "openai-chat", load));
    for sample in &outcome.samples {
        let outcomes: Vec<Outcome> = sample.attempts.iter().map(|attempt| attempt.outcome).collect();
        assert_eq!(outcomes, [Outcome::Failed(ErrorClass::Tls)]);
    }
    // Nobody can ask for it either.
    let asked = load.replace("\"connect_failed\"", "\"tls\"");
    let refused = crate::run::load(&crate::run::scenario(port, "openai-chat", &asked), Default::default());
    assert!(refused.unwrap_err().to_string().contains("`tls` is never retried"));
}

#[test]
fn net_07_a_certificate_signed_by_itself_is_its_own_root_unless_it_is_a_ca() {
    let dir = tempfile::tempdir().unwrap();
    let pem = dir.path().join("self.pem");
    let target = format!("scheme = \"https\"\n[target.tls]\nca_file = \"{}\"\n", pem.display());
    let port = self_signed(&pem, IsCa::NoCa);
    assert_eq!(attempts(port, "openai-chat", 1, &target)[0].outcome, Outcome::Ok);
    let port = self_signed(&pem, IsCa::Ca(BasicConstraints::Unconstrained));
    let refused = attempts(port, "openai-chat", 1, &target).remove(0);
    assert_eq!(refused.outcome, Outcome::Failed(ErrorClass::Tls));
    let message = refused.error.unwrap().message;
    assert!(message.contains("CA's own certificate") && message.contains("insecure"), "{message}");
}

#[test]
fn a_certificate_for_another_name_is_told_with_the_name_to_set() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let port = server(&ca);
    let tls = format!("scheme = \"https\"\n[target.tls]\nca_file = \"{}\"\n", ca.display());
    let other =
        attempts(port, "openai-chat", 1, &format!("{tls}server_name = \"gateway.internal\"\n")).remove(0);
    assert_eq!(other.outcome, Outcome::Failed(ErrorClass::Tls));
    assert!(other.error.unwrap().message.contains("another name"));
    let named = attempts(port, "openai-chat", 1, &format!("{tls}server_name = \"localhost\"\n"));
    assert_eq!(named[0].outcome, Outcome::Ok);
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
    let server = mock::Server::start(mock::Config::default(), 0).unwrap();
    let attempt = attempts(server.addr().port(), "openai-chat", 1, "scheme = \"https\"\n").remove(0);
    assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::ConnectFailed));
    let message = attempt.error.unwrap().message;
    assert!(message.contains("does not speak TLS"), "{message}");
}

/// Set for the process below, whose environment is its own: the port of the server to call.
const PORT: &str = "RUNGS_TEST_TLS_PORT";

#[test]
fn net_07_the_roots_in_ssl_cert_file_are_trusted() {
    if let Ok(port) = std::env::var(PORT) {
        let attempt = attempts(port.parse().unwrap(), "openai-chat", 1, "scheme = \"https\"\n").remove(0);
        assert_eq!(attempt.outcome, Outcome::Ok, "{:?}", attempt.error);
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let port = server(&ca);
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "tls::net_07_the_roots_in_ssl_cert_file_are_trusted"]);
    let output = again.env(PORT, port.to_string()).env("SSL_CERT_FILE", &ca).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
