//! The table of bases and the addresses they mean.

use super::*;

const CHAT: Option<Api> = Some(Api::OpenAiChat);
const CLAUDE: Option<Api> = Some(Api::AnthropicMessages);
const DIFY: Option<Api> = Some(Api::DifyChat);
const COMPLETIONS: Option<Api> = Some(Api::OpenAiCompletions);
const RESPONSES: Option<Api> = Some(Api::OpenAiResponses);
const OLLAMA: Option<Api> = Some(Api::OllamaChat);
const CUSTOM: Option<Api> = Some(Api::Custom);

#[test]
fn a_base_and_perhaps_a_path_become_one_address() {
    let rows: &[(&str, Option<Api>, Option<&str>, &str)] = &[
        // No path: the full default path.
        ("https://h", CHAT, None, "https://h/v1/chat/completions"),
        ("https://h/", CHAT, None, "https://h/v1/chat/completions"),
        ("https://h", CLAUDE, None, "https://h/v1/messages"),
        ("https://h", DIFY, None, "https://h/v1/chat-messages"),
        ("https://h", None, None, "https://h/v1/chat/completions"),
        ("https://h", COMPLETIONS, None, "https://h/v1/completions"),
        ("https://h", RESPONSES, None, "https://h/v1/responses"),
        ("http://h:11434", OLLAMA, None, "http://h:11434/api/chat"),
        ("http://h:11434/", OLLAMA, None, "http://h:11434/api/chat"),
        // A version at the end: once.
        ("https://h/v1", CHAT, None, "https://h/v1/chat/completions"),
        ("https://h/v1/", CHAT, None, "https://h/v1/chat/completions"),
        ("https://h/v1", CLAUDE, None, "https://h/v1/messages"),
        ("https://h/api/paas/v4", CHAT, None, "https://h/api/paas/v4/chat/completions"),
        ("https://h/v1beta", CHAT, None, "https://h/v1beta/chat/completions"),
        ("https://h/v1", DIFY, None, "https://h/v1/chat-messages"),
        ("https://h/v1", COMPLETIONS, None, "https://h/v1/completions"),
        ("https://h/v1", RESPONSES, None, "https://h/v1/responses"),
        // Ollama's version is called `api`.
        ("http://h:11434/api", OLLAMA, None, "http://h:11434/api/chat"),
        ("http://h:11434/v1", OLLAMA, None, "http://h:11434/v1/api/chat"),
        // Any other path: as the protocol's own SDKs do.
        ("https://taotoken.net/api", CHAT, None, "https://taotoken.net/api/chat/completions"),
        ("https://h/api/", CHAT, None, "https://h/api/chat/completions"),
        ("https://h/v1/openai", CHAT, None, "https://h/v1/openai/chat/completions"),
        ("https://h/dify", DIFY, None, "https://h/dify/chat-messages"),
        ("https://h/api/anthropic", CLAUDE, None, "https://h/api/anthropic/v1/messages"),
        ("https://h/openai", COMPLETIONS, None, "https://h/openai/completions"),
        ("https://h/openai", RESPONSES, None, "https://h/openai/responses"),
        ("https://h/ollama", OLLAMA, None, "https://h/ollama/api/chat"),
        ("https://h/versions", CHAT, None, "https://h/versions/chat/completions"),
        // The whole path already: left alone.
        ("https://h/v1/chat/completions", CHAT, None, "https://h/v1/chat/completions"),
        ("https://h/api/chat/completions/", CHAT, None, "https://h/api/chat/completions/"),
        ("https://h/v1/messages", None, None, "https://h/v1/messages"),
        ("https://h/v1/chat-messages", None, None, "https://h/v1/chat-messages"),
        ("https://h/v1/completions", None, None, "https://h/v1/completions"),
        ("https://h/v1/responses", None, None, "https://h/v1/responses"),
        ("https://h/v1/workflows/run", None, None, "https://h/v1/workflows/run"),
        ("https://h/v1/workflows/run", DIFY, None, "https://h/v1/workflows/run"),
        ("http://h:11434/api/chat", None, None, "http://h:11434/api/chat"),
        ("http://h:11434/api/generate", None, None, "http://h:11434/api/generate"),
        // A custom protocol has no path of its own.
        ("https://h/any/path", CUSTOM, None, "https://h/any/path"),
        ("https://h/any", CUSTOM, Some("/path"), "https://h/any/path"),
        ("https://h", CUSTOM, Some("/"), "https://h/"),
        // An explicit path: appended, a version that both carry once.
        ("https://h", CHAT, Some("/v1/chat/completions"), "https://h/v1/chat/completions"),
        ("https://h/v1", CHAT, Some("/v1/chat/completions"), "https://h/v1/chat/completions"),
        ("https://h/api/v1/", CHAT, Some("v1/chat/completions"), "https://h/api/v1/chat/completions"),
        ("https://h/v2", CHAT, Some("/v1/chat/completions"), "https://h/v2/v1/chat/completions"),
        ("https://h/api", CHAT, Some("/v1/chat/completions"), "https://h/api/v1/chat/completions"),
        (
            "https://h/v1/chat/completions",
            CHAT,
            Some("/v1/chat/completions"),
            "https://h/v1/chat/completions",
        ),
        ("https://h", None, Some("/v1/chat-messages"), "https://h/v1/chat-messages"),
        ("https://h", CHAT, Some("/x/"), "https://h/x/"),
        ("https://h/v1", CHAT, Some("/"), "https://h/v1"),
        // A query stays a query.
        ("http://127.0.0.1:8080/v1?x=1", CHAT, None, "http://127.0.0.1:8080/v1/chat/completions?x=1"),
        ("https://h/openai?a=1", CHAT, Some("/chat?b=2"), "https://h/openai/chat?a=1&b=2"),
        ("https://h?x=1", CHAT, None, "https://h/v1/chat/completions?x=1"),
        // Hosts and ports.
        ("http://[::1]:9000", CHAT, None, "http://[::1]:9000/v1/chat/completions"),
        ("HTTPS://Example.COM:443/api", CHAT, None, "https://example.com/api/chat/completions"),
        ("http://h:80", CHAT, None, "http://h/v1/chat/completions"),
        ("https://h:8443", CHAT, None, "https://h:8443/v1/chat/completions"),
        (" https://h/v1 ", CHAT, None, "https://h/v1/chat/completions"),
        ("https://u:p@h/v1", CHAT, None, "https://h/v1/chat/completions"),
    ];
    for (base, api, api_path, expected) in rows {
        let resolved = resolve(base, *api, *api_path).unwrap_or_else(|problem| panic!("{base}: {problem:?}"));
        let Server::At(endpoint) = resolved.server else { panic!("{base}") };
        assert_eq!(endpoint.url(), *expected, "{base} {api_path:?}");
    }
}

