//! Whether a failed attempt is made again, and after which wait. Pure: what it goes by is handed in.

use std::time::Duration;

use measure::Outcome;
use measure::sample::Attempt;
use scenario::plan::Retry;

/// The wait before the next attempt; `None` when there is to be none. `made` attempts were made so far; `demand` is the wait
/// that the server asked for. Never after a token: part of an answer was paid for, and would be paid for again.
pub(super) fn wait(
    policy: &Retry,
    made: u32,
    attempt: &Attempt,
    demand: Option<Duration>,
    rng: &mut fastrand::Rng,
) -> Option<Duration> {
    let Outcome::Failed(class) = attempt.outcome else { return None };
    if made > policy.max || !policy.on.contains(&class) || !attempt.events.is_empty() {
        return None;
    }
    let longest = policy.base.saturating_mul(2_u32.saturating_pow(made - 1)).min(policy.cap);
    // Full jitter: those who were refused together do not come back together.
    let jitter = longest.mul_f64(rng.f64());
    match demand.filter(|demand| !demand.is_zero()) {
        // Earlier than asked would be refused again; later than the cap is not worth the wait.
        Some(demand) if demand > policy.cap => None,
        Some(demand) => Some(demand + jitter),
        None => Some(jitter),
    }
}

#[cfg(test)]
mod tests {
    use measure::sample::{ArrivalClock, Instants, TokenEvent, Tokens};
    use measure::{ErrorClass, Flags, Offset};

    use super::*;

    fn policy(max: u32) -> Retry {
        Retry {
            max,
            on: vec![ErrorClass::RateLimited, ErrorClass::ServerError],
            base: Duration::from_millis(500),
            cap: Duration::from_secs(20),
        }
    }

    fn failed(class: ErrorClass, tokens: usize) -> Attempt {
        Attempt {
            request_id: String::new(),
            at: Instants::default(),
            outcome: Outcome::Failed(class),
            status: None,
            flags: Flags::default(),
            tokens: Tokens::default(),
            events: vec![TokenEvent { at: Offset::ORIGIN, choice: 0 }; tokens],
            finish_reason: None,
            error: None,
            reused: false,
            address: None,
            clock: ArrivalClock::default(),
        }
    }

    fn waits(policy: &Retry, made: u32, demand: Option<u64>) -> Vec<Option<Duration>> {
        let mut rng = fastrand::Rng::with_seed(7);
        let attempt = failed(ErrorClass::RateLimited, 0);
        let demand = demand.map(Duration::from_millis);
        (0..200).map(|_| wait(policy, made, &attempt, demand, &mut rng)).collect()
    }

    fn range(waits: &[Option<Duration>]) -> [f64; 2] {
        let seconds: Vec<f64> = waits.iter().map(|wait| wait.unwrap().as_secs_f64()).collect();
        [seconds.iter().copied().fold(f64::MAX, f64::min), seconds.iter().copied().fold(0.0, f64::max)]
    }

    #[test]
    fn waits_double_and_are_spread_from_nothing_to_their_longest() {
        for (made, longest) in [(1, 0.5), (2, 1.0), (3, 2.0), (7, 20.0), (40, 20.0)] {
            let [least, most] = range(&waits(&policy(50), made, None));
            assert!(
                least < longest * 0.05 && most > longest * 0.95 && most <= longest,
                "{made}: {least} {most}"
            );
        }
    }

    #[test]
    fn ret_04_a_demand_is_never_undercut_and_one_over_the_cap_ends_it() {
        let [least, most] = range(&waits(&policy(5), 1, Some(1000)));
        assert!(least >= 1.0 && most - least >= 0.2 && most <= 1.5, "{least} {most}");
        assert!(waits(&policy(5), 1, Some(60_000)).iter().all(Option::is_none));
        assert!(waits(&policy(5), 1, Some(20_000)).iter().all(Option::is_some));
        let [least, _] = range(&waits(&policy(5), 1, Some(0)));
        assert!(least < 0.05, "a moment in the past leaves the usual back-off");
    }

    #[test]
    fn only_what_the_policy_names_is_retried_so_often_and_never_after_a_token() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut again =
            |max, made, attempt: &Attempt| wait(&policy(max), made, attempt, None, &mut rng).is_some();
        assert!(again(2, 1, &failed(ErrorClass::ServerError, 0)));
        assert!(again(2, 2, &failed(ErrorClass::ServerError, 0)));
        assert!(!again(2, 3, &failed(ErrorClass::ServerError, 0)), "both were spent");
        assert!(!again(0, 1, &failed(ErrorClass::ServerError, 0)), "off");
        assert!(!again(2, 1, &failed(ErrorClass::Quota, 0)), "not named");
        assert!(!again(2, 1, &failed(ErrorClass::ServerError, 1)), "a token had come");
        let ok = Attempt { outcome: Outcome::Ok, ..failed(ErrorClass::ServerError, 0) };
        let cancelled = Attempt { outcome: Outcome::Cancelled, ..ok.clone() };
        assert!(!again(2, 1, &ok) && !again(2, 1, &cancelled));
    }
}
