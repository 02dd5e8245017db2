//! Plan -> Samples: load control, one work loop, raw hyper transport, framing, protocols, clock. The only async crate.
//!
//! [`run()`] climbs the ladder of a plan; whatever a server does ends up in the [`Recording`], never in an error.

mod accounts;
mod answer;
mod attempt;
mod before_load;
mod blocks;
mod caller;
mod classify;
mod clock;
mod coordinator;
mod course;
mod decoding;
mod demand;
mod error;
mod frame;
pub mod framing;
mod guard;
mod inflate;
mod intake;
mod isolated;
mod limits;
mod load;
mod mask;
mod observe;
mod probe;
pub mod protocol;
mod read;
mod run;
mod search;
mod stop;
mod stretch;
mod trace;
mod transport;

pub use accounts::Spent;
pub use clock::Clock;
pub use coordinator::Breached;
pub use error::EngineError;
pub use load::WORKER;
pub use observe::{BeforeLoad, Observer, Silent, Snapshot};
pub use probe::{models, probe};
pub use run::{Aborted, During, Endpoints, OtherSide, Recording, Settings, rehearse, run, unstarted};
pub use search::Proved;
pub use stop::{Stop, Stopper, Urgency, stop};
pub use trace::{Listener, Step};
