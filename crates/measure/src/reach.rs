//! Whether an open loop sent what it was to send.

use crate::result::{Second, StageResult, StageStatus};

/// Less than this share of the offered requests is too few, where chance does not explain it.
const SHARE: f64 = 0.95;
/// Share of its requests that an open loop may drop and still have offered its rate: one burst at the very end.
const DROPPED: f64 = 0.01;
/// Random arrivals are fewer than expected by this many standard deviations once in 30 000 stages.
const DEVIATIONS: f64 = 4.0;
/// Seconds that a quarter of a window needs to say anything.
const SHORTEST_QUARTER: usize = 2;
/// Of the requests that start near the end so many at least must end there, and open requests must not grow by more.
const KEEPS_UP: f64 = 0.9;
const GROWTH: f64 = 1.3;
/// Waits of slots under this are no queue, ms; nor are those under this share of the median TTFT.
const WAIT_MS: f64 = 10.0;
const WAIT_IN_TTFT: f64 = 0.05;

/// How far an open loop fell short of its plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// Requests per second over the window that the stage stands for: a step's rate, the mean of a ramp.
    pub offered: f64,
    /// Requests per second that started in the window; `None` where the window lasts until the last answer.
    pub reached: Option<f64>,
    /// Requests that found no slot before the stage's end, and how many were planned.
    pub dropped: u64,
    /// Requests that were due until the stage ended.
    pub planned: u64,
    /// p95 of the wait for a slot, ms, where there was one.
    pub waited_ms: Option<f64>,
    /// Whether all slots were taken at once.
    pub slots_ran_out: bool,
    /// Open requests in the second and in the last quarter of the window, where they kept growing.
    pub grew: Option<[f64; 2]>,
}

/// The shortfall of a stage; `None` of one that sent what it was to send, and of a closed loop.
///
/// What counts: dropped requests; fewer starts than 95 % of what was offered, which of random arrivals must also be more
/// than chance explains; and a queue in the client because every slot was taken.
pub fn shortfall(stage: &StageResult) -> Option<Shortfall> {
    if stage.level().rate().is_none() || stage.status == StageStatus::Skipped {
        return None;
    }
    let counts = stage.counts;
    let slots_ran_out = stage.max_in_flight.is_some_and(|most| stage.in_flight_max >= u64::from(most));
    let waited_ms = stage.queue_ms.p95.filter(|p95| slots_ran_out && *p95 > shortest_wait(stage));
    let grew = backlog(stage);
    let short = counts.dropped > 0 || too_few(stage) || waited_ms.is_some() || grew.is_some();
    short.then(|| Shortfall {
        offered: offered(stage),
        reached: started_per_s(stage),
        dropped: counts.dropped,
        planned: counts.planned,
        waited_ms,
        slots_ran_out,
        grew,
    })
}

/// Whether a stage offered what it says: a closed loop always does; an open loop when (nearly) nothing was dropped, it
/// started as many requests as its rate asks for, and they did not queue in the client for want of slots.
pub fn reached(stage: &StageResult) -> bool {
    let counts = stage.counts;
    let few_dropped = counts.dropped as f64 <= DROPPED * counts.planned as f64;
    let fell_behind = shortfall(stage).is_some_and(|short| short.waited_ms.is_some() || short.grew.is_some());
    stage.level().rate().is_none() || (few_dropped && !too_few(stage) && !fell_behind)
}

/// Open requests that keep growing: a rate that the endpoint does not keep up with, however many slots there are. At the end
/// of the window far fewer requests end than start, and far more are open than before its middle; both beyond chance.
/// Of several rounds the first in which it was so.
fn backlog(stage: &StageResult) -> Option<[f64; 2]> {
    if !stage.is_step() {
        return None;
    }
    let begins: Vec<f64> = stage.rounds.iter().map(|round| round.begins_s.floor()).collect();
    let round = |second: &Second| begins.iter().filter(|begins| **begins <= second.t_s as f64).count();
    let window: Vec<&Second> = stage.timeline.iter().filter(|second| second.phase == "measure").collect();
    window.chunk_by(|one, next| round(one) == round(next)).find_map(growth)
}

