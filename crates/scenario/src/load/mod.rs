//! `[load]`: how hard, for how long.

mod alternating;
mod arrival;
mod cancel;
mod end;
mod inherit;
mod manner;
mod retry;
mod search;
mod settings;
mod shape;
mod stages;
mod stop;
mod think_time;
mod work;

pub(crate) use alternating::refuse_indivisible;
pub(crate) use settings::read;
