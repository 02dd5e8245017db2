//! The grammar of a check: `METRIC[.STAT] (<=|<|>=|>) VALUE [for c<=20 | for stage NAME]`, where VALUE is
//! `800ms`, `1m30s`, `99%`, `0.05`, `12`, `baseline`, `baseline + 20%` or `baseline - 5%`.

use super::check::{Check, Comparison, Limit, Scope, Stat};
use crate::duration;
use crate::metric::{Kind, Metric, TABLE, Unit};

/// A check that cannot be read. `at` is the byte offset in its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CheckError {
    /// What was found and what was expected.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Byte offset of the offending part in the text.
    pub at: usize,
    /// The misspelt name and its possible spellings, for a "did you mean".
    pub candidates: Option<(String, Vec<&'static str>)>,
}

impl Check {
    /// Reads a check.
    ///
    /// # Errors
    /// Where the text departs from the grammar, names an unknown metric or statistic, or compares with a value of
    /// another unit.
    pub fn parse(text: &str) -> Result<Self, CheckError> {
        let (at, comparison, width) = find_comparison(text)?;
        let (metric, stat) = parse_left(text[..at].trim(), offset(text, text[..at].trim()))?;
        let right = &text[at + width..];
        let (value, scope) = split_scope(right);
        let limit = parse_limit(value.trim(), metric, offset(text, value.trim()))?;
        let scope = match scope {
            Some(scope) => parse_scope(scope.trim(), offset(text, scope.trim()))?,
            None => Scope::Every,
        };
        let left = match stat {
            Some(stat) => format!("{metric}.{stat}"),
            None => metric.to_string(),
        };
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = format!("{left} {} {value}", comparison.symbol());
        Ok(Self { text, metric, stat, comparison, limit, scope })
    }
}

fn find_comparison(text: &str) -> Result<(usize, Comparison, usize), CheckError> {
    let Some(at) = text.find(['<', '>']) else {
        return Err(error(text.len(), "expected `<=`, `<`, `>=` or `>` after the metric")
            .hint("a check reads `ttft.p95 <= 800ms`"));
    };
    let equal = text[at + 1..].starts_with('=');
    let comparison = match (text.as_bytes()[at], equal) {
        (b'<', true) => Comparison::AtMost,
        (b'<', false) => Comparison::Below,
        (_, true) => Comparison::AtLeast,
        (_, false) => Comparison::Above,
    };
    Ok((at, comparison, 1 + usize::from(equal)))
}

pub(super) fn parse_left(left: &str, at: usize) -> Result<(Metric, Option<Stat>), CheckError> {
    let (name, stat) = match left.split_once('.') {
        Some((name, stat)) => (name, Some(stat)),
        None => (left, None),
    };
    let metric = Metric::named(name).ok_or_else(|| unknown_metric(name, at))?;
    match (metric.entry().kind, stat) {
        (Kind::Scalar, None) => Ok((metric, None)),
        (Kind::Scalar, Some(stat)) => {
            Err(error(at + name.len(), format!("`{name}` is one number per stage and has no `.{stat}`"))
                .hint(format!("write `{name}`")))
        }
        (Kind::Distribution, None) => Err(error(at, format!("`{name}` needs a statistic"))
            .hint(format!("write `{name}.p95`, `{name}.p50`, `{name}.mean`, `{name}.min` or `{name}.max`"))),
        (Kind::Distribution, Some(stat)) => Ok((metric, Some(parse_stat(stat, at + name.len() + 1)?))),
    }
}

fn unknown_metric(name: &str, at: usize) -> CheckError {
    let names = TABLE.iter().map(|entry| entry.name).collect();
    CheckError {
        candidates: Some((name.to_owned(), names)),
        ..error(at, format!("`{name}` is not a metric"))
    }
}

fn parse_stat(stat: &str, at: usize) -> Result<Stat, CheckError> {
    match stat {
        "mean" => return Ok(Stat::Mean),
        "min" => return Ok(Stat::Min),
        "max" => return Ok(Stat::Max),
        _ => {}
    }
    let digits = stat.strip_prefix('p').unwrap_or("");
    // `p999` is the customary spelling of 99.9.
    let p = match digits.parse::<f64>() {
        Ok(p) if p >= 100.0 && digits.starts_with("99") && !digits.contains('.') => {
            format!("{}.{}", &digits[..2], &digits[2..]).parse().ok()
        }
        Ok(p) if p > 0.0 && p < 100.0 => Some(p),
        _ => None,
    };
    p.map(Stat::Percentile).ok_or_else(|| {
        error(at, format!("`{stat}` is not a statistic"))
            .hint("one of `mean`, `min`, `max`, or a percentile such as `p50`, `p95`, `p99`, `p999`")
    })
}

