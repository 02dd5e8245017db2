//! Points of a process with one event per unit on average.

use std::f64::consts::TAU;

use scenario::plan::Arrival;

use super::super::draw::Draw;

/// Where the events are, ascending. Endless.
#[derive(Debug, Clone)]
pub(super) struct Points {
    gaps: Gaps,
    rng: fastrand::Rng,
    last: f64,
}

#[derive(Debug, Clone, Copy)]
enum Gaps {
    /// The first event is at `phase`.
    Even {
        events: u64,
        phase: f64,
    },
    Exponential,
    Gamma {
        shape: f64,
    },
}

impl Points {
    /// The process of these arrivals; even for those that follow no rate.
    pub(super) fn of(arrival: &Arrival, Draw { seed, phase }: Draw) -> Self {
        let gaps = match arrival {
            Arrival::Constant | Arrival::Trace(_) => Gaps::Even { events: 0, phase },
            Arrival::Poisson => Gaps::Exponential,
            Arrival::Gamma { burstiness } => Gaps::Gamma { shape: *burstiness },
        };
        Self { gaps, rng: fastrand::Rng::with_seed(seed), last: 0.0 }
    }
}

impl Iterator for Points {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        let gap = match &mut self.gaps {
            Gaps::Even { events, phase } => {
                // Counted, not summed: the thousandth is as exact as the first.
                *events += 1;
                return Some(*phase + (*events - 1) as f64);
            }
            Gaps::Exponential => exponential(&mut self.rng),
            Gaps::Gamma { shape } => gamma(*shape, &mut self.rng) / *shape,
        };
        self.last += gap;
        Some(self.last)
    }
}

/// Of mean 1, by inversion.
fn exponential(rng: &mut fastrand::Rng) -> f64 {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    -(1.0 - rng.f64()).ln()
}

/// Of this shape and scale 1, by the method of Marsaglia and Tsang (2000); a shape under 1 by their boost.
fn gamma(shape: f64, rng: &mut fastrand::Rng) -> f64 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * (1.0 - rng.f64()).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = standard_normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - rng.f64()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// By the transform of Box and Muller.
fn standard_normal(rng: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}
