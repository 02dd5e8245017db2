//! The nearest known name to a misspelt one.

/// The candidate that a person most likely meant, if any is near enough.
pub(crate) fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let found = found.to_lowercase().replace('-', "_");
    let longest_slip = (found.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&found, candidate), candidate))
        .filter(|(distance, _)| *distance <= longest_slip)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["concurrency", "duration", "requests", "port", "ramp_up"];
        let rows = [
            ("concurency", Some("concurrency")),
            ("Duration", Some("duration")),
            ("ramp-up", Some("ramp_up")),
            ("prot", Some("port")),
            ("colour", None),
            ("x", None),
        ];
        for (found, expected) in rows {
            assert_eq!(nearest(found, known), expected, "{found}");
        }
    }
}
