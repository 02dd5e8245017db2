//! What goes out over the wire: request line, host, keys and headers, and what keeps a run from sending anything.

use std::collections::BTreeMap;

use measure::Outcome;

use crate::run::{load, run_plan};
use crate::script::{DONE, STOP, Script, stream, text};

fn server() -> Script {
    Script::always(stream(&[&text("a"), STOP, DONE]))
}

/// A scenario for a base URL; `target` stands in its `[target]`.
fn toml(base_url: &str, target: &str) -> String {
    format!(
        "[target]\nbase_url = \"{base_url}\"\nmodel = \"m\"\n{target}\n[load]\nstages = [1]\nstage_requests = 1\n\
         preflight = false\n[data]\nquery = \"hé\"\n"
    )
}

fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The head of the one request that these settings of `[target]` send, lower-case names and all.
fn head(target: &str, environment: &[(&str, &str)]) -> (String, Vec<String>) {
    let server = server();
    let plan =
        load(&toml(&format!("http://127.0.0.1:{}/v1", server.port), target), variables(environment)).unwrap();
    run_plan(&plan, |_| {});
    let request = server.requests().remove(0);
    (request.split_once("\r\n\r\n").unwrap().0.to_owned(), plan.notices.clone())
}

/// Every value under which a header was sent.
fn values<'a>(head: &'a str, name: &str) -> Vec<&'a str> {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect()
}

/// What is said about settings that are refused; nothing can have been sent, for there is no plan.
fn refused(target: &str, environment: &[(&str, &str)]) -> String {
    let server = server();
    let toml = toml(&format!("http://127.0.0.1:{}/v1", server.port), target);
    let problems = load(&toml, variables(environment)).map(|plan| plan.target.keys).unwrap_err().to_string();
    assert_eq!(server.connections(), 0);
    problems
}

/// A key file with this text, and the setting that names it.
fn key_file(text: &str) -> (tempfile::NamedTempFile, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    let setting = format!("api_key_file = {:?}", file.path().display().to_string());
    (file, setting)
}

#[test]
fn net_02_white_space_around_a_key_is_no_part_of_it() {
    for key in ["sk-TESTKEY\n", "sk-TESTKEY\r\n", " sk-TESTKEY ", "\tsk-TESTKEY\u{a0}"] {
        let environment = [("KEY", key)];
        let (_file, in_file) = key_file(key);
        for way in ["api_key = \"${KEY}\"", "api_key_env = \"KEY\"", &in_file] {
            let (head, _) = head(way, &environment);
            assert_eq!(values(&head, "authorization"), ["Bearer sk-TESTKEY"], "{key:?} by {way}");
        }
    }
    let (head, _) = head("api = \"anthropic-messages\"\napi_key_env = \"KEY\"", &[("KEY", " sk-TESTKEY\n")]);
    assert_eq!((values(&head, "x-api-key"), values(&head, "authorization").len()), (vec!["sk-TESTKEY"], 0));
}

#[test]
fn net_02_a_stray_character_inside_a_key_stops_the_run_and_is_named_without_the_key() {
    let strays =
        ["sk-TEST\nKEY", "sk-TEST\u{200b}", "sk-TEST KEY", "sk-TEST\u{7}KEY", "sk-TEST\u{feff}", "sk-TESTé"];
    for key in strays {
        for (way, source) in [("api_key = \"${KEY}\"", "KEY"), ("api_key_env = \"KEY\"", "KEY")] {
            let said = refused(way, &[("KEY", key)]);
            assert!(said.contains(source) && said.contains("character 8"), "{said}");
            assert!(!said.contains("sk-TEST"), "{said}");
        }
    }
    let (file, in_file) = key_file("sk-GOOD\nsk-TEST\u{200b}\n");
    let said = refused(&in_file, &[]);
    assert!(said.contains(&format!("{}:2", file.path().display())) && !said.contains("sk-TEST"), "{said}");
}

