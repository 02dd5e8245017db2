//! Quantiles of the normal distribution and of Student's.

/// Standard deviations from the middle of a normal distribution to the end of an interval of this confidence.
pub(crate) fn quantile(confidence: f64) -> f64 {
    let (mut low, mut high) = (0.0, 6.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if within(middle) < confidence { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Share of a normal distribution within so many standard deviations, by Simpson's rule.
pub(crate) fn within(deviations: f64) -> f64 {
    const STEPS: u32 = 400;
    let step = deviations / f64::from(STEPS);
    let density = |at: f64| (-at * at / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let weight =
        |index: u32| if index == 0 || index == STEPS { 1.0 } else { 2.0 + 2.0 * f64::from(index % 2) };
    let sum: f64 = (0..=STEPS).map(|index| weight(index) * density(f64::from(index) * step)).sum();
    2.0 * sum * step / 3.0
}

/// The same quantile of Student's distribution with so many degrees of freedom, at least 5, by the expansion of Fisher and
/// Cornish (1960) up to the second order.
pub(crate) fn students_quantile(confidence: f64, freedom: f64) -> f64 {
    let z = quantile(confidence);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + first / freedom + second / freedom.powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        for (confidence, expected) in [(0.5, 0.674_49), (0.95, 1.959_96), (0.99, 2.575_83), (0.999, 3.290_53)]
        {
            assert!((quantile(confidence) - expected).abs() < 1e-4, "{confidence}: {}", quantile(confidence));
        }
        for (freedom, expected) in [(9.0, 2.262), (19.0, 2.093), (59.0, 2.001)] {
            assert!((students_quantile(0.95, freedom) - expected).abs() < 5e-3, "{freedom}");
        }
    }
}
