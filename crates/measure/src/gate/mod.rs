//! The gate: checks, their grammar, and how they are judged against a stage.

mod baseline;
mod check;
mod grammar;
mod judge;
pub mod rolling;
mod statistic;

pub use baseline::{Baseline, BaselineStage};
pub use check::{Check, Comparison, Level, Limit, Rule, Scope, Stat};
pub use grammar::CheckError;
pub use judge::{judge, measured};
pub use rolling::{Breach, Rolling};
pub use statistic::Statistic;
