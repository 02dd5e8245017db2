//! What is remarkable about an attempt beside its outcome.

use serde::{Deserialize, Serialize};

macro_rules! flags {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal)*) => {
        /// One remark.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Flag { $($(#[doc = $doc])+ $variant,)* }

        impl Flag {
            /// Every flag.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As written in JSON and reports.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

flags! {
    /// The terminal marker of the protocol was missing although the answer was finished.
    NoDone "no_done"
    /// The terminal marker came without a finish reason.
    NoFinishReason "no_finish_reason"
    /// The last event lacked its blank line.
    UnterminatedEvent "unterminated_event"
    /// Nine in ten gaps under 0.1 ms over at least four token events: something buffers.
    Burst "burst"
    /// Streaming was asked for and one whole answer came.
    NotStreamed "not_streamed"
    /// Usage counts tokens that no event showed.
    NoVisibleTokens "no_visible_tokens"
    /// Text came, and usage says zero.
    UsageZeroWithText "usage_zero_with_text"
    /// A kept-alive connection was dead and the request went out again on a fresh one.
    Redial "redial"
    /// Bytes that belong to no event stood in the body, or text after the terminal marker.
    Residue "residue"
    /// Comments or pings came between events.
    Keepalives "keepalives"
    /// Data that is not JSON where JSON is due.
    OddFrames "odd_frames"
    /// Events of a type this protocol does not name.
    UnknownTypes "unknown_types"
    /// The model refused.
    Refusal "refusal"
}

/// A set of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u16);

impl Flags {
    /// Adds a flag.
    pub fn insert(&mut self, flag: Flag) {
        self.0 |= 1 << flag as u16;
    }

    /// Whether a flag is set.
    pub fn contains(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u16) != 0
    }

    /// The flags that are set, in order.
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.iter().copied().filter(move |flag| self.contains(*flag))
    }
}

impl FromIterator<Flag> for Flags {
    fn from_iter<I: IntoIterator<Item = Flag>>(flags: I) -> Self {
        let mut set = Self::default();
        flags.into_iter().for_each(|flag| set.insert(flag));
        set
    }
}

impl Serialize for Flags {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Flag::name))
    }
}

impl<'de> Deserialize<'de> for Flags {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        // A flag of a later version is not worth refusing a file for.
        Ok(Flag::ALL.iter().copied().filter(|flag| names.iter().any(|name| name == flag.name())).collect())
    }
}
