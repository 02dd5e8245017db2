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

/// From so many degrees of freedom on the expansion is exact to five places.
const MANY: f64 = 30.0;

/// The same quantile of Student's distribution with so many degrees of freedom, at least 1. Many: by the expansion of
/// Fisher and Cornish (1960) up to the second order.
pub(crate) fn students_quantile(confidence: f64, freedom: f64) -> f64 {
    if freedom < MANY {
        return few(confidence, freedom.max(1.0) as u32);
    }
    let z = quantile(confidence);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + first / freedom + second / freedom.powi(2)
}

/// By halving the angle whose tangent times the root of the degrees of freedom is the quantile.
fn few(confidence: f64, freedom: u32) -> f64 {
    let (mut low, mut high) = (0.0, std::f64::consts::FRAC_PI_2);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if students_within(middle, freedom) < confidence { low = middle } else { high = middle }
    }
    f64::midpoint(low, high).tan() * f64::from(freedom).sqrt()
}

/// Share of Student's distribution within that angle: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4.
fn students_within(angle: f64, freedom: u32) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2;
    let first = if odd == 1 { cosine } else { 1.0 };
    let terms = (1..=freedom / 2).scan(first, |term, index| {
        let given = *term;
        let (over, under) = (2 * index - 1 + odd, 2 * index + odd);
        *term *= f64::from(over) / f64::from(under) * cosine * cosine;
        Some(given)
    });
    let sum: f64 = terms.sum::<f64>() * sine;
    match odd {
        1 => (angle + sum) * std::f64::consts::FRAC_2_PI,
        _ => sum,
    }
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
        for (freedom, expected) in [
            (1.0, 12.706_2),
            (2.0, 4.302_65),
            (3.0, 3.182_45),
            (4.0, 2.776_45),
            (9.0, 2.262_16),
            (19.0, 2.093_02),
            (29.0, 2.045_23),
            (30.0, 2.042_27),
            (59.0, 2.001_0),
        ] {
            let quantile = students_quantile(0.95, freedom);
            assert!((quantile / expected - 1.0).abs() < 1e-4, "{freedom}: {quantile}");
        }
    }
}
