//! `docs/scenario.md`: its tables are made from the list of keys and from what the code really does with examples.

use std::fmt::Display;

use scenario::keys::{Key, Kind, TABLE};
use scenario::plan::Auth;
use scenario::{Diagnostics, Layers, Plan};

use crate::folder::{Folder, environment};
use crate::generated;

const PAGE: &str = "docs/scenario.md";

#[test]
fn the_reference_page_is_fresh() {
    let mut sections = vec![""];
    sections.extend(TABLE.iter().map(|key| key.section).filter(|section| !section.is_empty()));
    sections.dedup();
    let mut parts: Vec<(String, String)> =
        sections.iter().map(|section| (format!("section {section}"), section_table(section))).collect();
    let examples: [(&str, String); 4] =
        [("values", values()), ("urls", urls()), ("keys", keys()), ("templates", templates())];
    parts.extend(examples.map(|(name, table)| (name.to_owned(), table)));
    let parts: Vec<(String, String)> = parts
        .into_iter()
        .map(|(name, part)| (format!("generated: {}", name.trim()).trim().to_owned(), part))
        .collect();
    generated::assert_parts_fresh(PAGE, &parts);
}

#[test]
fn the_example_on_top_loads_without_a_remark() {
    let page = std::fs::read_to_string(generated::path(PAGE)).unwrap();
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = Folder::new().with("config.toml", example).with("queries.txt", "one\ntwo\n").with(
        "request.json",
        r#"{ "model": "<model>", "messages": [{ "role": "user", "content": "<query>" }] }"#,
    );
    for profile in [None, Some("short".to_owned())] {
        let layers =
            Layers { profile, environment: environment(&[("GATEWAY_KEY", "sk-x")]), ..Layers::default() };
        let plan = folder.load(&layers).unwrap();
        assert_eq!(plan.notices, Vec::<String>::new());
    }
}

/// The keys of one table.
fn section_table(section: &str) -> String {
    let keys = || TABLE.iter().filter(|key| key.section == section);
    let mut lines = header(["key", "value", "default", "meaning"]);
    lines.extend(keys().filter(|key| !matches!(key.kind, Kind::Later(_))).map(row));
    let later: Vec<String> = keys().filter_map(later).collect();
    if !later.is_empty() {
        lines.push(String::new());
        lines.push(format!("Reserved, and refused in this version: {}.", later.join(", ")));
    }
    lines.join("\n")
}

fn row(key: &Key) -> String {
    let older: Vec<String> = key.aliases.iter().map(|alias| code(alias)).collect();
    let older = if older.is_empty() { String::new() } else { format!(", older: {}", older.join(", ")) };
    let default = key.default.map(code).unwrap_or_default();
    cells([format!("{}{older}", code(key.name)), kind(key.kind), default, key.en.to_owned()])
}

fn kind(kind: Kind) -> String {
    let words = |words: &[&str]| {
        words.iter().map(|word| code(&format!("\"{word}\""))).collect::<Vec<_>>().join(" or ")
    };
    match kind {
        Kind::Choice(choices) => return words(choices),
        Kind::Text => "text",
        Kind::Path => "path",
        Kind::PathOrBoolean => "`true`, `false` or path",
        Kind::Duration => "duration",
        Kind::DurationOrNone => "duration or `\"none\"`",
        Kind::Pause => "duration, or a range of two",
        Kind::Size => "size",
        Kind::Count => "whole number",
        Kind::Number => "number",
        Kind::Share => "share",
        Kind::Boolean => "`true` or `false`",
        Kind::Counts => "array of whole numbers",
        Kind::Texts => "array of texts",
        Kind::List => "array",
        Kind::Prompts => "path, or array of prompts",
        Kind::Body => "path, text or table",
        Kind::Pointers => "JSON pointer, or array of them",
        Kind::Marks => "JSON pointer, `{ event = \"…\" }`, `{ data = \"…\" }` or `{ pointer = \"…\", equals = … }`, or array of them",
        Kind::Change => "duration, share or number, as the metric",
        Kind::Section => "table",
        Kind::Sections => "array of tables",
        Kind::Headers => "table of texts",
        Kind::Free => "table of anything",
        Kind::Profiles => "tables by name",
        Kind::Later(_) => "",
    }
    .to_owned()
}

fn later(key: &Key) -> Option<String> {
    match key.kind {
        Kind::Later(None) => Some(code(key.name)),
        Kind::Later(Some(accepted)) => {
            Some(format!("{} (but {} is accepted)", code(key.name), code(accepted)))
        }
        _ => None,
    }
}

/// How durations and sizes are read.
fn values() -> String {
    let mut lines = header(["written", "read as"]);
    let seconds = |plan: Plan| format!("{} s", plan.target.timeouts.idle.as_secs_f64());
    for written in ["60", "2.5", "\"60s\"", "\"1m30s\"", "\"500ms\"", "\"0.5s\"", "\"60\"", "\"5 s\"", "-5"] {
        lines.push(outcome(written, &on("http://h", &format!("timeout = {written}"), ""), seconds));
    }
    let bytes = |plan: Plan| format!("{} bytes", plan.target.max_event_size);
    for written in ["65536", "\"64KiB\"", "\"1MB\"", "\"16MiB\""] {
        lines.push(outcome(written, &on("http://h", &format!("max_event_size = {written}"), ""), bytes));
    }
    lines.join("\n")
}

