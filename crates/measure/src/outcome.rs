//! How one request ended: exactly one [`Outcome`], and the closed set of error classes grouped by whose fault it is.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How one request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// A complete answer.
    Ok,
    /// Not a complete answer, and why.
    Failed(ErrorClass),
    /// Ended by the run itself (interrupt, end of drain): neither ok nor failed.
    Cancelled,
}

impl Outcome {
    /// As written in JSON: `ok`, `cancelled` or the class.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed(class) => class.name(),
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Outcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "ok" => Ok(Self::Ok),
            "cancelled" => Ok(Self::Cancelled),
            class => ErrorClass::named(class)
                .map(Self::Failed)
                .ok_or_else(|| serde::de::Error::custom(format!("`{class}` is not an outcome"))),
        }
    }
}

/// Whose fault a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorGroup {
    /// The request itself is wrong; must be zero before load.
    Config,
    /// The endpoint is at its limit.
    Capacity,
    /// The endpoint or the way to it is not stable.
    Stability,
    /// The answer is not what the protocol allows.
    Protocol,
    /// This machine; the run itself is in doubt.
    Client,
}

impl ErrorGroup {
    /// As written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Capacity => "capacity",
            Self::Stability => "stability",
            Self::Protocol => "protocol",
            Self::Client => "client",
        }
    }
}

macro_rules! classes {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $group:ident)*) => {
        /// Why a request failed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorClass { $($(#[doc = $doc])+ $variant,)* }

        impl ErrorClass {
            /// Every class, in the order of the groups.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As written in TOML, JSON and reports.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Whose fault it is.
            pub fn group(self) -> ErrorGroup {
                match self { $(Self::$variant => ErrorGroup::$group,)* }
            }
        }
    };
}

classes! {
    /// 400 and any 4xx without a class of its own.
    BadRequest "bad_request" Config
    /// 401.
    Unauthorized "unauthorized" Config
    /// 403.
    Forbidden "forbidden" Config
    /// 404.
    NotFound "not_found" Config
    /// 3xx; redirects are not followed.
    Redirect "redirect" Config
    /// 402, or a 429/403 whose error code says that the account is used up.
    Quota "quota" Config
    /// The server's certificate is not accepted.
    Tls "tls" Config
    /// 429.
    RateLimited "rate_limited" Capacity
    /// 529, or an overload error inside the stream.
    Overloaded "overloaded" Capacity
    /// 5xx and 408.
    ServerError "server_error" Stability
    /// No TCP connection.
    ConnectFailed "connect_failed" Stability
    /// The connection ended before a byte of the answer.
    ConnectionClosed "connection_closed" Stability
    /// The connection broke inside the body, before the answer's end.
    StreamInterrupted "stream_interrupted" Stability
    /// The body ended cleanly before the answer did.
    Truncated "truncated" Stability
    /// An error object under a 2xx status.
    InbandError "inband_error" Stability
    /// A finish reason that says the generation failed.
    GenerationError "generation_error" Stability
    /// No connection within `timeouts.connect`.
    TimeoutConnect "timeout_connect" Stability
    /// No token within `timeouts.first_token`.
    TimeoutFirstToken "timeout_first_token" Stability
    /// No byte within `timeouts.idle`.
    TimeoutIdle "timeout_idle" Stability
    /// No further token within `timeouts.stall`.
    TimeoutStall "timeout_stall" Stability
    /// No end within `timeouts.total`.
    TimeoutTotal "timeout_total" Stability
    /// A body that can hold no answer of this api.
    BadContentType "bad_content_type" Protocol
    /// The body as a whole cannot be read.
    Malformed "malformed" Protocol
    /// One event larger than `target.max_event_size`.
    EventTooLarge "event_too_large" Protocol
    /// A compressed body although none was asked for.
    UnsupportedEncoding "unsupported_encoding" Protocol
    /// A complete answer without a token.
    EmptyOutput "empty_output" Protocol
    /// The answer was withheld by a content filter.
    ContentFiltered "content_filtered" Protocol
    /// Descriptors or ports of this machine ran out.
    ClientResource "client_resource" Client
    /// The host's name cannot be resolved.
    Dns "dns" Client
    /// A fault of this program.
    Internal "internal" Client
}

impl ErrorClass {
    /// The class of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|class| class.name() == name)
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_found_by_its_name() {
        for class in ErrorClass::ALL {
            assert_eq!(ErrorClass::named(class.name()), Some(*class));
        }
        assert_eq!(ErrorClass::ALL.len(), 30);
    }
}
