//! Which protocol: said, or told by the path.

use crate::plan::Api;
use crate::read::Section;

/// Protocols that have a name but are not spoken in this version.
const LATER: &[&str] = &["openai-completions", "openai-responses", "ollama-chat", "custom"];

/// Ends of paths and what they tell, longest first.
const ENDS: &[(&str, Result<Api, &str>)] = &[
    ("/chat/completions", Ok(Api::OpenAiChat)),
    ("/chat-messages", Ok(Api::DifyChat)),
    ("/completions", Err("openai-completions")),
    ("/responses", Err("openai-responses")),
    ("/messages", Ok(Api::AnthropicMessages)),
    ("/api/chat", Err("ollama-chat")),
];

/// The protocol of `[target] api`; `None` when it is absent or wrong (then it is reported).
pub(super) fn read(section: Section<'_>) -> Option<Api> {
    let node = section.get("api")?;
    let text = section.context.text(node)?;
    if LATER.contains(&text) {
        section.context.problems.error_with_hint(
            &node.place,
            format!("the api `{text}` is not available in this version"),
            format!("one of {}", names()),
        );
        return None;
    }
    section.choice("api", &Api::ALL.map(|api| (api.name(), api)))
}

/// The protocol that the end of a path names; `Err` names one that this version does not speak.
pub(super) fn named_by(path: &str) -> Option<Result<Api, &'static str>> {
    let path = path.split('?').next().unwrap_or("").trim_end_matches('/');
    let path = format!("/{}", path.trim_start_matches('/'));
    ENDS.iter().find(|(end, _)| path.ends_with(end)).map(|(_, api)| *api)
}

/// The names of this version's protocols, for messages.
pub(super) fn names() -> String {
    Api::ALL.map(|api| format!("\"{}\"", api.name())).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_names_the_protocol() {
        let rows = [
            ("/v1/chat/completions", Some(Ok(Api::OpenAiChat))),
            ("chat/completions/", Some(Ok(Api::OpenAiChat))),
            ("/v1/chat/completions?x=1", Some(Ok(Api::OpenAiChat))),
            ("/v1/messages", Some(Ok(Api::AnthropicMessages))),
            ("/v1/chat-messages", Some(Ok(Api::DifyChat))),
            ("/v1/completions", Some(Err("openai-completions"))),
            ("/api/chat", Some(Err("ollama-chat"))),
            ("/api", None),
            ("", None),
        ];
        for (path, expected) in rows {
            assert_eq!(named_by(path), expected, "{path}");
        }
    }
}
