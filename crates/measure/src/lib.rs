//! Vocabulary and mathematics: metrics, outcomes, samples, distributions, stages, gate, result. Pure: no clock, no I/O.
//!
//! engine -> [`sample::Sample`]s -> [`stage::StageRecorder`] -> [`result::RunResult`] -> reports and [`gate`].

pub mod distribution;
pub mod duration;
pub mod flag;
pub mod gate;
mod interval;
pub mod ladder;
pub mod level;
pub mod metric;
mod normal;
pub mod offset;
pub mod outcome;
pub mod reach;
pub mod request;
pub mod result;
pub mod sample;
pub mod stage;
mod workload;

pub use distribution::Distribution;
pub use flag::{Flag, Flags};
pub use level::{Amount, Level, LoadUnit};
pub use metric::Metric;
pub use offset::Offset;
pub use outcome::{ErrorClass, ErrorGroup, Outcome};
pub use sample::Sample;
pub use workload::{Settings, Workload};
