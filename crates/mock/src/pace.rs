//! How fast the mock answers: a median and a spread, and the schedule of tokens drawn from them.

use std::f64::consts::TAU;
use std::time::Duration;

/// A duration that is either constant (`sigma` 0) or log-normal with this median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// The median of the drawn durations.
    pub median: Duration,
    /// Standard deviation of the duration's natural logarithm; 0 draws the median every time.
    pub sigma: f64,
}

impl Pace {
    /// The longest duration that is ever drawn, however wide the spread.
    pub const LONGEST: Duration = Duration::from_secs(3600);

    /// The same duration every time.
    pub const fn constant(median: Duration) -> Self {
        Self { median, sigma: 0.0 }
    }

    fn draw(self, rng: &mut fastrand::Rng) -> Duration {
        if self.sigma == 0.0 {
            return self.median.min(Self::LONGEST);
        }
        let seconds = self.median.as_secs_f64() * (self.sigma * standard_normal(rng)).exp();
        Duration::try_from_secs_f64(seconds).unwrap_or(Self::LONGEST).min(Self::LONGEST)
    }
}

/// Box-Muller: two uniform draws make one standard normal one.
fn standard_normal(rng: &mut fastrand::Rng) -> f64 {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}

/// When each token of one answer is due, as offsets from the instant its slot was free. Endless.
///
/// Offsets are sums of the drawn durations, so a late token never delays the ones after it.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    rng: fastrand::Rng,
    itl: Pace,
    next: Duration,
}

impl Schedule {
    /// The schedule of answer number `ordinal`: the same seed and ordinal give the same offsets.
    pub(crate) fn new(ttft: Pace, itl: Pace, seed: u64, ordinal: u64) -> Self {
        // The odd constant spreads neighbouring ordinals over the whole range of seeds.
        let mut rng = fastrand::Rng::with_seed(seed ^ ordinal.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let next = ttft.draw(&mut rng);
        Self { rng, itl, next }
    }

    /// When the last of `tokens` tokens is due; with no token, when the first would have been.
    pub(crate) fn last_of(mut self, tokens: usize) -> Duration {
        let first = self.next;
        self.nth(tokens.saturating_sub(1)).unwrap_or(first)
    }
}

impl Iterator for Schedule {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let due = self.next;
        self.next = due.saturating_add(self.itl.draw(&mut self.rng));
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTFT: Pace = Pace { median: Duration::from_millis(300), sigma: 0.3 };
    const ITL: Pace = Pace { median: Duration::from_millis(20), sigma: 0.5 };

    fn offsets(seed: u64, ordinal: u64) -> Vec<Duration> {
        Schedule::new(TTFT, ITL, seed, ordinal).take(50).collect()
    }

    #[test]
    fn a_constant_pace_makes_an_even_schedule() {
        let ms = Duration::from_millis;
        let schedule = Schedule::new(Pace::constant(ms(50)), Pace::constant(ms(10)), 1, 7);
        assert_eq!(schedule.clone().take(4).collect::<Vec<_>>(), [ms(50), ms(60), ms(70), ms(80)]);
        assert_eq!(schedule.clone().last_of(4), ms(80));
        assert_eq!(schedule.last_of(0), ms(50));
    }

    #[test]
    fn the_same_seed_and_ordinal_draw_the_same_schedule() {
        assert_eq!(offsets(1, 5), offsets(1, 5));
        assert_ne!(offsets(1, 5), offsets(1, 6));
        assert_ne!(offsets(1, 5), offsets(2, 5));
    }

    #[test]
    fn log_normal_draws_have_the_median_and_the_spread_asked_for() {
        let mut rng = fastrand::Rng::with_seed(9);
        let mut logs: Vec<f64> = (0..20_000).map(|_| TTFT.draw(&mut rng).as_secs_f64().ln()).collect();
        logs.sort_by(f64::total_cmp);
        let median = logs[logs.len() / 2].exp();
        assert!((median - 0.300).abs() < 0.005, "median {median}");
        // 84.13 % of a normal distribution lies under mean + one sigma.
        let sigma = logs[logs.len() * 8413 / 10_000] - logs[logs.len() / 2];
        assert!((sigma - 0.3).abs() < 0.01, "sigma {sigma}");
    }

    #[test]
    fn no_draw_is_longer_than_an_hour() {
        let wide = Pace { median: Pace::LONGEST, sigma: 5.0 };
        let mut rng = fastrand::Rng::with_seed(3);
        assert!((0..1000).all(|_| wide.draw(&mut rng) <= Pace::LONGEST));
    }
}
