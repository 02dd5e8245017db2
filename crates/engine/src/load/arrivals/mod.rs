//! When the requests of an open loop are due: a pure, seeded iterator of times since the begin of its first stage.

mod points;
mod profile;

use std::time::Duration;

use scenario::plan::{Arrival, Stage, StageEnd, Work};

use super::draw::Draw;
use points::Points;
use profile::Profile;

/// The due times, ascending. Copies give the same times.
#[derive(Debug, Clone)]
pub(crate) struct Arrivals {
    source: Source,
    /// How many are still to come, where requests are counted.
    left: u64,
    /// From when on none is due any more.
    end: Duration,
}

#[derive(Debug, Clone)]
enum Source {
    /// Points of a process with one event per unit, stretched and squeezed to the rate.
    Rate {
        points: Points,
        profile: Profile,
    },
    Trace {
        times: std::sync::Arc<[Duration]>,
        next: usize,
    },
}

impl Arrivals {
    /// Of stages with rates that run on without a drain; none of users. The arrivals are those of the first.
    pub(crate) fn of(stages: &[Stage], draw: Draw) -> Option<Self> {
        let Work::Arrivals { arrival, .. } = &stages.first()?.work else { return None };
        let profile = Profile::of(stages);
        let left =
            stages.iter().filter_map(counted).fold(None, |sum: Option<u64>, n| Some(sum.unwrap_or(0) + n));
        let source = match arrival {
            Arrival::Trace(times) => Source::Trace { times: times.clone(), next: 0 },
            Arrival::Constant | Arrival::Poisson | Arrival::Gamma { .. } => {
                Source::Rate { points: Points::of(arrival, draw), profile: profile.clone() }
            }
        };
        Some(Self { source, left: left.unwrap_or(u64::MAX), end: profile.end().unwrap_or(Duration::MAX) })
    }

    /// Whether each request has its own row of the data.
    pub(crate) fn is_trace(&self) -> bool {
        matches!(self.source, Source::Trace { .. })
    }
}

impl Arrivals {
    /// Requests per second that are offered at a moment; of a trace it is not known.
    pub(crate) fn rate_at(&self, since: Duration) -> Option<f64> {
        match &self.source {
            Source::Rate { profile, .. } => profile.rate_at(since.as_secs_f64()),
            Source::Trace { .. } => None,
        }
    }
}

fn counted(stage: &Stage) -> Option<u64> {
    match stage.end {
        StageEnd::Requests(requests) => Some(requests),
        StageEnd::After(_) | StageEnd::OnePerUser => None,
    }
}

impl Iterator for Arrivals {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        let due = match &mut self.source {
            Source::Rate { points, profile } => profile.time_of(points.next()?)?,
            Source::Trace { times, next } => {
                let due = times.get(*next).copied()?;
                *next += 1;
                due
            }
        };
        (due < self.end).then_some(due)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use measure::Level;
    use scenario::plan::Shape;

    use super::*;

    fn stage(rate: f64, arrival: Arrival, shape: Shape, end: StageEnd) -> Stage {
        let work = Work::Arrivals { rate, arrival, max_in_flight: 10 };
        let stage = Stage { name: "r".into(), work, shape, end };
        assert_eq!(stage.level(), Level::Rate(rate));
        stage
    }

    fn step(rate: f64, arrival: Arrival, end: StageEnd) -> Stage {
        stage(rate, arrival, Shape::AT_ONCE, end)
    }

    const MINUTE: StageEnd = StageEnd::After(Duration::from_secs(60));

    fn seconds(stages: &[Stage], seed: u64) -> Vec<f64> {
        Arrivals::of(stages, Draw::of_run(seed)).unwrap().map(|due| due.as_secs_f64()).collect()
    }

    #[test]
    fn even_arrivals_are_exact_and_the_end_is_no_part_of_the_window() {
        let second = StageEnd::After(Duration::from_secs(1));
        let due: Vec<Duration> =
            Arrivals::of(&[step(40.0, Arrival::Constant, second)], Draw::of_run(1)).unwrap().collect();
        assert_eq!(due.len(), 40);
        assert_eq!((due[0], due[39]), (Duration::ZERO, Duration::from_millis(975)));
        let counted = step(40.0, Arrival::Constant, StageEnd::Requests(41));
        assert_eq!(Arrivals::of(&[counted], Draw::of_run(1)).unwrap().last(), Some(Duration::from_secs(1)));
    }

