//! Which protocol: said, or told by the path.

use crate::layers::NodeKind;
use crate::plan::Api;
use crate::read::Section;

/// The protocol of `[target] api`; `None` when it is absent or wrong (then it is reported).
pub(super) fn read(section: Section<'_>) -> Option<Api> {
    let words = Api::ALL.map(|api| (api.name(), api));
    let vendor = section.get("api").and_then(|node| match &node.kind {
        NodeKind::Text(text) => Some((node, of_vendor(text)?)),
        _ => None,
    });
    let Some((node, api)) = vendor else { return section.choice("api", &words) };
    let all = words.map(|(name, _)| format!("\"{name}\"")).join(", ");
    let hint = format!("did you mean \"{}\"?", api.name());
    section.context.expected_with_hint(node, &format!("one of {all}"), hint);
    None
}

/// The protocol most spoken with a vendor whose name alone was said.
fn of_vendor(text: &str) -> Option<Api> {
    match text.to_ascii_lowercase().as_str() {
        "openai" => Some(Api::OpenAiChat),
        "anthropic" | "claude" => Some(Api::AnthropicMessages),
        "ollama" => Some(Api::OllamaChat),
        "dify" => Some(Api::DifyChat),
        _ => None,
    }
}

/// The protocol that the end of a path names.
pub(super) fn named_by(path: &str) -> Option<Api> {
    let path = path.split('?').next().unwrap_or("").trim_end_matches('/');
    let path = format!("/{}", path.trim_start_matches('/'));
    let ends = Api::ALL.into_iter().flat_map(|api| ends(api).into_iter().map(move |end| (end, api)));
    let fitting = ends.filter(|(end, _)| path.ends_with(end.as_str()));
    fitting.max_by_key(|(end, _)| end.len()).map(|(_, api)| api)
}

/// How the paths of a protocol end: without its version, where the rest says enough.
pub(super) fn ends(api: Api) -> Vec<String> {
    let full = |path: &&str| match api {
        Api::OllamaChat => format!("/{}{path}", api.version()),
        _ => (*path).to_owned(),
    };
    api.paths().iter().map(full).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_names_the_protocol() {
        let rows = [
            ("/v1/chat/completions", Some(Api::OpenAiChat)),
            ("chat/completions/", Some(Api::OpenAiChat)),
            ("/v1/chat/completions?x=1", Some(Api::OpenAiChat)),
            ("/v1/messages", Some(Api::AnthropicMessages)),
            ("/v1/chat-messages", Some(Api::DifyChat)),
            ("/v1/workflows/run", Some(Api::DifyChat)),
            ("/v1/completion-messages", Some(Api::DifyChat)),
            ("/v1/completions", Some(Api::OpenAiCompletions)),
            ("/v1/responses", Some(Api::OpenAiResponses)),
            ("/api/chat", Some(Api::OllamaChat)),
            ("/gateway/api/chat", Some(Api::OllamaChat)),
            ("/v1/chat", None),
            ("/api", None),
            ("", None),
        ];
        for (path, expected) in rows {
            assert_eq!(named_by(path), expected, "{path}");
        }
    }
}
