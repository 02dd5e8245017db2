//! From samples to the numbers of one stage.

mod bucket;
mod keys;
mod numbers;
mod recorder;
mod timeline;

pub use recorder::{ClientLook, OpenLoop, StageFrame, StageRecorder};
