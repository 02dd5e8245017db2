//! How a run is ended from outside: first gently, then at once.

use tokio::sync::watch;

/// How urgently the run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Urgency {
    /// Go on.
    #[default]
    None,
    /// Start no request any more; let the running ones finish for a while.
    Drain,
    /// End everything now.
    Now,
}

/// The side that asks.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<Urgency>);

/// The side that listens.
#[derive(Debug, Clone)]
pub struct Stop(watch::Receiver<Urgency>);

/// A pair of both.
pub fn stop() -> (Stopper, Stop) {
    let (sender, receiver) = watch::channel(Urgency::None);
    (Stopper(sender), Stop(receiver))
}

impl Stopper {
    /// Asks the run to end; an urgency never goes back.
    pub fn request(&self, urgency: Urgency) {
        self.0.send_if_modified(|current| {
            let raised = urgency > *current;
            *current = urgency.max(*current);
            raised
        });
    }
}

impl Stop {
    /// What was asked for so far.
    pub fn urgency(&self) -> Urgency {
        *self.0.borrow()
    }

    /// Waits until the run is to end at least so urgently; for ever when nobody can ask any more.
    pub(crate) async fn reached(&mut self, urgency: Urgency) {
        if self.0.wait_for(|current| *current >= urgency).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
