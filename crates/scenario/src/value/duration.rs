//! How a duration is shown: `1 min 30 s`, `500 ms`.

use std::time::Duration;

/// A duration as one would write it: `1m 30s`, `500 ms`.
pub(crate) fn show_duration(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        return format!("{} ms", duration.as_millis());
    }
    let seconds = duration.as_secs();
    let parts = [(seconds / 3600, "h"), (seconds % 3600 / 60, "min"), (seconds % 60, "s")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}")).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_whole_units() {
        let rows = [(500, "500 ms"), (60_000, "1 min"), (95_000, "1 min 35 s"), (3_600_000, "1 h")];
        for (milliseconds, expected) in rows {
            assert_eq!(show_duration(Duration::from_millis(milliseconds)), expected);
        }
    }
}
