//! How long a refusal asks to wait: `Retry-After` in every form (RFC 9110, 10.2.3), else what vendors send beside or instead of it.

use std::time::{Duration, UNIX_EPOCH};

use hyper::HeaderMap;
use jiff::Timestamp;

/// The wait that the headers of a refusal ask for; `None` where they ask for none that can be understood. A moment in the
/// past asks for no wait at all.
pub(crate) fn of(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    text("retry-after")
        .and_then(|value| seconds(value).or_else(|| date(value, now)))
        .or_else(|| text("retry-after-ms").and_then(seconds).map(|wait| wait / 1000))
        // What a gateway was told itself.
        .or_else(|| text("llm_provider-retry-after").and_then(seconds))
        .or_else(|| exhausted(headers, now))
}

/// `5`, `1.5`; nothing negative, nothing that is no number.
fn seconds(value: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(value.parse().ok()?).ok()
}

fn date(value: &str, now: Timestamp) -> Option<Duration> {
    let at = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(at.saturating_sub(since_epoch(now)))
}

/// The longest wait among the limits that are used up; those with something left say nothing about this refusal.
fn exhausted(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let names = headers.keys().map(hyper::header::HeaderName::as_str);
    names
        .filter_map(|reset| {
            let remaining = remaining_beside(reset)?;
            let left: f64 = headers.get(&remaining)?.to_str().ok()?.trim().parse().ok()?;
            if left > 0.0 {
                return None;
            }
            until(headers.get(reset)?.to_str().ok()?.trim(), now)
        })
        .max()
}

/// The header that says how much is left of what `reset` renews.
fn remaining_beside(reset: &str) -> Option<String> {
    if let Some(dimension) = reset.strip_prefix("x-ratelimit-reset") {
        return Some(format!("x-ratelimit-remaining{dimension}"));
    }
    let dimension = reset.strip_prefix("anthropic-ratelimit-")?.strip_suffix("-reset")?;
    Some(format!("anthropic-ratelimit-{dimension}-remaining"))
}

/// A number over this is a moment in seconds since 1970, over a thousand times this one in milliseconds.
const EPOCH_SECONDS: f64 = 1e9;

/// `6m0s`, `20ms`, `12`, `2026-01-01T00:00:30Z`, `1767225600000`; nothing that is over.
fn until(value: &str, now: Timestamp) -> Option<Duration> {
    let ahead = |moment: Duration| moment.checked_sub(since_epoch(now)).filter(|wait| !wait.is_zero());
    if let Ok(number) = value.parse::<f64>() {
        return match number {
            number if number >= EPOCH_SECONDS * 1000.0 => {
                ahead(Duration::try_from_secs_f64(number / 1000.0).ok()?)
            }
            number if number >= EPOCH_SECONDS => ahead(Duration::try_from_secs_f64(number).ok()?),
            number => Duration::try_from_secs_f64(number).ok(),
        };
    }
    match value.parse::<Timestamp>() {
        Ok(moment) => ahead(since_epoch(moment)),
        Err(_) => units(value),
    }
}

/// Numbers with units, one after another: `1h2m3.5s`.
fn units(mut value: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    while !value.is_empty() {
        let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, rest) = value.split_at(digits);
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (unit, rest) = rest.split_at(letters);
        let scale = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        sum = sum.checked_add(Duration::try_from_secs_f64(number.parse::<f64>().ok()? * scale).ok()?)?;
        value = rest;
    }
    Some(sum)
}

fn since_epoch(moment: Timestamp) -> Duration {
    Duration::try_from(moment.duration_since(Timestamp::UNIX_EPOCH)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    type Headers = &'static [(&'static str, &'static str)];

    fn asked(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let map = headers.iter().map(|(name, value)| {
            (HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        });
        of(&map.collect(), "2026-01-01T00:00:00Z".parse().unwrap())
    }

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    #[test]
    fn ret_01_every_form_of_retry_after_is_understood_or_ignored() {
        let rows = [
            ("5", ms(5000)),
            (" 5 ", ms(5000)),
            ("0", ms(0)),
            ("1.5", ms(1500)),
            ("Thu, 01 Jan 2026 00:00:07 GMT", ms(7000)),
            ("Thursday, 01-Jan-26 00:00:07 GMT", ms(7000)),
            ("Wed, 31 Dec 2025 23:59:00 GMT", ms(0)),
            ("-1", None),
            ("soon", None),
            ("NaN", None),
            ("inf", None),
            ("", None),
            ("5, 6", None),
            ("1e300", None),
        ];
        for (value, expected) in rows {
            assert_eq!(asked(&[("retry-after", value)]), expected, "{value}");
        }
        let absurd = asked(&[("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")]);
        assert!(absurd > Some(Duration::from_secs(7000 * 365 * 24 * 3600)), "{absurd:?}");
        assert_eq!(asked(&[("retry-after", "é")]), None);
    }

    #[test]
    fn ret_02_the_vendors_headers_count_where_their_limit_is_used_up() {
        let rows: [(Headers, Option<Duration>); 13] = [
            (&[("retry-after-ms", "1500")], ms(1500)),
            (
                &[
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-tokens", "20ms"),
                    ("x-ratelimit-remaining-tokens", "900"),
                ],
                ms(360_000),
            ),
            (&[("x-ratelimit-reset-tokens", "2m59.56s"), ("x-ratelimit-remaining-tokens", "0")], ms(179_560)),
            (
                &[
                    ("anthropic-ratelimit-tokens-reset", "2026-01-01T00:00:30Z"),
                    ("anthropic-ratelimit-tokens-remaining", "0"),
                ],
                ms(30_000),
            ),
            (&[("x-ratelimit-reset", "1767225604000"), ("x-ratelimit-remaining", "0")], ms(4000)),
            (&[("x-ratelimit-reset", "1767225604"), ("x-ratelimit-remaining", "0")], ms(4000)),
            (&[("x-ratelimit-reset", "12"), ("x-ratelimit-remaining", "0")], ms(12_000)),
            (&[("x-ratelimit-reset", "1767225599000"), ("x-ratelimit-remaining", "0")], None),
            (
                &[
                    ("anthropic-ratelimit-requests-reset", "2025-12-31T23:59:59Z"),
                    ("anthropic-ratelimit-requests-remaining", "0"),
                ],
                None,
            ),
            (&[("x-ratelimit-reset-tokens", "1s")], None),
            (&[("x-ratelimit-reset-tokens", "a while"), ("x-ratelimit-remaining-tokens", "0")], None),
            (
                &[
                    ("retry-after", "2"),
                    ("x-ratelimit-reset-tokens", "6m"),
                    ("x-ratelimit-remaining-tokens", "0"),
                ],
                ms(2000),
            ),
            (&[("retry-after", "soon"), ("retry-after-ms", "700")], ms(700)),
        ];
        for (headers, expected) in rows {
            assert_eq!(asked(headers), expected, "{headers:?}");
        }
    }
}