fn growth(window: &[&Second]) -> Option<[f64; 2]> {
    let quarter = window.len() / 4;
    if quarter < SHORTEST_QUARTER {
        return None;
    }
    let (before, last) = (&window[quarter..2 * quarter], &window[window.len() - quarter..]);
    let open =
        |seconds: &[&Second]| seconds.iter().map(|second| second.active as f64).sum::<f64>() / quarter as f64;
    let sum = |of: fn(&Second) -> u64| last.iter().map(|second| of(second)).sum::<u64>() as f64;
    let (started, ended) = (sum(|second| second.started), sum(|second| second.ok + second.failed));
    let behind = ended < KEEPS_UP * started && started - ended > DEVIATIONS * started.sqrt();
    let (then, now) = (open(before), open(last));
    let growing = now > GROWTH * then && now - then > DEVIATIONS * then.sqrt();
    (behind && growing).then_some([then, now])
}

fn shortest_wait(stage: &StageResult) -> f64 {
    WAIT_MS.max(WAIT_IN_TTFT * stage.ttft_ms.p50.unwrap_or(0.0))
}

/// A ramp changes evenly, so that its mean is that of its ends.
fn offered(stage: &StageResult) -> f64 {
    let to = stage.level().amount().get();
    stage.ramp_from.map_or(to, |from| f64::midpoint(from.get(), to))
}

/// A window that ends with its last answer is longer than its requests took to start.
fn started_per_s(stage: &StageResult) -> Option<f64> {
    (stage.duration.is_some() && stage.window_s > 0.0).then(|| stage.counts.started as f64 / stage.window_s)
}

