//! The wire protocols and the facts about them that a plan needs.

use super::{Auth, Format};

/// Wire protocol of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// OpenAI Chat Completions.
    OpenAiChat,
    /// OpenAI Completions: a prompt instead of messages.
    OpenAiCompletions,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic Messages.
    AnthropicMessages,
    /// Dify chat, agent and workflow apps.
    DifyChat,
    /// Ollama's own protocol.
    OllamaChat,
    /// Described by the scenario, in `[target.response]`.
    Custom,
}

impl Api {
    /// Every protocol.
    pub const ALL: [Self; 7] = [
        Self::OpenAiChat,
        Self::OpenAiCompletions,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::DifyChat,
        Self::OllamaChat,
        Self::Custom,
    ];

    /// As written in TOML and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiCompletions => "openai-completions",
            Self::OpenAiResponses => "openai-responses",
            Self::AnthropicMessages => "anthropic-messages",
            Self::DifyChat => "dify-chat",
            Self::OllamaChat => "ollama-chat",
            Self::Custom => "custom",
        }
    }

    /// The paths it is served at, below [`Self::version`]: the first is the default, any of them names the protocol. A
    /// custom one has none of its own.
    pub fn paths(self) -> &'static [&'static str] {
        match self {
            Self::OpenAiChat => &["/chat/completions"],
            Self::OpenAiCompletions => &["/completions"],
            Self::OpenAiResponses => &["/responses"],
            Self::AnthropicMessages => &["/messages"],
            Self::DifyChat => &["/chat-messages", "/completion-messages", "/workflows/run"],
            Self::OllamaChat => &["/chat", "/generate"],
            Self::Custom => &[],
        }
    }

    /// The segment in front of the path on a host that has no path of its own.
    pub fn version(self) -> &'static str {
        match self {
            Self::OpenAiChat
            | Self::OpenAiCompletions
            | Self::OpenAiResponses
            | Self::AnthropicMessages
            | Self::DifyChat => "v1",
            Self::OllamaChat => "api",
            Self::Custom => "",
        }
    }

    /// How a key is presented unless the scenario says otherwise.
    pub fn auth(self) -> Auth {
        match self {
            Self::OpenAiChat
            | Self::OpenAiCompletions
            | Self::OpenAiResponses
            | Self::DifyChat
            | Self::OllamaChat
            | Self::Custom => Auth::Bearer,
            Self::AnthropicMessages => Auth::XApiKey,
        }
    }

    /// Where the server's list of models stands, beside the api's own path; `None` where there is none.
    pub fn model_list(self) -> Option<&'static str> {
        match self {
            Self::OpenAiChat | Self::OpenAiCompletions | Self::OpenAiResponses | Self::AnthropicMessages => {
                Some("/models")
            }
            Self::OllamaChat => Some("/tags"),
            Self::DifyChat | Self::Custom => None,
        }
    }

    /// Whether servers ask for a key as a rule.
    pub fn asks_for_key(self) -> bool {
        self != Self::OllamaChat
    }

    /// Whether the body names a model; a Dify app has its own, and of a custom body nothing is known.
    pub fn names_model(self) -> bool {
        match self {
            Self::OpenAiChat
            | Self::OpenAiCompletions
            | Self::OpenAiResponses
            | Self::AnthropicMessages
            | Self::OllamaChat => true,
            Self::DifyChat | Self::Custom => false,
        }
    }

    /// How a streamed answer is written; a custom one says it itself.
    pub fn format(self) -> Format {
        match self {
            Self::OpenAiChat
            | Self::OpenAiCompletions
            | Self::OpenAiResponses
            | Self::AnthropicMessages
            | Self::DifyChat
            | Self::Custom => Format::Sse,
            Self::OllamaChat => Format::Ndjson,
        }
    }
}
