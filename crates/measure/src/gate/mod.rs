//! The gate: checks, their grammar, and how they are judged against a stage.

mod baseline;
mod change;
mod check;
mod comparable;
mod confirm;
mod grammar;
mod judge;
mod paired;
mod reason;
pub mod rolling;
mod statistic;
mod stored;
mod tight;

pub use baseline::{Baseline, BaselineStage, Differences, Noise};
pub use check::{Check, Comparison, Level, Limit, Rule, Scope, Stat};
pub use comparable::{Comparable, OBJECTIVES, READING_SPEED};
pub use confirm::doubtful;
pub use grammar::CheckError;
pub use judge::{Reference, judge, measured};
pub use reason::Reason;
pub use rolling::{Breach, Rolling};
pub use statistic::{STANDARD, Statistic};
pub use stored::{BaselineError, Fault};
pub use tight::{Tight, tight};