fn too_few(stage: &StageResult) -> bool {
    // Of a ramp that was cut, nobody knows the mean; a trace has no rate of its own.
    let judged = stage.duration.is_some() && stage.status == StageStatus::Complete;
    let expected = offered(stage) * stage.window_s;
    let started = stage.counts.started as f64;
    let chance = match (stage.arrival.as_deref(), stage.burstiness) {
        (Some("constant"), _) => 1.0,
        (Some("poisson"), _) => DEVIATIONS * expected.sqrt(),
        // The variance of the count is the mean over the shape.
        (Some("gamma"), Some(shape)) => DEVIATIONS * (expected / shape).sqrt(),
        _ => return false,
    };
    judged && started < SHARE * expected && started < expected - chance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{ArrivalKind, ClientLook, Intervals, OpenLoop, StageFrame, StageRecorder};
    use crate::{Amount, Level};
    use std::time::Duration;

    /// A minute of so many requests per second, of which so many started.
    fn stage(arrival: ArrivalKind, burstiness: Option<f64>, rate: f64, started: u64) -> StageResult {
        let frame = StageFrame {
            name: "r".to_owned(),
            level: Level::Rate(rate),
            ramp_from: None,
            open_loop: Some(OpenLoop { arrival, burstiness, max_in_flight: 10 }),
            ramp_up: Some(Duration::ZERO),
            think_time: None,
            duration: Some(Duration::from_secs(60)),
            requests: None,
            begins: crate::Offset::ORIGIN,
            window_start: crate::Offset::ORIGIN,
            keys: 0,
            stall_after: Duration::ZERO,
            reading_speed: 10.0,
            objectives: [None; 3],
            intervals: Intervals::default(),
            round: None,
        };
        let mut stage = StageRecorder::new(frame).finish(StageStatus::Complete, &ClientLook::default());
        (stage.counts.planned, stage.counts.started) = (started, started);
        stage
    }

    #[test]
    fn fewer_starts_than_offered_are_a_shortfall_unless_chance_explains_them() {
        let rows = [
            (ArrivalKind::Constant, None, 10.0, 570, false),
            (ArrivalKind::Constant, None, 10.0, 569, true),
            // Six requests were due, five came: a constant schedule may end between two.
            (ArrivalKind::Constant, None, 0.1, 5, false),
            (ArrivalKind::Poisson, None, 10.0, 503, false),
            (ArrivalKind::Poisson, None, 10.0, 501, true),
            (ArrivalKind::Poisson, None, 1000.0, 56_999, true),
            (ArrivalKind::Gamma, Some(0.25), 10.0, 405, false),
            (ArrivalKind::Gamma, Some(0.25), 10.0, 403, true),
            (ArrivalKind::Gamma, Some(4.0), 10.0, 552, false),
            (ArrivalKind::Trace, None, 10.0, 100, false),
        ];
        for (arrival, burstiness, rate, started, short) in rows {
            let stage = stage(arrival, burstiness, rate, started);
            assert_eq!(shortfall(&stage).is_some(), short, "{arrival:?} {burstiness:?} {rate} {started}");
        }
    }

    #[test]
    fn a_ramp_offers_the_mean_of_its_ends() {
        let mut ramp = stage(ArrivalKind::Constant, None, 20.0, 600);
        ramp.ramp_from = Some(Amount(0.0));
        assert_eq!(shortfall(&ramp), None);
        ramp.counts.started = 500;
        assert_eq!(
            shortfall(&ramp).map(|short| (short.offered, short.reached)),
            Some((10.0, Some(500.0 / 60.0)))
        );
        ramp.status = StageStatus::Incomplete;
        assert_eq!(shortfall(&ramp), None);
    }

    #[test]
    fn a_queue_counts_where_slots_ran_out_and_the_wait_is_worth_a_word() {
        let waits = |in_flight: u64, p95: f64, ttft: f64| {
            let mut stage = stage(ArrivalKind::Constant, None, 10.0, 600);
            (stage.in_flight_max, stage.queue_ms.p95, stage.ttft_ms.p50) = (in_flight, Some(p95), Some(ttft));
            shortfall(&stage).is_some()
        };
        assert_eq!(
            [waits(10, 11.0, 100.0), waits(9, 11.0, 100.0), waits(10, 9.0, 100.0)],
            [true, false, false]
        );
        assert_eq!([waits(10, 49.0, 1000.0), waits(10, 51.0, 1000.0)], [false, true]);
    }

    #[test]
    fn open_requests_that_keep_growing_are_a_rate_that_was_not_kept_up_with() {
        let second = |t_s: u64, active: u64, started: u64, ok: u64| {
            let zero = serde_json::json!({
                "t_s": t_s, "phase": "measure", "active": active, "started": started, "ok": ok, "failed": 0,
                "http_429": 0, "tokens": 0.0, "chunks": 0,
            });
            serde_json::from_value::<Second>(zero).unwrap()
        };
        let of = |seconds: Vec<Second>| {
            let mut stage = stage(ArrivalKind::Constant, None, 15.0, 900);
            stage.timeline = seconds;
            (shortfall(&stage).and_then(|short| short.grew), reached(&stage))
        };
        // Fifteen start each second, five end.
        let behind = of((0..20).map(|t| second(t, 10 * t, 15, 5)).collect());
        assert_eq!(behind, (Some([70.0, 170.0]), false));
        let steady = of((0..20).map(|t| second(t, 45 + t % 3, 15, 14 + t % 3)).collect());
        assert_eq!(steady, (None, true));
        // Answers of six seconds: nothing ends at first, then as many as start.
        let filling = of((0..20).map(|t| second(t, 15 * t.min(6), 15, if t < 6 { 0 } else { 15 })).collect());
        assert_eq!(filling, (None, true));
        assert_eq!(of((0..4).map(|t| second(t, 10 * t, 15, 5)).collect()).0, None, "too short to tell");
        // Two rounds, each of which falls behind: together they would look steady.
        let mut stage = stage(ArrivalKind::Constant, None, 15.0, 900);
        let round = |from: u64| (0..20).map(move |t| second(from + t, 10 * t, 15, 5));
        stage.timeline = round(0).chain(round(25)).collect();
        stage.rounds = [(1, 0.0), (2, 25.2)]
            .map(|(number, begins_s)| crate::result::RoundLine {
                round: number,
                status: StageStatus::Complete,
                begins_s,
                window_s: 20.0,
                ok: 0,
                failed: 0,
                saturated: false,
                values: Default::default(),
            })
            .to_vec();
        assert_eq!(shortfall(&stage).and_then(|short| short.grew), Some([70.0, 170.0]));
    }

    #[test]
    fn whoever_was_dropped_is_counted_whatever_ended_the_stage() {
        let mut stage = stage(ArrivalKind::Trace, None, 10.0, 600);
        (stage.counts.planned, stage.counts.dropped) = (604, 4);
        for status in [StageStatus::Complete, StageStatus::Stopped, StageStatus::Incomplete] {
            stage.status = status;
            assert_eq!(
                shortfall(&stage).map(|short| (short.dropped, short.planned)),
                Some((4, 604)),
                "{status:?}"
            );
        }
        stage.status = StageStatus::Skipped;
        assert_eq!(shortfall(&stage), None);
        (stage.status, stage.rate, stage.concurrency) = (StageStatus::Complete, None, Some(10));
        assert_eq!(shortfall(&stage), None);
    }
}
