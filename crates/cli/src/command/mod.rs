//! One file per command.

mod baseline;
mod calibrate;
mod check;
mod gate;
mod mock;
mod plan;
mod probe;
mod report;
mod run;
mod schema;

pub(crate) use baseline::baseline;
pub(crate) use calibrate::calibrate;
pub(crate) use check::check;
pub(crate) use gate::gate;
pub(crate) use mock::mock;
pub(crate) use plan::plan;
pub(crate) use probe::probe;
pub(crate) use report::{compare, report};
pub(crate) use run::run;
pub(crate) use schema::schema;
