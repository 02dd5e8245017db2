//! Who sends: the workers of the target, and in an A/B run those of the other side.

use std::sync::Arc;

use measure::Sample;
use measure::gate::Rolling;
use measure::stage::Side;
use scenario::plan::{Bodies, Endpoint, Plan, Target};

use crate::EngineError;
use crate::caller::Caller;
use crate::load::{Live, Workers};
use crate::run::{Endpoints, Settings};

/// One side or two.
pub(super) struct Sides {
    a: Senders,
    b: Option<Senders>,
}

/// The workers of one side, and what is known of it.
pub(super) struct Senders {
    pub(super) workers: Workers,
    /// Number of keys in use.
    pub(super) keys: usize,
    /// Refusals by configuration in a row.
    pub(super) refusals: u32,
    /// What the warm-up brought, until the first stage takes it in.
    pub(super) warmed_up: Vec<Sample>,
    /// What watches the blocks of a stage, by the stage's index: they are one to the stop rule.
    pub(super) watch: Option<(usize, Rolling)>,
}

impl Sides {
    pub(super) fn start(
        plan: &Plan,
        endpoints: Endpoints<'_>,
        settings: Settings,
    ) -> Result<Self, EngineError> {
        let b = plan.against.as_ref().zip(endpoints.b);
        let live = Arc::new(Live::default());
        let start = |target: &Target, bodies: &Bodies, endpoint: &Endpoint| {
            let caller = Arc::new(Caller::new(target, endpoint, settings.clock)?);
            Ok::<_, EngineError>(Senders {
                keys: caller.keys(),
                workers: Workers::start(settings.workers.max(1), &caller, bodies, &live)?,
                refusals: 0,
                warmed_up: Vec::new(),
                watch: None,
            })
        };
        let b = b.map(|(b, endpoint)| start(&b.target, &b.bodies, endpoint));
        Ok(Self { a: start(&plan.target, &plan.bodies, endpoints.a)?, b: b.transpose()? })
    }

    pub(super) fn of(&self, side: Side) -> &Senders {
        match (side, &self.b) {
            (Side::B, Some(b)) => b,
            _ => &self.a,
        }
    }

    pub(super) fn of_mut(&mut self, side: Side) -> &mut Senders {
        match (side, &mut self.b) {
            (Side::B, Some(b)) => b,
            _ => &mut self.a,
        }
    }
}
