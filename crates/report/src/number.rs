//! The only place that turns numbers into text: one rounding rule, units, "—" for what was not measured.

use measure::gate::Check;
use measure::metric::Unit;
use measure::result::CheckLine;

/// Shown for what was not measured.
pub const UNKNOWN: &str = "—";

/// Milliseconds without a unit, three significant figures at least: `0.42`, `12.3`, `1480`.
pub fn ms(value: Option<f64>) -> String {
    value.map_or(UNKNOWN.to_owned(), figures)
}

/// Milliseconds with a unit: `12.3 ms`, `1.48 s`.
pub fn duration(value: Option<f64>) -> String {
    match value {
        None => UNKNOWN.to_owned(),
        Some(ms) if ms.abs() >= 10_000.0 => format!("{} s", figures(ms / 1000.0)),
        Some(ms) => format!("{} ms", figures(ms)),
    }
}

/// A rate or count: `6.6`, `512`.
pub fn rate(value: Option<f64>) -> String {
    value.map_or(UNKNOWN.to_owned(), figures)
}

/// A value in the unit of the check that it was measured for.
pub fn of_check(check: &str, value: impl Into<Option<f64>>) -> String {
    let value = value.into();
    match Check::parse(check).map(|check| check.metric.entry().unit) {
        Ok(Unit::Ratio) => percent(value),
        Ok(Unit::Milliseconds) => duration(value),
        Ok(Unit::PerSecond | Unit::Count) | Err(_) => rate(value),
    }
}

/// How the value of a check stands to the baseline's in percent, with the interval it was judged by: `+12.5%`,
/// `-3%, -5% … -1%`, `±0%`; unknown where the baseline's is 0.
pub fn change(line: &CheckLine) -> Option<String> {
    let (value, from) = (line.value?, line.baseline.filter(|from| *from != 0.0)?);
    let change = signed_percent((value - from) / from.abs());
    Some(match line.change.map(|ends| ends.map(signed_percent)) {
        Some([low, high]) => format!("{change}, {low} … {high}"),
        None => change,
    })
}

fn signed_percent(share: f64) -> String {
    let percent = (share * 1000.0).round() / 10.0;
    if percent == 0.0 { "±0%".to_owned() } else { format!("{percent:+}%") }
}

/// Seconds of a window: `60`, `0.5`, `22.4`.
pub fn seconds(value: f64) -> String {
    match (value * 10.0).round() / 10.0 {
        rounded if rounded == rounded.trunc() && rounded > 0.0 => format!("{rounded:.0}"),
        rounded if rounded > 0.0 => format!("{rounded:.1}"),
        _ => figures(value),
    }
}

/// A share as a percentage: `99.5 %` is given as `99.5%`; never rounded up to 100 or down to 0.
pub fn percent(value: Option<f64>) -> String {
    let Some(share) = value else { return UNKNOWN.to_owned() };
    let percent = share * 100.0;
    match percent {
        p if p > 99.9 && p < 100.0 => ">99.9%".to_owned(),
        p if p > 0.0 && p < 0.1 => "<0.1%".to_owned(),
        p if (p - p.round()).abs() < 0.05 => format!("{p:.0}%"),
        p => format!("{p:.1}%"),
    }
}

fn figures(value: f64) -> String {
    match value.abs() {
        // The bounds are where rounding would add a digit.
        v if v >= 99.95 => format!("{value:.0}"),
        v if v >= 9.995 => format!("{value:.1}"),
        0.0 => "0".to_owned(),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        let rows = [
            (ms(None), "—"),
            (ms(Some(0.4212)), "0.42"),
            (ms(Some(12.345)), "12.3"),
            (ms(Some(1480.2)), "1480"),
            (duration(Some(12_345.0)), "12.3 s"),
            (duration(Some(0.0)), "0 ms"),
            (percent(Some(1.0)), "100%"),
            (percent(Some(0.9996)), ">99.9%"),
            (percent(Some(0.0004)), "<0.1%"),
            (percent(Some(0.125)), "12.5%"),
            (percent(Some(0.0)), "0%"),
            (percent(None), "—"),
            (seconds(60.0), "60"),
            (seconds(22.365), "22.4"),
            (seconds(0.5), "0.5"),
            (seconds(0.02), "0.02"),
        ];
        for (text, expected) in rows {
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn a_change_has_its_sign_and_is_unknown_from_nothing() {
        let rows = [
            (Some(112.5), Some(100.0), Some("+12.5%")),
            (Some(97.0), Some(100.0), Some("-3%")),
            (Some(100.01), Some(100.0), Some("±0%")),
            (Some(1.0), Some(0.0), None),
            (None, Some(1.0), None),
        ];
        let line = |value: Option<f64>, from: Option<f64>, ends: Option<[f64; 2]>| -> CheckLine {
            serde_json::from_value(serde_json::json!({
                "check": "ttft.p95 <= baseline", "stage": "c1", "level": "strict", "value": value, "limit": null,
                "baseline": from, "interval": null, "n": 3, "result": "pass", "reason": null, "change": ends,
            }))
            .unwrap()
        };
        for (value, from, expected) in rows {
            assert_eq!(change(&line(value, from, None)).as_deref(), expected);
        }
        let judged = line(Some(112.5), Some(100.0), Some([-0.012, 0.26]));
        assert_eq!(change(&judged).as_deref(), Some("+12.5%, -1.2% … +26%"));
    }

    #[test]
    fn a_checks_numbers_stand_in_the_unit_of_its_metric() {
        let rows = [
            ("ttft.p95 <= 800ms", Some(310.2), "310 ms"),
            ("success_rate >= 99%", Some(0.995), "99.5%"),
            ("http_429 <= 0", Some(3.0), "3.00"),
            ("what is this", Some(3.0), "3.00"),
            ("ttft.p95 <= 800ms", None, "—"),
        ];
        for (check, value, expected) in rows {
            assert_eq!(of_check(check, value), expected, "{check}");
        }
    }
}
