//! Fewer points of the same picture: an outlier of a long run must not vanish from its chart.

/// Most points of one series, whatever the length of the run.
pub(super) const MOST_POINTS: usize = 1200;

/// At most `most` points in the same order: the lowest and the highest of each stretch. A stretch without a value
/// leaves one absent point, so that a gap stays a gap.
pub(super) fn downsample(points: &[(f64, Option<f64>)], most: usize) -> Vec<(f64, Option<f64>)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil((most / 2).max(1));
    points.chunks(stretch).flat_map(extremes).collect()
}

fn extremes(stretch: &[(f64, Option<f64>)]) -> Vec<(f64, Option<f64>)> {
    let measured = || stretch.iter().enumerate().filter_map(|(index, (_, value))| Some((index, (*value)?)));
    let lowest = measured().min_by(|one, other| one.1.total_cmp(&other.1));
    let highest = measured().max_by(|one, other| one.1.total_cmp(&other.1));
    let mut kept = match (lowest, highest) {
        (Some((low, _)), Some((high, _))) => vec![low, high],
        _ => vec![0],
    };
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|index| stretch[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(n: u32, value: impl Fn(u32) -> Option<f64>) -> Vec<(f64, Option<f64>)> {
        (0..n).map(|x| (f64::from(x), value(x))).collect()
    }

    #[test]
    fn a_short_series_is_left_as_it_is() {
        let points = line(2000, |x| (x % 3 > 0).then_some(1.0));
        assert_eq!(downsample(&points, 2000), points);
    }

    #[test]
    fn eight_hours_fit_and_keep_order_and_every_spike() {
        let points = line(28_800, |x| Some(if x % 7000 == 6999 { 900.0 } else { f64::from(x % 10) }));
        let fewer = downsample(&points, 2000);
        assert!(fewer.len() <= 2000, "{}", fewer.len());
        assert!(fewer.is_sorted_by(|one, other| one.0 < other.0));
        let spikes: Vec<_> = fewer.iter().filter(|(_, y)| *y == Some(900.0)).map(|(x, _)| *x).collect();
        assert_eq!(spikes, [6999.0, 13_999.0, 20_999.0, 27_999.0]);
    }

    #[test]
    fn a_long_gap_stays_a_gap() {
        let points = line(10_000, |x| (!(4000..6000).contains(&x)).then_some(1.0));
        let absent = downsample(&points, 100).iter().filter(|(_, y)| y.is_none()).count();
        assert_eq!(absent, 10);
    }
}
