//! Load control: who sends the next request, and when.

mod arrivals;
mod budget;
mod draw;
mod gate;
mod open;
mod order;
mod request;
mod retry;
mod schedule;
mod shifts;
mod timetable;
mod user;
mod watch;
mod worker;

pub(crate) use arrivals::Arrivals;
pub(crate) use budget::Budget;
pub(crate) use draw::{Draw, Pairs, Turns};
pub(crate) use gate::{Gate, GateCounts};
pub(crate) use order::{Crew, Order};
pub(crate) use schedule::{Ends, Schedule};
pub(crate) use shifts::Shifts;
pub(crate) use timetable::{Leg, Timetable};
pub(crate) use watch::{Live, Look};
pub use worker::WORKER;
pub(crate) use worker::{Report, Workers};
