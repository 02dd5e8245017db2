//! `[load]`: how hard, for how long.

mod end;
mod retry;
mod settings;
mod stages;
mod stop;
mod think_time;

pub(crate) use settings::read;
