//! The interval of a statistic that was measured in several runs: the unit is the run.

use crate::distribution::round;
use crate::normal::students_quantile;
use crate::result::{Interval, Unit};

/// Student's interval around `value`, the statistic of all runs together, from its values in each, at least two.
pub(crate) fn between_runs(value: f64, values: &[f64], confidence: f64) -> Interval {
    let n = values.len() as f64;
    let standard_error = deviation(values) / n.sqrt();
    let half = students_quantile(confidence, n - 1.0) * standard_error;
    Interval {
        low: round((value - half).max(0.0)),
        high: round(value + half),
        confidence,
        standard_error: round(standard_error),
        unit: Unit::Runs,
        units: values.len() as u64,
    }
}

/// The standard deviation of a sample; 0 of fewer than two values.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (n - 1.0).max(1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_runs_give_the_interval_of_the_textbook() {
        // Standard deviation 10, over the root of three, times 4.3027.
        let of = between_runs(101.0, &[90.0, 100.0, 110.0], 0.95);
        assert!((of.standard_error - 5.7735).abs() < 1e-3 && (of.high - 125.842).abs() < 1e-2, "{of:?}");
        assert_eq!((of.unit, of.units), (Unit::Runs, 3));
        assert!(between_runs(1.0, &[0.0, 2.0], 0.95).low.abs() < 1e-9, "below 0 there is nothing");
        assert!((deviation(&[5.0, 5.0]) + deviation(&[5.0]) + deviation(&[])).abs() < 1e-9);
    }
}