fn split_scope(right: &str) -> (&str, Option<&str>) {
    match right.find(" for ") {
        Some(at) => (&right[..at], Some(&right[at + 5..])),
        None => (right, None),
    }
}

fn parse_limit(value: &str, metric: Metric, at: usize) -> Result<Limit, CheckError> {
    if let Some(rest) = value.strip_prefix("baseline") {
        return parse_change(rest.trim(), at);
    }
    let unit = metric.entry().unit;
    let expected = match unit {
        Unit::Milliseconds => "a duration such as `800ms` or `1.5s`",
        Unit::Ratio => "a ratio such as `5%` or `0.05`",
        Unit::PerSecond | Unit::Count => "a number",
    };
    let wrong = || {
        error(at, format!("expected {expected} for `{metric}`, found `{value}`"))
            .hint("or compare with the baseline: `baseline + 20%`")
    };
    let (number, suffix) = split_number(value);
    if unit == Unit::Milliseconds {
        // As everywhere in a scenario; here a blank may stand before a single unit, as the white space of a check is free.
        let duration = duration::parse(&format!("{number}{suffix}")).map_err(|_| wrong())?;
        return Ok(Limit::Absolute(duration.as_nanos() as f64 / 1e6));
    }
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let scale = match (unit, suffix) {
        (Unit::Ratio, "%") => 0.01,
        (Unit::Ratio, "") if number <= 1.0 => 1.0,
        (Unit::PerSecond, "" | "/s") | (Unit::Count, "") => 1.0,
        _ => return Err(wrong()),
    };
    let limit = number * scale;
    if !limit.is_finite() || limit < 0.0 {
        return Err(wrong());
    }
    if unit == Unit::Ratio && limit > 1.0 {
        return Err(error(at, format!("`{metric}` is a share of 0% to 100%, found `{value}`")));
    }
    Ok(Limit::Absolute(limit))
}

fn parse_change(rest: &str, at: usize) -> Result<Limit, CheckError> {
    let wrong = || error(at, "expected `baseline`, `baseline + 20%` or `baseline - 5%`");
    if rest.is_empty() {
        return Ok(Limit::Baseline { change: 0.0 });
    }
    let (sign, amount) = match rest.as_bytes()[0] {
        b'+' => (1.0, &rest[1..]),
        b'-' => (-1.0, &rest[1..]),
        _ => return Err(wrong()),
    };
    let percent = amount.trim().strip_suffix('%').ok_or_else(wrong)?;
    let percent: f64 = percent.trim().parse().map_err(|_| wrong())?;
    if !(0.0..=10_000.0).contains(&percent) || (sign < 0.0 && percent > 100.0) {
        return Err(wrong());
    }
    Ok(Limit::Baseline { change: sign * percent / 100.0 })
}

fn parse_scope(scope: &str, at: usize) -> Result<Scope, CheckError> {
    if let Some(name) = scope.strip_prefix("stage ") {
        let name = name.trim();
        return match name.is_empty() {
            true => Err(error(at, "expected a stage's name after `for stage`")),
            false => Ok(Scope::Stage(name.to_owned())),
        };
    }
    let wrong = || error(at, format!("expected `for c<=20` or `for stage NAME`, found `for {scope}`"));
    let rest = scope.strip_prefix('c').ok_or_else(wrong)?.trim_start();
    let (comparison, users) = [
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Below),
        (">", Comparison::Above),
    ]
    .iter()
    .find_map(|(symbol, comparison)| Some((*comparison, rest.strip_prefix(symbol)?)))
    .ok_or_else(wrong)?;
    let users = users.trim().parse().map_err(|_| wrong())?;
    Ok(Scope::Concurrency(comparison, users))
}

fn split_number(value: &str) -> (&str, &str) {
    let end =
        value.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(value.len());
    (&value[..end], value[end..].trim())
}

/// Offset of `part` in `text`, of which it is a slice.
fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

fn error(at: usize, message: impl Into<String>) -> CheckError {
    CheckError { message: message.into(), hint: None, at, candidates: None }
}

