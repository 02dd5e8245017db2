//! The wire protocols and the facts about them that a plan needs.

use super::Auth;

/// Wire protocol of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// OpenAI Chat Completions.
    OpenAiChat,
    /// Anthropic Messages.
    AnthropicMessages,
    /// Dify chat and agent apps.
    DifyChat,
}

impl Api {
    /// Every protocol of this version.
    pub const ALL: [Self; 3] = [Self::OpenAiChat, Self::AnthropicMessages, Self::DifyChat];

    /// As written in TOML and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::AnthropicMessages => "anthropic-messages",
            Self::DifyChat => "dify-chat",
        }
    }

    /// The path below the version segment.
    pub fn path(self) -> &'static str {
        match self {
            Self::OpenAiChat => "/chat/completions",
            Self::AnthropicMessages => "/messages",
            Self::DifyChat => "/chat-messages",
        }
    }

    /// The full path on a host that has no path of its own.
    pub fn default_path(self) -> String {
        format!("/v1{}", self.path())
    }

    /// How a key is presented unless the scenario says otherwise.
    pub fn auth(self) -> Auth {
        match self {
            Self::OpenAiChat | Self::DifyChat => Auth::Bearer,
            Self::AnthropicMessages => Auth::XApiKey,
        }
    }

    /// Where the server's list of models stands, beside the api's own path; `None` where there is none.
    pub fn model_list(self) -> Option<&'static str> {
        match self {
            Self::OpenAiChat | Self::AnthropicMessages => Some("/models"),
            Self::DifyChat => None,
        }
    }

    /// Whether the body names a model; a Dify app has its own.
    pub fn names_model(self) -> bool {
        match self {
            Self::OpenAiChat | Self::AnthropicMessages => true,
            Self::DifyChat => false,
        }
    }
}
