
mod check;
mod grammar;

pub use check::{Check, Comparison, Level, Limit, Rule, Scope, Stat};
pub use grammar::CheckError;
