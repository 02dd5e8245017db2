//! The wire formats: facts of an answer in, bytes of events out. No I/O and no clock.

mod anthropic;
mod dify;
mod openai;

use serde::Serialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::problem::Problem;

/// A chat protocol the mock speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// OpenAI chat completions: a path that ends in `/chat/completions`.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// Anthropic messages: a path that ends in `/messages`.
    AnthropicMessages,
    /// Dify chat: a path that ends in `/chat-messages`.
    DifyChat,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 3] = [Self::OpenAiChat, Self::AnthropicMessages, Self::DifyChat];

    /// The name used in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::AnthropicMessages => "anthropic-messages",
            Self::DifyChat => "dify-chat",
        }
    }

    /// How the paths of this protocol end.
    pub(crate) fn path_end(self) -> &'static str {
        match self {
            Self::OpenAiChat => "/chat/completions",
            Self::AnthropicMessages => "/messages",
            Self::DifyChat => "/chat-messages",
        }
    }

    /// The events of a streamed answer.
    pub(crate) fn events(self, answer: &Answer) -> Events {
        match self {
            Self::OpenAiChat => openai::events(answer),
            Self::AnthropicMessages => anthropic::events(answer),
            Self::DifyChat => dify::events(answer),
        }
    }

    /// The body of an answer that is not streamed.
    pub(crate) fn whole(self, answer: &Answer) -> Value {
        match self {
            Self::OpenAiChat => openai::whole(answer),
            Self::AnthropicMessages => anthropic::whole(answer),
            Self::DifyChat => dify::whole(answer),
        }
    }

    /// The body of a refusal.
    pub(crate) fn error(self, problem: Problem) -> Value {
        match self {
            Self::OpenAiChat => openai::error(problem),
            Self::AnthropicMessages => anthropic::error(problem),
            Self::DifyChat => dify::error(problem),
        }
    }
}

/// A streamed answer: complete server-sent events, blank line included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Events {
    /// Before the first token.
    pub(crate) opening: Vec<String>,
    pub(crate) token: TokenEvent,
    /// After the last token.
    pub(crate) closing: Vec<String>,
}

/// An event of which only the text changes. Rendering it per token costs one escape and two copies, so
/// that a thousand streams are paced by their schedule and not by the making of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenEvent {
    before: String,
    after: String,
}

impl TokenEvent {
    pub(crate) fn render(&self, text: &str) -> String {
        [self.before.as_str(), &quoted(text), &self.after].concat()
    }
}

/// `text` as a JSON string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// An event without a name.
fn data_event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// An event whose name is the `type` of its data.
fn named_event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Finish;
    use crate::ask::UsageChunk;

    fn answer() -> Answer {
        Answer {
            ordinal: 7,
            model: "odd \"model\"".to_owned(),
            created: 1_700_000_000,
            input_tokens: 3,
            output_tokens: 2,
            finish: Finish::Length,
            usage_chunk: UsageChunk::Asked,
            conversation: None,
        }
    }

    /// The JSON of every event that carries some.
    fn data(event: &str) -> Option<Value> {
        let data = event.lines().find_map(|line| line.strip_prefix("data: "))?;
        serde_json::from_str(data).ok()
    }

    #[test]
    fn every_event_is_complete_and_carries_json_or_the_end_marker() {
        for protocol in Protocol::ALL {
            let events = protocol.events(&answer());
            let token = events.token.render(" \"quoted\"\n河");
            for event in events.opening.iter().chain([&token]).chain(&events.closing) {
                assert!(event.ends_with("\n\n"), "{protocol:?} {event:?}");
                assert!(data(event).is_some() || event == "data: [DONE]\n\n", "{protocol:?} {event:?}");
            }
        }
    }

    #[test]
    fn a_token_event_carries_its_text_unharmed() {
        let text = " \"quoted\"\n河";
        let table = [
            (Protocol::OpenAiChat, "/choices/0/delta/content"),
            (Protocol::AnthropicMessages, "/delta/text"),
            (Protocol::DifyChat, "/answer"),
        ];
        for (protocol, pointer) in table {
            let event = data(&protocol.events(&answer()).token.render(text)).unwrap();
            assert_eq!(event.pointer(pointer).and_then(Value::as_str), Some(text), "{protocol:?}");
        }
    }

    #[test]
    fn usage_is_reported_streamed_and_whole() {
        let table = [
            (Protocol::OpenAiChat, "/usage/prompt_tokens", "/usage/completion_tokens"),
            (Protocol::AnthropicMessages, "/usage/input_tokens", "/usage/output_tokens"),
            (Protocol::DifyChat, "/metadata/usage/prompt_tokens", "/metadata/usage/completion_tokens"),
        ];
        for (protocol, input, output) in table {
            let closing = protocol.events(&answer()).closing;
            let streamed = closing.iter().filter_map(|event| data(event));
            let reported =
                streamed.filter_map(|event| event.pointer(output).and_then(Value::as_u64)).next_back();
            assert_eq!(reported, Some(2), "{protocol:?}");
            let whole = protocol.whole(&answer());
            assert_eq!(whole.pointer(output), Some(&Value::from(2)), "{protocol:?}");
            assert_eq!(whole.pointer(input), Some(&Value::from(3)), "{protocol:?}");
        }
    }

    #[test]
    fn openai_reports_no_usage_unless_asked() {
        let silent = Answer { usage_chunk: UsageChunk::NotAsked, ..answer() };
        let events = Protocol::OpenAiChat.events(&silent);
        assert!(!events.closing.concat().contains("usage"));
        assert!(!events.token.render("x").contains("usage"));
    }

    #[test]
    fn a_dify_conversation_is_echoed_or_made() {
        let id = |conversation: Option<&str>| {
            let answer = Answer { conversation: conversation.map(str::to_owned), ..answer() };
            Protocol::DifyChat.whole(&answer)["conversation_id"].as_str().unwrap().to_owned()
        };
        assert_eq!(id(Some("c-1")), "c-1");
        assert_eq!(id(None).len(), 36);
    }
}
