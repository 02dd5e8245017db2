//! `[load]`: how hard, for how long.

mod cancel;
mod end;
mod retry;
mod search;
mod settings;
mod stages;
mod stop;
mod think_time;

pub(crate) use settings::read;
