//! INT and TERM: the first asks the run to end, the second ends it at once.

use std::cell::Cell;
use std::rc::Rc;

use engine::{Stopper, Urgency};
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Signal;
use crate::screen;

/// Listens until it is dropped; `seen` holds the first signal.
pub(crate) async fn listen(stopper: Stopper, seen: Rc<Cell<Option<Signal>>>) {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers the system's default applies: the process ends.
        return std::future::pending().await;
    };
    for urgency in [Urgency::Drain, Urgency::Now] {
        let came = tokio::select! {
            _ = interrupt.recv() => Signal::Interrupt,
            _ = terminate.recv() => Signal::Terminate,
        };
        if seen.get().is_none() {
            seen.set(Some(came));
        }
        if urgency == Urgency::Drain {
            screen::talk("stopping: running requests may finish for 5 s; once more ends at once");
        }
        stopper.request(urgency);
    }
    std::future::pending().await
}