    #[test]
    fn a_rising_and_falling_rate_gives_as_many_requests_as_the_area_under_it() {
        let ten = StageEnd::After(Duration::from_secs(10));
        let stages = [
            stage(20.0, Arrival::Constant, Shape::Ramp { from: 0.0 }, ten),
            stage(20.0, Arrival::Constant, Shape::Ramp { from: 20.0 }, ten),
            stage(0.0, Arrival::Constant, Shape::Ramp { from: 20.0 }, ten),
        ];
        let due = seconds(&stages, 1);
        let within = |from: f64, to: f64| due.iter().filter(|at| **at >= from && **at < to).count();
        assert_eq!((within(0.0, 10.0), within(10.0, 20.0), within(20.0, 30.0)), (100, 200, 100));
        // The rate is t * 2 at first: the n-th request is due where the area under it, t * t, is n.
        assert!((due[25] - 5.0).abs() < 1e-6 && (due[81] - 9.0).abs() < 1e-6, "{} {}", due[25], due[81]);
        assert!(due.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_ramp_up_comes_before_the_window() {
        let shape = Shape::Step { ramp_up: Duration::from_secs(2), together: 1 };
        let due =
            seconds(&[stage(10.0, Arrival::Constant, shape, StageEnd::After(Duration::from_secs(3)))], 1);
        assert_eq!(due.iter().filter(|at| **at < 2.0).count(), 10);
        assert_eq!(due.len(), 40);
    }

    #[test]
    fn a_seed_fixes_the_times_and_another_changes_them() {
        for arrival in [Arrival::Poisson, Arrival::Gamma { burstiness: 0.5 }] {
            let stages = [step(50.0, arrival, MINUTE)];
            assert_eq!(seconds(&stages, 1), seconds(&stages, 1));
            assert_ne!(seconds(&stages, 1), seconds(&stages, 2));
        }
    }

    /// Chi-square of counts against equal shares.
    fn chi_square(counts: &[u64]) -> f64 {
        let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
    }

    #[test]
    fn poisson_gaps_are_exponential_by_a_chi_square_test() {
        // 19 degrees of freedom each: 43.8 is exceeded once in a thousand times. Too even would be as wrong as too uneven:
        // of all together the sum has a mean of 760 and a standard deviation of 39.
        let mut sum = 0.0;
        for seed in 1..=40 {
            let due = seconds(&[step(50.0, Arrival::Poisson, MINUTE)], seed);
            assert!((due.len() as f64 - 3000.0).abs() < 4.0 * 3000_f64.sqrt(), "{seed}: {}", due.len());
            let mut counts = [0; 20];
            for gap in due.windows(2).map(|pair| pair[1] - pair[0]) {
                // What lies under this gap is uniform if the gaps are exponential.
                let under = 1.0 - (-50.0 * gap).exp();
                counts[((under * 20.0) as usize).min(19)] += 1;
            }
            let chi = chi_square(&counts);
            assert!(chi < 43.8, "seed {seed}: chi-square {chi:.1} of {counts:?}");
            sum += chi;
        }
        assert!((sum - 760.0).abs() < 4.0 * 39.0, "{sum:.0}");
    }

    #[test]
    fn poisson_counts_of_a_second_scatter_as_they_should_and_are_independent() {
        let due = seconds(&[step(50.0, Arrival::Poisson, StageEnd::After(Duration::from_secs(1000)))], 3);
        let mut counts = vec![0.0; 1000];
        due.iter().for_each(|at| counts[*at as usize] += 1.0);
        let mean = counts.iter().sum::<f64>() / 1000.0;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 999.0;
        assert!((variance / mean - 1.0).abs() < 4.0 * (2.0_f64 / 999.0).sqrt(), "{variance} / {mean}");
        let neighbours: f64 = counts.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        assert!((neighbours / 999.0 / variance).abs() < 4.0 / 1000_f64.sqrt(), "{neighbours}");
    }

    #[test]
    fn gamma_gaps_have_the_mean_of_the_rate_and_scatter_as_burstiness_says() {
        for burstiness in [0.25, 0.5, 1.0, 4.0] {
            let stages =
                [step(50.0, Arrival::Gamma { burstiness }, StageEnd::After(Duration::from_secs(2000)))];
            let due = seconds(&stages, 5);
            let gaps: Vec<f64> = due.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
            let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
            assert!((mean * 50.0 - 1.0).abs() < 0.03, "{burstiness}: mean {mean}");
            // Of a gamma distribution the variance is the square of the mean, over the shape.
            let shape = mean * mean / variance;
            assert!((shape / burstiness - 1.0).abs() < 0.05, "{burstiness}: {shape}");
        }
    }

    #[test]
    fn a_trace_is_followed_to_its_last_request_or_to_the_end_of_the_stage() {
        let times: Arc<[Duration]> = [0, 100, 100, 950].map(Duration::from_millis).into();
        let stage = |end| step(4.0, Arrival::Trace(times.clone()), end);
        let all: Vec<Duration> =
            Arrivals::of(&[stage(StageEnd::Requests(4))], Draw::of_run(1)).unwrap().collect();
        assert_eq!(all, times.to_vec());
        let cut =
            Arrivals::of(&[stage(StageEnd::After(Duration::from_millis(500)))], Draw::of_run(1)).unwrap();
        assert_eq!(cut.count(), 3);
    }
}
