//! Load control: who sends the next request, and when.

mod budget;
mod retry;
mod schedule;
mod user;
mod watch;
mod worker;

pub(crate) use budget::Budget;
pub(crate) use schedule::{Rule, Schedule};
pub(crate) use watch::Look;
pub(crate) use worker::{Order, Report, Workers};
