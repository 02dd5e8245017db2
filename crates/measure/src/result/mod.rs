//! The saved run: what `run.json` holds, key for key. Readers refuse a newer schema version and accept older ones.

mod against;
mod gate;
mod interval;
mod load;
mod round;
mod run;
mod schema;
mod stage;

pub(crate) use against::Measured;
pub use against::{Against, Difference, StageDifference};
pub use gate::{CheckLine, CheckResult, GateResult, Verdict};
pub use interval::{Interval, Unit};
pub use load::{CancelLine, LoadLine, RetryLine};
pub use round::RoundLine;
pub use run::{
    Exit, Fingerprint, Ladder, Machine, Override, Preflight, ReadError, RunResult, RunStatus, SCHEMA_VERSION,
    SEARCHED, SearchLine, StopLine, Tool, Warning,
};
pub use schema::schema;
pub use stage::{
    Adjusted, Client, Counts, ErrorExample, ErrorLine, KeyLine, PhaseCounts, Second, StageResult,
    StageStatus, Stalls, TokenSources, TokenTotals,
};
