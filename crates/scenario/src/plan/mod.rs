//! The plan: everything a run needs, resolved and valid. Nothing in it can be misspelt, missing or out of range.
//!
//! TOML -> `Scenario` -> **`Plan`** -> engine. The engine sees only these types, never a TOML value.

mod ab;
mod api;
mod body;
mod describe;
mod describe_load;
mod describe_time;
mod load;
mod origin;
mod output;
mod pointer;
mod price;
mod proxy;
mod response;
mod secrets;
mod target;
mod workload;

pub use ab::{BLOCKS_PER_SIDE, Side};
pub use api::Api;
pub use body::{Bodies, BodyError};
pub use describe::describe;
pub use describe_load::describe_stage;
pub(crate) use load::level_name;
pub use load::{Arrival, Cancel, Load, Retry, Search, Shape, Stage, StageEnd, ThinkTime, WarmUp, Work};
pub use origin::{Fingerprint, Override};
pub use output::{GatePlan, Language, Objectives, Outputs, Readers, Samples};
pub use pointer::{Pointer, PointerError};
pub use price::Price;
pub use proxy::{HttpVersion, Proxy};
pub use response::{Format, Mark, Response};
pub use target::{Auth, Endpoint, Header, Keys, Scheme, Server, Target, Timeouts, Tls, TlsVerification};

/// One run, ready to be executed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// `name` of the file, or the file's stem.
    pub name: String,
    /// Free text of the author, copied into the result.
    pub notes: Option<String>,
    /// Seed of everything random in the run.
    pub seed: u64,
    /// Where the file came from and what was overridden.
    pub fingerprint: Fingerprint,
    /// What is tested; of an A/B run, A.
    pub target: Target,
    /// How hard, for how long.
    pub load: Load,
    /// What is sent.
    pub bodies: Bodies,
    /// B of an A/B run: the same requests, sent elsewhere or otherwise.
    pub against: Option<Side>,
    /// Limits of one request that `goodput` and the ladder's verdict go by.
    pub objectives: Objectives,
    /// Where results go and how they read.
    pub outputs: Outputs,
    /// What makes CI red.
    pub gate: GatePlan,
    /// Things the reader of the file should know although they are legal (unused placeholder, replaced header, ...).
    pub notices: Vec<String>,
}
