//! The wire formats: facts of an answer in, bytes of events out. No I/O and no clock.

mod anthropic;
mod dify;
mod dify_workflow;
mod ollama;
mod openai;
mod openai_completions;
mod openai_responses;

use serde::Serialize;
use serde_json::Value;

use self::ollama::Form;
use crate::answer::Answer;
use crate::problem::Problem;

/// A protocol the mock speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// OpenAI chat completions: a path that ends in `/chat/completions`.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI completions: any other path that ends in `/completions`.
    #[serde(rename = "openai-completions")]
    OpenAiCompletions,
    /// OpenAI responses: a path that ends in `/responses`.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic messages: a path that ends in `/messages`.
    AnthropicMessages,
    /// Dify chat: a path that ends in `/chat-messages`.
    DifyChat,
    /// Dify workflow apps: a path that ends in `/workflows/run`.
    DifyWorkflow,
    /// Ollama chat: a path that ends in `/api/chat`.
    OllamaChat,
    /// Ollama generate: a path that ends in `/api/generate`.
    OllamaGenerate,
}

impl Protocol {
    /// Every protocol; where two fit the end of a path, the first is meant.
    pub const ALL: [Self; 8] = [
        Self::OpenAiChat,
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::DifyChat,
        Self::DifyWorkflow,
        Self::OllamaChat,
        Self::OllamaGenerate,
    ];

    /// The name used in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::DifyChat => "dify-chat",
            Self::DifyWorkflow => "dify-workflow",
            Self::OllamaChat => "ollama-chat",
            Self::OllamaGenerate => "ollama-generate",
        }
    }

    /// How the paths of this protocol end.
    pub(crate) fn path_end(self) -> &'static str {
        match self {
            Self::OpenAiChat => "/chat/completions",
            Self::OpenAiCompletions => "/completions",
            Self::OpenAiResponses => "/responses",
            Self::AnthropicMessages => "/messages",
            Self::DifyChat => "/chat-messages",
            Self::DifyWorkflow => "/workflows/run",
            Self::OllamaChat => "/api/chat",
            Self::OllamaGenerate => "/api/generate",
        }
    }

    /// Whether requests name a model; a Dify app has its own.
    pub(crate) fn names_model(self) -> bool {
        !matches!(self, Self::DifyChat | Self::DifyWorkflow)
    }

    /// The media type of a streamed answer.
    pub(crate) fn stream_type(self) -> &'static str {
        match self {
            Self::OllamaChat | Self::OllamaGenerate => "application/x-ndjson",
            _ => "text/event-stream; charset=utf-8",
        }
    }

    /// The events of a streamed answer.
    pub(crate) fn events(self, answer: &Answer) -> Events {
        match self {
            Self::OpenAiChat => openai::events(answer),
            Self::OpenAiCompletions => openai_completions::events(answer),
            Self::OpenAiResponses => openai_responses::events(answer),
            Self::AnthropicMessages => anthropic::events(answer),
            Self::DifyChat => dify::events(answer),
            Self::DifyWorkflow => dify_workflow::events(answer),
            Self::OllamaChat => ollama::events(Form::Chat, answer),
            Self::OllamaGenerate => ollama::events(Form::Generate, answer),
        }
    }

    /// The body of an answer that is not streamed.
    pub(crate) fn whole(self, answer: &Answer) -> Value {
        match self {
            Self::OpenAiChat => openai::whole(answer),
            Self::OpenAiCompletions => openai_completions::whole(answer),
            Self::OpenAiResponses => openai_responses::whole(answer),
            Self::AnthropicMessages => anthropic::whole(answer),
            Self::DifyChat => dify::whole(answer),
            Self::DifyWorkflow => dify_workflow::whole(answer),
            Self::OllamaChat => ollama::whole(Form::Chat, answer),
            Self::OllamaGenerate => ollama::whole(Form::Generate, answer),
        }
    }

    /// The event with which a streamed answer ends that broke after so many tokens.
    pub(crate) fn failure(self, answer: &Answer, tokens: usize) -> String {
        let error = self.error(&Problem::Internal);
        match self {
            Self::OpenAiChat | Self::OpenAiCompletions => data_event(&error),
            Self::OpenAiResponses => openai_responses::failure(tokens),
            Self::AnthropicMessages => named_event("error", &error),
            Self::DifyChat => dify::failure(answer),
            Self::DifyWorkflow => dify_workflow::failure(answer),
            Self::OllamaChat | Self::OllamaGenerate => format!("{error}\n"),
        }
    }

    /// The body of a refusal.
    pub(crate) fn error(self, problem: &Problem) -> Value {
        match self {
            Self::OpenAiChat | Self::OpenAiCompletions | Self::OpenAiResponses => openai::error(problem),
            Self::AnthropicMessages => anthropic::error(problem),
            Self::DifyChat | Self::DifyWorkflow => dify::error(problem),
            Self::OllamaChat | Self::OllamaGenerate => ollama::error(problem),
        }
    }
}

