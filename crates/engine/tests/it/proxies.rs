//! Proxies: none unless the scenario says so; handed plain requests, asked for tunnels; passwords nowhere.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use measure::{ErrorClass, Outcome};

use crate::run::{attempts, attempts_with};
use crate::script::{DONE, STOP, Script, stream, text, usage};

/// A proxy that only opens tunnels; with the heads it was sent.
fn tunnel_proxy(answer: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&heads);
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let mut head = Vec::new();
            let mut byte = [0; 1];
            while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap_or(0) == 1 {
                head.push(byte[0]);
            }
            let head = String::from_utf8(head).unwrap();
            let to = head.split(' ').nth(1).unwrap().to_owned();
            log.lock().unwrap().push(head);
            client.write_all(answer.as_bytes()).unwrap();
            if answer.contains(" 200 ") {
                let server = TcpStream::connect(to).unwrap();
                join(client, server);
            }
        }
    });
    (port, heads)
}

fn join(client: TcpStream, server: TcpStream) {
    let pairs = [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)];
    for (mut from, mut to) in pairs {
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(std::net::Shutdown::Write);
        });
    }
}

fn answer() -> Script {
    Script::always(stream(&[&text("a"), STOP, &usage(1), DONE]))
}

fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn net_05_the_environment_is_ignored_unless_the_scenario_says_so() {
    let script = answer();
    let dead = "http://127.0.0.1:9";
    let all = environment(&[
        ("HTTP_PROXY", dead),
        ("HTTPS_PROXY", dead),
        ("ALL_PROXY", dead),
        ("http_proxy", dead),
    ]);
    let ignored = attempts_with(script.port, "openai-chat", 1, "", all.clone()).remove(0);
    assert_eq!(ignored.outcome, Outcome::Ok);
    let used = attempts_with(script.port, "openai-chat", 1, "proxy = \"env\"\n", all.clone()).remove(0);
    assert_eq!(used.outcome, Outcome::Failed(ErrorClass::ConnectFailed));
    let message = used.error.unwrap().message;
    assert!(message.contains("http_proxy") && message.contains("127.0.0.1:9"), "{message}");
    for exception in ["localhost", "127.0.0.1", "*", "127.0.0.0/8"] {
        let mut all = all.clone();
        all.insert("NO_PROXY".into(), exception.into());
        let spared = attempts_with(script.port, "openai-chat", 1, "proxy = \"env\"\n", all).remove(0);
        assert_eq!(spared.outcome, Outcome::Ok, "{exception}");
    }
}

#[test]
fn a_plain_request_is_handed_to_the_proxy_with_its_whole_url() {
    let proxy = answer();
    let target = format!("proxy = \"http://me:se%40cret@127.0.0.1:{}\"\n", proxy.port);
    let attempt = attempts(9, "openai-chat", 1, &target).remove(0);
    assert_eq!(attempt.outcome, Outcome::Ok, "{:?}", attempt.error);
    let request = proxy.requests().remove(0);
    assert!(request.starts_with("POST http://127.0.0.1:9/v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("proxy-authorization: Basic bWU6c2VAY3JldA==\r\n"), "{request}");
    assert_eq!(request.matches("host: ").count(), 1);
}

#[test]
fn tls_goes_through_a_tunnel_and_the_proxy_sees_nothing_but_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let ca = dir.path().join("ca.pem");
    let port = crate::tls::server(&ca);
    let (proxy, heads) = tunnel_proxy("HTTP/1.1 200 Connection established\r\n\r\n");
    let target = format!(
        "scheme = \"https\"\nproxy = \"http://me:pw@127.0.0.1:{proxy}\"\n[target.tls]\nca_file = \"{}\"\n",
        ca.display()
    );
    let all = attempts(port, "openai-chat", 2, &target);
    assert!(all.iter().all(|attempt| attempt.outcome == Outcome::Ok), "{:?}", all[0].error);
    let heads = heads.lock().unwrap();
    assert_eq!(heads.len(), 1, "one tunnel for both");
    assert!(heads[0].starts_with(&format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n")), "{}", heads[0]);
    assert!(heads[0].to_ascii_lowercase().contains("proxy-authorization: basic bwu6chc="), "{}", heads[0]);
    assert!(!heads[0].contains("bearer"));
}

#[test]
fn a_proxy_that_opens_no_tunnel_is_named_without_its_password() {
    for answer in [
        "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
        "HTTP/1.1 403 Forbidden\r\n\r\n",
        "nonsense\r\n\r\n",
    ] {
        let (proxy, _) = tunnel_proxy(answer);
        let target = format!("scheme = \"https\"\nproxy = \"http://me:hunter22@127.0.0.1:{proxy}\"\n");
        let attempt = attempts(9, "openai-chat", 1, &target).remove(0);
        assert_eq!(attempt.outcome, Outcome::Failed(ErrorClass::ConnectFailed));
        let message = attempt.error.unwrap().message;
        assert!(
            message.contains(&format!("127.0.0.1:{proxy}")) && !message.contains("hunter22"),
            "{message}"
        );
    }
}