impl CheckError {
    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_of_every_form_are_read() {
        type Row = (&'static str, Metric, Option<Stat>, Comparison, Limit, Scope);
        let rows: &[Row] = &[
            (
                "success_rate >= 99%",
                Metric::SuccessRate,
                None,
                Comparison::AtLeast,
                Limit::Absolute(0.99),
                Scope::Every,
            ),
            (
                "http_429_ratio<=0.05",
                Metric::Http429Ratio,
                None,
                Comparison::AtMost,
                Limit::Absolute(0.05),
                Scope::Every,
            ),
            (
                "ttft.p95 <= 800ms",
                Metric::Ttft,
                Some(Stat::Percentile(95.0)),
                Comparison::AtMost,
                Limit::Absolute(800.0),
                Scope::Every,
            ),
            (
                "e2e.p999 < 1.5s for c<=20",
                Metric::E2e,
                Some(Stat::Percentile(99.9)),
                Comparison::Below,
                Limit::Absolute(1500.0),
                Scope::Concurrency(Comparison::AtMost, 20),
            ),
            (
                "tpot.p99 <= baseline + 50% for stage c10",
                Metric::Tpot,
                Some(Stat::Percentile(99.0)),
                Comparison::AtMost,
                Limit::Baseline { change: 0.5 },
                Scope::Stage("c10".into()),
            ),
            (
                "qps > baseline - 5%",
                Metric::Qps,
                None,
                Comparison::Above,
                Limit::Baseline { change: -0.05 },
                Scope::Every,
            ),
            ("http_5xx <= 0", Metric::Http5xx, None, Comparison::AtMost, Limit::Absolute(0.0), Scope::Every),
        ];
        for (text, metric, stat, comparison, limit, scope) in rows {
            let check = Check::parse(text).unwrap();
            assert_eq!((check.metric, check.stat, check.comparison), (*metric, *stat, *comparison), "{text}");
            assert_eq!((&check.limit, &check.scope), (limit, scope), "{text}");
        }
    }

    #[test]
    fn a_duration_is_written_as_everywhere_in_a_scenario() {
        let rows = [
            ("800ms", Some(800.0)),
            ("1.1ms", Some(1.1)),
            ("1m30s", Some(90_000.0)),
            ("1h", Some(3_600_000.0)),
            ("250us", Some(0.25)),
            ("250µs", Some(0.25)),
            ("0s", Some(0.0)),
            ("800 ms", Some(800.0)),
            ("30s1m", None),
            ("1s1s", None),
            ("-1s", None),
            ("1e3s", None),
            ("5 parsecs", None),
        ];
        for (text, expected) in rows {
            let limit = Check::parse(&format!("ttft.p95 <= {text} for c<=5")).ok().map(|check| check.limit);
            assert_eq!(limit, expected.map(Limit::Absolute), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_check_is_told_where_and_why() {
        let rows = [
            ("ttft.p95", "expected `<=`, `<`, `>=` or `>` after the metric", 8),
            ("tftt.p95 <= 1s", "`tftt` is not a metric", 0),
            ("ttft <= 1s", "`ttft` needs a statistic", 0),
            ("qps.p95 > 1", "`qps` is one number per stage and has no `.p95`", 3),
            ("ttft.p101 <= 1s", "`p101` is not a statistic", 5),
            ("ttft.p95 <= 5%", "expected a duration such as `800ms` or `1.5s` for `ttft`, found `5%`", 12),
            ("ttft.p95 <= 800", "expected a duration such as `800ms` or `1.5s` for `ttft`, found `800`", 12),
            (
                "success_rate >= 99",
                "expected a ratio such as `5%` or `0.05` for `success_rate`, found `99`",
                16,
            ),
            ("success_rate >= 101%", "`success_rate` is a share of 0% to 100%, found `101%`", 16),
            ("ttft.p95 <= baseline * 2", "expected `baseline`, `baseline + 20%` or `baseline - 5%`", 12),
            ("ttft.p95 <= 1s for d<3", "expected `for c<=20` or `for stage NAME`, found `for d<3`", 19),
        ];
        for (text, message, at) in rows {
            let error = Check::parse(text).unwrap_err();
            assert_eq!((error.message.as_str(), error.at), (message, at), "{text}");
        }
    }

    #[test]
    fn a_percentile_needs_one_value_beyond_it() {
        let rows = [(50.0, 2), (90.0, 10), (95.0, 20), (99.0, 100), (99.9, 1000)];
        for (p, n) in rows {
            assert_eq!(Stat::Percentile(p).needs(), n, "p{p}");
        }
        assert_eq!(Stat::Mean.needs(), 1);
    }
}
