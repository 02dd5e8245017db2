//! How a duration is written, in scenario files and in the checks of the gate alike: `60s`, `1m30s`, `500ms`, `0.5s`.

use std::time::Duration;

/// Longest duration accepted: ten years, so that no instant can overflow.
pub const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

const UNITS: &[(&str, f64)] =
    &[("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// A string that is no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotADuration;

/// Reads a duration: numbers, each with a unit (`us`, `ms`, `s`, `m`, `h`, `d`), largest unit first.
///
/// # Errors
/// When the text is none, or longer than [`LONGEST`].
pub fn parse(text: &str) -> Result<Duration, NotADuration> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    let mut last_scale = f64::INFINITY;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or(NotADuration)?;
        let number: f64 = rest[..digits].parse().map_err(|_| NotADuration)?;
        rest = &rest[digits..];
        let unit_end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let scale = UNITS.iter().find(|(unit, _)| *unit == &rest[..unit_end]).ok_or(NotADuration)?.1;
        if scale >= last_scale {
            return Err(NotADuration);
        }
        last_scale = scale;
        seconds += number * scale;
        rest = &rest[unit_end..];
    }
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| NotADuration)?;
    match last_scale.is_finite() && duration <= LONGEST {
        true => Ok(duration),
        false => Err(NotADuration),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_units_and_are_never_negative() {
        let rows = [
            ("90s", Some(90_000)),
            ("1m30s", Some(90_000)),
            ("1500ms", Some(1500)),
            ("0.5s", Some(500)),
            ("10m", Some(600_000)),
            ("1h", Some(3_600_000)),
            ("0s", Some(0)),
            (" 60s ", Some(60_000)),
            ("90", None),
            ("-5s", None),
            ("10 parsecs", None),
            ("5 s", None),
            ("30s1m", None),
            ("1s1s", None),
            ("", None),
            ("s", None),
            ("1.2.3s", None),
            ("1e3s", None),
            ("99999999h", None),
            ("５s", None),
        ];
        for (text, expected) in rows {
            assert_eq!(parse(text).ok(), expected.map(Duration::from_millis), "{text:?}");
        }
    }
}