/// A streamed answer: complete events, each with the line ends that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Events {
    /// Before the first token.
    pub(crate) opening: Vec<String>,
    pub(crate) token: TokenEvent,
    /// After the last token.
    pub(crate) closing: Vec<String>,
}

/// An event of which only the text changes (and its number, where events are numbered). Rendering it per token
/// costs one escape and a few copies, so that a thousand streams are paced by their schedule and not by the
/// making of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenEvent {
    before: String,
    after: String,
    number: Option<Number>,
}

/// What follows the text where events are numbered.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number {
    /// The number of the first token's event.
    first: usize,
    after: String,
}

impl TokenEvent {
    fn plain(before: String, after: String) -> Self {
        Self { before, after, number: None }
    }

    /// With a number between `middle` and `after`, counted from `first`.
    fn numbered(before: String, middle: String, first: usize, after: String) -> Self {
        Self { before, after: middle, number: Some(Number { first, after }) }
    }

    /// The event of the `index`-th token.
    pub(crate) fn render(&self, index: usize, text: &str) -> String {
        let start = [self.before.as_str(), &quoted(text), &self.after].concat();
        match &self.number {
            None => start,
            Some(Number { first, after }) => format!("{start}{}{after}", first + index),
        }
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
        let data = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(event);
        serde_json::from_str(data).ok()
    }

    #[test]
    fn every_event_is_complete_and_carries_json_or_the_end_marker() {
        for protocol in Protocol::ALL {
            let events = protocol.events(&answer());
            let token = events.token.render(0, " \"quoted\"\n河");
            let end = if protocol.stream_type() == "application/x-ndjson" { "}\n" } else { "\n\n" };
            for event in events.opening.iter().chain([&token]).chain(&events.closing) {
                assert!(event.ends_with(end), "{protocol:?} {event:?}");
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
            (Protocol::OpenAiCompletions, "/choices/0/text"),
            (Protocol::OpenAiResponses, "/delta"),
            (Protocol::DifyWorkflow, "/data/text"),
            (Protocol::OllamaChat, "/message/content"),
            (Protocol::OllamaGenerate, "/response"),
        ];
        for (protocol, pointer) in table {
            let event = data(&protocol.events(&answer()).token.render(0, text)).unwrap();
            assert_eq!(event.pointer(pointer).and_then(Value::as_str), Some(text), "{protocol:?}");
        }
    }

    #[test]
    fn usage_is_reported_streamed_and_whole() {
        let table = [
            (Protocol::OpenAiChat, "/usage/prompt_tokens", "/usage/completion_tokens"),
            (Protocol::AnthropicMessages, "/usage/input_tokens", "/usage/output_tokens"),
            (Protocol::DifyChat, "/metadata/usage/prompt_tokens", "/metadata/usage/completion_tokens"),
            (Protocol::OpenAiCompletions, "/usage/prompt_tokens", "/usage/completion_tokens"),
            (Protocol::OllamaChat, "/prompt_eval_count", "/eval_count"),
            (Protocol::OllamaGenerate, "/prompt_eval_count", "/eval_count"),
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
        for protocol in [Protocol::OpenAiChat, Protocol::OpenAiCompletions] {
            let events = protocol.events(&silent);
            assert!(!events.closing.concat().contains("usage"), "{protocol:?}");
            assert!(!events.token.render(0, "x").contains("usage"), "{protocol:?}");
        }
    }

    #[test]
    fn responses_are_numbered_through_and_end_with_the_whole_response() {
        let events = Protocol::OpenAiResponses.events(&answer());
        let tokens: Vec<String> = (0..2).map(|index| events.token.render(index, "x")).collect();
        let all = events.opening.iter().chain(&tokens).chain(&events.closing);
        let numbers: Vec<u64> =
            all.map(|event| data(event).unwrap()["sequence_number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (0..10).collect::<Vec<u64>>());
        let last = data(events.closing.last().unwrap()).unwrap();
        assert_eq!(last["type"], "response.incomplete");
        assert_eq!(last["response"], Protocol::OpenAiResponses.whole(&answer()));
        assert_eq!(last["response"]["usage"]["output_tokens"], 2);
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
