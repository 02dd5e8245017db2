//! The gate: checks, their grammar, and how they are judged against a stage.

mod baseline;
mod change;
mod check;
mod grammar;
mod judge;
mod reason;
pub mod rolling;
mod statistic;

pub use baseline::{Baseline, BaselineStage};
pub use check::{Check, Comparison, Level, Limit, Rule, Scope, Stat};
pub use grammar::CheckError;
pub use judge::{judge, measured};
pub use reason::Reason;
pub use rolling::{Breach, Rolling};
pub use statistic::{STANDARD, Statistic};