#[test]
fn net_03_an_empty_or_unset_key_stops_the_run() {
    let (_file, empty_file) = key_file("\n \n");
    let rows = [
        ("api_key = \"${NOT_SET}\"", "NOT_SET"),
        ("api_key = \"\"", "empty"),
        ("api_key = \"  \"", "empty"),
        ("api_key = \"Bearer \"", "empty"),
        ("api_key = \"${EMPTY}\"", "EMPTY"),
        ("api_key_env = \"NOT_SET\"", "NOT_SET"),
        ("api_key_env = \"EMPTY\"", "EMPTY"),
        ("api_key_file = \"not-there.txt\"", "not-there.txt"),
        (&empty_file, "no key"),
    ];
    for (way, named) in rows {
        let said = refused(way, &[("EMPTY", "")]);
        assert!(said.contains(named), "{way}: {said}");
    }
}

#[test]
fn net_03_no_auth_sends_no_auth_header() {
    for (way, noted) in
        [("auth = \"none\"", false), ("auth = \"none\"\napi_key = \"sk-T\"", true), ("", true)]
    {
        let (head, notices) = head(way, &[]);
        assert_eq!(
            (values(&head, "authorization").len(), values(&head, "x-api-key").len()),
            (0, 0),
            "{head}"
        );
        assert_eq!(notices.iter().any(|notice| notice.contains(" key is ")), noted, "{notices:?}");
    }
}

#[test]
fn net_04_a_scheme_is_never_doubled() {
    for key in ["Bearer sk-T", "bearer sk-T", "BEARER  sk-T", "Bearer Bearer sk-T", "sk-T"] {
        let (head, _) = head(&format!("api_key = \"{key}\""), &[]);
        assert_eq!(values(&head, "authorization"), ["Bearer sk-T"], "{key}");
    }
    let (head, _) = head("api = \"anthropic-messages\"\napi_key = \"Bearer sk-T\"", &[]);
    assert_eq!(values(&head, "x-api-key"), ["sk-T"]);
}

#[test]
fn net_04_an_explicit_header_stands_alone_and_is_noted() {
    let headers =
        "headers = { AUTHORIZATION = \"Bearer z\", Content-type = \"application/json; charset=utf-8\" }";
    let (head, notices) = head(&format!("api_key = \"sk-T\"\n{headers}"), &[]);
    assert_eq!(values(&head, "authorization"), ["Bearer z"]);
    assert_eq!(values(&head, "content-type"), ["application/json; charset=utf-8"]);
    for name in ["authorization", "content-type"] {
        assert!(notices.iter().any(|notice| notice.contains(name)), "{notices:?}");
    }
    let mut names: Vec<String> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.to_ascii_lowercase())
        .collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "every name once: {head}");
    let twice = refused("headers = { X-Team = \"a\", x-team = \"b\" }", &[]);
    assert!(twice.contains("given twice"), "{twice}");
}

#[test]
fn net_04_an_explicit_key_header_of_the_other_kind_does_not_double_the_auth() {
    let (head, _) =
        head("api = \"anthropic-messages\"\napi_key = \"sk-T\"\nheaders = { X-API-Key = \"sk-own\" }", &[]);
    assert_eq!(values(&head, "x-api-key"), ["sk-own"]);
}

#[test]
fn net_08_the_request_line_is_in_origin_form_with_one_host() {
    let server = server();
    let port = server.port;
    let paths = [
        ("/v1?x=1", "/v1/chat/completions?x=1"),
        ("", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/proxy/openai/v1?a=b%20c&d", "/proxy/openai/v1/chat/completions?a=b%20c&d"),
    ];
    for (n, (base, path)) in paths.into_iter().enumerate() {
        let plan = load(&toml(&format!("http://127.0.0.1:{port}{base}"), ""), BTreeMap::new()).unwrap();
        assert_eq!(run_plan(&plan, |_| {}).samples[0].outcome(), Outcome::Ok);
        let request = server.requests().remove(n);
        assert!(request.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "{request}");
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert_eq!(values(head, "host"), [format!("127.0.0.1:{port}")]);
        assert!(body.contains('é') || body.contains("\\u00e9"), "{body}");
        assert_eq!(values(head, "content-length"), [body.len().to_string()], "bytes, not characters");
        assert_eq!(values(head, "x-request-id").len(), 1);
    }
}
