//! What is sent before load: one real request to each side, and the warm-up.

use std::time::Duration;

use measure::stage::Side;
use measure::{ErrorGroup, Flag, Outcome, Sample};
use scenario::plan::Plan;

use crate::EngineError;
use crate::coordinator::Coordinator;
use crate::observe::BeforeLoad;
use crate::run::{Aborted, During, Recording};

/// Tries before a preflight that was answered 429 or 5xx is given up, and the waits between them.
const PREFLIGHT_WAITS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];

/// Preflight and warm-up of each side, as far as they are asked for.
pub(crate) async fn before_load(
    plan: &Plan,
    coordinator: &mut Coordinator<'_>,
    recording: &mut Recording,
) -> Result<(), EngineError> {
    let sides = if plan.against.is_some() { &[Side::A, Side::B][..] } else { &[Side::A] };
    for side in sides.iter().copied().filter(|_| plan.load.preflight) {
        if recording.aborted.is_none() {
            let sample = preflight(side, coordinator).await?;
            recording.aborted = sample.as_ref().and_then(|sample| refused(sample, side, During::Preflight));
            *recording.preflight_of(side) = sample;
        }
    }
    let warm_up = plan.load.warm_up;
    for (side, warm_up) in sides.iter().copied().filter_map(|side| Some((side, warm_up?))) {
        if recording.aborted.is_none() {
            coordinator.warm_up(side, warm_up).await?;
            recording.aborted = all_refused(coordinator.warmed_up(side), side);
        }
    }
    Ok(())
}

/// One real request; a server that is merely busy is asked again twice.
async fn preflight(side: Side, coordinator: &mut Coordinator<'_>) -> Result<Option<Sample>, EngineError> {
    coordinator.announce(BeforeLoad::Preflight, side);
    let mut sample = coordinator.preflight(side).await?;
    for wait in PREFLIGHT_WAITS {
        let busy =
            sample.as_ref().and_then(Sample::last).and_then(|attempt| attempt.status).is_some_and(is_busy);
        if !busy || coordinator.is_stopped() {
            break;
        }
        coordinator.announce(BeforeLoad::PreflightAgain(wait), side);
        coordinator.pause(wait).await;
        sample = coordinator.preflight(side).await?;
    }
    let streamed_nothing =
        |sample: &Sample| sample.last().is_some_and(|attempt| attempt.flags.contains(Flag::NotStreamed));
    if sample.as_ref().is_some_and(streamed_nothing) {
        coordinator.announce(BeforeLoad::NotStreamed, side);
    }
    Ok(sample)
}

fn is_busy(status: u16) -> bool {
    status == 429 || (500..600).contains(&status)
}

/// Why a failed request means that the target cannot be used.
pub(crate) fn refused(sample: &Sample, side: Side, during: During) -> Option<Aborted> {
    let attempt = sample.last()?;
    let Outcome::Failed(class) = attempt.outcome else { return None };
    let message = attempt.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
    Some(Aborted { side, during, class, status: attempt.status, message })
}

/// A warm-up that brought not one answer stops the run with the cause; so does a single refusal by configuration.
fn all_refused(samples: &[Sample], side: Side) -> Option<Aborted> {
    let failed = |sample: &&Sample| matches!(sample.outcome(), Outcome::Failed(_));
    let by_config = |sample: &&Sample| matches!(sample.outcome(), Outcome::Failed(class) if class.group() == ErrorGroup::Config);
    let culprit =
        samples.iter().find(by_config).or_else(|| match samples.iter().all(|sample| failed(&sample)) {
            true => samples.first(),
            false => None,
        })?;
    refused(culprit, side, During::WarmUp)
}