/// Where requests go.
fn urls() -> String {
    let rows: &[(&str, &str, &str)] = &[
        ("https://h", "openai-chat", ""),
        ("https://h", "anthropic-messages", ""),
        ("https://h", "dify-chat", ""),
        ("https://h", "openai-completions", ""),
        ("https://h", "openai-responses", ""),
        ("http://h:11434", "ollama-chat", ""),
        ("https://h/v1", "openai-chat", ""),
        ("https://h/v1", "anthropic-messages", ""),
        ("https://h/api/paas/v4", "openai-chat", ""),
        ("https://h/api", "openai-chat", ""),
        ("https://h/api", "anthropic-messages", ""),
        ("https://h/api", "dify-chat", ""),
        ("http://h:11434/api", "ollama-chat", ""),
        ("https://h/ollama", "ollama-chat", ""),
        ("https://h/v1/chat/completions", "", ""),
        ("https://h/v1", "", "/v1/chat/completions"),
        ("https://h/gateway", "", "/v1/messages"),
        ("https://h/v1", "", "/v1/workflows/run"),
        ("http://h:11434/api/chat", "", ""),
        ("https://h/v1?version=2", "openai-chat", ""),
        ("mock://?ttft=50ms", "", ""),
        ("h/v1", "", ""),
        ("https://h/v1#top", "", ""),
        ("https://h/?utm_source=mail", "", ""),
    ];
    let mut lines = header(["`base_url`", "`api`", "`api_path`", "requests go to"]);
    for (base, api, path) in rows {
        let said = |key: &str, value: &str| match value {
            "" => String::new(),
            value => format!("{key} = \"{value}\"\n"),
        };
        let loaded = on(base, &format!("{}{}", said("api", api), said("api_path", path)), "");
        let found = match loaded {
            Ok(plan) => code(&plan.target.url()),
            Err(problems) => refusal(&problems),
        };
        let shown = |value: &&str| if value.is_empty() { String::new() } else { code(value) };
        lines.push(cells([code(base), shown(api), shown(path), found]));
    }
    lines.join("\n")
}

/// What becomes of a key.
fn keys() -> String {
    let mut lines = header(["`api_key`", "`api`", "sent as"]);
    let rows = [
        ("sk-abc", "openai-chat"),
        ("Bearer sk-abc", "openai-chat"),
        ("  sk-abc\\n", "openai-chat"),
        ("sk-abc", "dify-chat"),
        ("Bearer sk-abc", "anthropic-messages"),
        ("sk-abc", "ollama-chat"),
        ("sk-abc sk-def", "openai-chat"),
        ("", "openai-chat"),
    ];
    for (written, api) in rows {
        let sent = match on("http://h", &format!("api = \"{api}\"\napi_key = \"{written}\""), "") {
            Ok(plan) => code(&auth_header(&plan)),
            Err(problems) => refusal(&problems),
        };
        lines.push(cells([code(&format!("\"{written}\"")), code(&format!("\"{api}\"")), sent]));
    }
    lines.join("\n")
}

fn auth_header(plan: &Plan) -> String {
    let key = plan.target.keys.values[0].expose();
    match plan.target.auth {
        Auth::Bearer => format!("Authorization: Bearer {key}"),
        Auth::XApiKey => format!("x-api-key: {key}"),
        Auth::None => String::new(),
    }
}

/// What becomes of a string of a body.
fn templates() -> String {
    let mut lines = header(["in the template", "in the request"]);
    let rows = [
        "<query>",
        "{query}",
        "Q: <query>",
        "<n>",
        "<n> times",
        "<user>",
        "<inputs>",
        "<inputs.language>",
        "<nobody>",
        "{{ query | upper }}",
        "{{ nobody }}",
    ];
    let data = "queries = [{ query = \"Hi\", n = 3 }]\ninputs = { language = \"en\" }\n";
    for written in rows {
        let sent = match on("http://h", "", &format!("{data}body = {{ x = '{written}' }}")) {
            Ok(plan) => {
                let body: serde_json::Value = serde_json::from_slice(&plan.bodies.sample()).unwrap();
                let unknown = plan.notices.iter().any(|notice| notice.contains("names nothing"));
                format!("{}{}", code(&body["x"].to_string()), if unknown { ", with a note" } else { "" })
            }
            Err(problems) => refusal(&problems),
        };
        lines.push(cells([code(&format!("\"{written}\"")), sent]));
    }
    lines.join("\n")
}

/// A scenario at `base` with more lines in two of its tables.
fn on(base: &str, target: &str, data: &str) -> Result<Plan, Diagnostics> {
    let text = format!(
        "[target]\nbase_url = \"{base}\"\n{target}\n[load]\nstages = [1]\nstage_requests = 5\n[data]\n{data}\n"
    );
    Folder::new().with("config.toml", text).load(&Layers::default())
}

fn outcome(written: &str, loaded: &Result<Plan, Diagnostics>, show: impl Fn(Plan) -> String) -> String {
    let read = match loaded {
        Ok(plan) => show(plan.clone()),
        Err(problems) => refusal(problems),
    };
    cells([code(written), read])
}

fn refusal(problems: &Diagnostics) -> String {
    format!("error: {}", problems.messages().next().unwrap())
}

fn header<const N: usize>(titles: [&str; N]) -> Vec<String> {
    vec![cells(titles), format!("|{}", " --- |".repeat(N))]
}

fn cells<const N: usize>(cells: [impl Display; N]) -> String {
    let cells = cells.map(|cell| cell.to_string().replace('|', "\\|"));
    format!("| {} |", cells.join(" | "))
}

fn code(text: &str) -> String {
    format!("`{text}`")
}
