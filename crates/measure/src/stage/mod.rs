//! From samples to the numbers of one stage.

mod bucket;
mod difference;
mod frame;
mod keys;
mod merge;
mod numbers;
mod passages;
mod recorder;
mod round;
mod timeline;

pub use frame::{ArrivalKind, ClientLook, Closing, Intervals, OpenLoop, StageFrame};
pub use passages::Passages;
pub use recorder::StageRecorder;
pub use round::{Purpose, Round, Side};
