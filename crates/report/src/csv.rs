//! A row per stage, for spreadsheets and programs: columns by the names of the JSON result, nothing for what is absent.

use measure::result::{RunResult, StageResult, StageStatus};
use serde_json::Value;

use crate::comparison::Comparison;
use crate::{plain, sides};

/// A column's name, and where its value stands in a stage of the JSON result.
type Column = (String, String);

/// What a stage says of itself, whether it ran or not.
const LOAD: &str = "name status concurrency rate ramp_from arrival burstiness max_in_flight ramp_up_s think_time_s/0 \
    think_time_s/1 duration";
/// Single numbers.
const NUMBERS: &str = "window_s qps output_tokens_per_s success_rate error_rate http_429 http_429_ratio http_5xx \
    http_5xx_ratio goodput goodput_ratio concurrency_effective in_flight_max drained counts/planned counts/started \
    counts/dropped counts/ok counts/failed counts/cancelled counts/attempts tokens/output tokens/input tokens/reasoning \
    tokens/cached tokens/per_chunk stalls/requests stalls/count stalls/longest_ms smoothness";
/// Distributions, each with [`STATISTICS`].
const DISTRIBUTIONS: &str = "queue_ms connect_ms ttfb_ms ttft_ms ttfo_ms tpot_ms gap_ms e2e_ms output_tps retry_wait_ms time_to_error_ms";
/// `weak` names the percentiles that too few values stand behind.
const STATISTICS: &str = "n mean p50 p90 p95 p99 max weak";
/// The generator's look at itself.
const CLIENT: &str = "client/saturated client/cpu_percent";

/// The stages as CSV in UTF-8: a header, a row per stage, lines ended by `\n`. An absent value is an empty cell, and of a
/// stage that never began there is nothing but its name, its status and its load. A text that a spreadsheet might take
/// for a formula begins with `'`. Of an A/B run there are the stages of both sides, as [`comparison()`] has them.
///
/// # Errors
/// Never for a result that this program made.
pub fn render(run: &RunResult) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    if let Some(sides) = sides::compared(run, comparison) {
        return sides;
    }
    let columns = columns();
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.iter().map(|(name, _)| name))?;
    for stage in &run.stages {
        writer.write_record(row(stage, &columns)?)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The stages of all runs in one table as [`render()`] makes it, the run's label before them in a column `run`.
///
/// # Errors
/// Never for results that this program made.
pub fn comparison(of: &Comparison<'_>) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let columns = columns();
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    writer.write_record(std::iter::once("run").chain(columns.iter().map(|(name, _)| name.as_str())))?;
    for side in of.runs() {
        for stage in &side.run.stages {
            writer.write_record(std::iter::once(inert(&side.label)).chain(row(stage, &columns)?))?;
        }
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn columns() -> Vec<Column> {
    let distributions = DISTRIBUTIONS
        .split_whitespace()
        .flat_map(|of| STATISTICS.split_whitespace().map(move |statistic| format!("{of}/{statistic}")));
    let single = LOAD.split_whitespace().chain(NUMBERS.split_whitespace()).map(str::to_owned);
    let client = CLIENT.split_whitespace().map(str::to_owned);
    single.chain(distributions).chain(client).map(|path| (name(&path), format!("/{path}"))).collect()
}

/// The JSON's names joined; those of a pair say which end they are.
fn name(path: &str) -> String {
    match path.split_once('/') {
        Some((pair, "0")) => format!("{pair}_min"),
        Some((pair, "1")) => format!("{pair}_max"),
        _ => path.replace('/', "_"),
    }
}

fn row(stage: &StageResult, columns: &[Column]) -> Result<Vec<String>, serde_json::Error> {
    let whole = serde_json::to_value(stage)?;
    // The zeros of a stage that never began were not counted.
    let known = match stage.status {
        StageStatus::Skipped => LOAD.split_whitespace().count(),
        StageStatus::Complete | StageStatus::Incomplete | StageStatus::Stopped => columns.len(),
    };
    let cells = columns.iter().enumerate().map(|(index, (_, path))| match index < known {
        true => cell(whole.pointer(path)),
        false => String::new(),
    });
    Ok(cells.collect())
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => inert(text),
        Some(Value::Array(weak)) => {
            let names = weak.iter().filter_map(Value::as_str).filter(|name| has_column(name));
            names.collect::<Vec<_>>().join(" ")
        }
        Some(number) => number.to_string(),
    }
}

fn has_column(percentile: &str) -> bool {
    STATISTICS.split_whitespace().any(|name| name == percentile)
}

/// On one line, and never a formula: not at its begin, nor where a spreadsheet that separates by `;` would begin a cell.
fn inert(text: &str) -> String {
    let guarded = |part: &str| match part.trim_start().starts_with(is_operator) {
        true => format!("'{part}"),
        false => part.to_owned(),
    };
    plain::one_line(text).split(';').map(guarded).collect::<Vec<_>>().join(";")
}

/// What begins a formula, in its full-width form too.
fn is_operator(letter: char) -> bool {
    matches!(letter, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_a_formula_or_a_line() {
        let rows = [
            ("c10", "c10"),
            ("a-b=c", "a-b=c"),
            ("=cmd()", "'=cmd()"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=cmd()", "' =cmd()"),
            ("＝cmd()", "'＝cmd()"),
            ("a;=cmd()", "a;'=cmd()"),
            ("a\n=b", "a =b"),
            ("a\0b", "a\\u0000b"),
        ];
        for (text, expected) in rows {
            assert_eq!(inert(text), expected, "{text:?}");
        }
    }
}
