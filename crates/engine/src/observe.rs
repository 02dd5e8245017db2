//! The contract between a running engine and whoever watches: the live view, the samples file, a test.

use std::time::Duration;

use measure::result::StageResult;
use measure::stage::{Closing, Side, StageFrame};
use measure::{Offset, Sample};
use scenario::plan::Stage;

use crate::coordinator::Breached;

/// Watches a run. Called on the coordinator's thread, never in the path of a stream.
pub trait Observer {
    /// A phase before the first stage of a side begins.
    fn before_load(&mut self, _phase: BeforeLoad, _side: Side) {}

    /// A stage begins; `frame` is what its requests are counted in.
    fn stage_started(&mut self, _index: usize, _stage: &Stage, _frame: &StageFrame) {}

    /// A request ended, of whatever phase.
    fn sample(&mut self, _sample: &Sample) {}

    /// Once a second while requests run.
    fn tick(&mut self, _now: &Snapshot) {}

    /// A check of the stop rule does not hold: the stage ends, and the climb with it.
    fn breached(&mut self, _breached: &Breached) {}

    /// Asked after the climb, as often as `[gate] confirm` allows: indices of the stages to be measured once more.
    fn doubtful(&mut self, _stages: &[StageResult]) -> Vec<usize> {
        Vec::new()
    }

    /// A stage ended, and everything that was sent in it.
    fn stage_ended(&mut self, _index: usize, _closing: &Closing) {}
}

/// What happens before the first stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BeforeLoad {
    /// One real request.
    Preflight,
    /// The preflight was answered 429 or 5xx and is tried again after a wait.
    PreflightAgain(Duration),
    /// The preflight was answered, and not streamed although that was asked for.
    NotStreamed,
    /// Requests outside every statistic.
    WarmUp,
}

/// The run at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot {
    /// Now.
    pub at: Offset,
    /// Index of the stage; absent before the first.
    pub stage: Option<usize>,
    /// When the stage began.
    pub stage_began: Offset,
    /// Users active now.
    pub users: u32,
    /// Users wanted at this moment; of an open loop, the most requests that may be in flight.
    pub users_target: u32,
    /// Requests per second that an open loop offers at this moment.
    pub rate: Option<f64>,
    /// Requests of an open loop that are due and wait for a slot.
    pub waiting: u64,
    /// Requests open now.
    pub in_flight: u32,
    /// Token events of the run so far.
    pub chunks: u64,
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
