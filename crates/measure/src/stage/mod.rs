//! From samples to the numbers of one stage.

mod bucket;
mod frame;
mod keys;
mod numbers;
mod recorder;
mod timeline;

pub use frame::{ArrivalKind, ClientLook, Closing, Intervals, OpenLoop, StageFrame};
pub use recorder::StageRecorder;
