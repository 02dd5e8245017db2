//! One answer before it is put on the wire: everything the protocols need to write it.

use crate::ask::{Ask, Delivery, UsageChunk};

/// The facts of one answer, the same for every protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Running number of the answer, from which its ids are made.
    pub(crate) ordinal: u64,
    pub(crate) model: String,
    /// Seconds of the Unix epoch.
    pub(crate) created: u64,
    pub(crate) input_tokens: usize,
    pub(crate) output_tokens: usize,
    pub(crate) finish: Finish,
    pub(crate) usage_chunk: UsageChunk,
    pub(crate) conversation: Option<String>,
}

/// Why the answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    /// It is complete.
    Stop,
    /// The request capped it.
    Length,
}

impl Answer {
    /// The answer to `ask` by a server that would say `tokens` tokens.
    pub(crate) fn new(ask: Ask, tokens: usize, ordinal: u64, created: u64) -> Self {
        let output_tokens = ask.most_tokens.map_or(tokens, |most| most.min(tokens));
        Self {
            ordinal,
            model: ask.model,
            created,
            input_tokens: ask.input_tokens,
            output_tokens,
            finish: if output_tokens < tokens { Finish::Length } else { Finish::Stop },
            usage_chunk: match ask.delivery {
                Delivery::Stream { usage } => usage,
                Delivery::Whole => UsageChunk::NotAsked,
            },
            conversation: ask.conversation,
        }
    }
}