#[test]
fn an_address_that_cannot_be_meant_is_refused_with_a_reason() {
    let rows = [
        ("taotoken.net/api", None, "the URL has no scheme"),
        ("localhost:8080", None, "the URL has no scheme"),
        ("", None, "the URL has no scheme"),
        ("ftp://h", None, "the scheme `ftp` cannot be spoken"),
        ("https://", None, "the URL has no host"),
        ("http:///v1", None, "the URL has no host"),
        ("http://:8080/v1", None, "the URL has no host"),
        ("http://h:0", None, "port 0 cannot be connected to"),
        ("http://h:70000", None, "not a URL: invalid port number"),
        ("https://h/v1#top", None, "the URL has a fragment (`#...`), which is never sent"),
        ("https://h/?utm_source=x", None, "`utm_source` in the URL: this is a web page's address"),
        ("https://h/a b", None, "the URL has white space in it"),
        ("https://h", Some("https://h/v1"), "`api_path` is a whole URL"),
        ("https://h", Some("/v1#x"), "`api_path` has a fragment (`#...`), which is never sent"),
        ("https://h", Some("/v1/你"), "`api_path` has a character that no path may have"),
        ("mock://host", None, "the built-in mock has no host and no path"),
    ];
    for (base, api_path, expected) in rows {
        let problem = resolve(base, None, api_path).expect_err(base);
        assert_eq!(problem.message, expected, "{base}");
        assert!(!problem.hint.is_empty(), "{base}");
    }
}

#[test]
fn a_custom_api_without_a_path_is_refused() {
    for base in ["https://h", "https://h/", "mock://"] {
        let problem = resolve(base, CUSTOM, None).expect_err(base);
        assert!(problem.message.starts_with("nothing says which path"), "{base}: {}", problem.message);
    }
}

#[test]
fn the_mock_takes_its_settings_from_the_query_and_its_path_from_the_api() {
    let rows = [
        ("mock://", None, None, "", "/v1/chat/completions"),
        ("mock://?ttft=50ms&tokens=8", None, None, "ttft=50ms&tokens=8", "/v1/chat/completions"),
        ("mock://?x", CLAUDE, None, "x", "/v1/messages"),
        ("mock://", COMPLETIONS, None, "", "/v1/completions"),
        ("mock://", RESPONSES, None, "", "/v1/responses"),
        ("mock://", OLLAMA, None, "", "/api/chat"),
        ("mock://", CUSTOM, Some("/api/chat"), "", "/api/chat"),
        ("mock://", None, Some("/v1/chat-messages"), "", "/v1/chat-messages"),
    ];
    for (base, api, api_path, settings, path) in rows {
        let resolved = resolve(base, api, api_path).unwrap();
        assert_eq!(resolved.server, Server::Mock { settings: settings.into(), path: path.into() }, "{base}");
        assert_eq!(resolved.shown, base);
    }
}

#[test]
fn user_info_and_secret_parameters_are_not_shown() {
    let resolved = resolve("https://me:p%40ss+w@h/v1?key=abc&x=1", None, None).unwrap();
    assert_eq!(resolved.shown, "https://h/v1?key=***&x=1");
    assert_eq!(resolved.user_info.as_deref(), Some("me:p@ss+w"));
}
