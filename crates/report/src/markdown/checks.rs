//! The checks: those that did not pass and those that were compared with a baseline one by one, the others counted.

use measure::result::{CheckLine, CheckResult, RunResult};

use super::inert::{code, escaped, prose};
use crate::number::{UNKNOWN, change, of_check};
use crate::{Lang, verdict};

/// More rows than this are folded away.
const SHOWN: usize = 10;

/// Nothing without checks.
pub(super) fn block(run: &RunResult, lang: Lang) -> String {
    if run.gate.checks.is_empty() {
        return String::new();
    }
    let (passed, open): (Vec<&CheckLine>, Vec<&CheckLine>) =
        run.gate.checks.iter().partition(|line| line.result == CheckResult::Pass);
    let count = verdict::passed(&run.gate, lang) + lang.pick(".", "。");
    // What changed is worth a look also where it may.
    let compared: Vec<&CheckLine> = passed.into_iter().filter(|line| line.baseline.is_some()).collect();
    if open.len() + compared.len() <= SHOWN {
        return [count, table(&[open, compared].concat(), lang)].join("\n\n").trim_end().to_owned();
    }
    let (n, held) = (open.len(), compared.len());
    let failed = lang.pick(format!("{n} did not pass"), format!("{n} 项未通过"));
    let passed =
        lang.pick(format!("{held} passed against the baseline"), format!("{held} 项与基线比较并通过"));
    let parts = [count, folded(&open, &failed, lang), folded(&compared, &passed, lang)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A table, folded away where it is long.
fn folded(lines: &[&CheckLine], summary: &str, lang: Lang) -> String {
    let table = table(lines, lang);
    match lines.len() {
        n if n <= SHOWN => table,
        // The blank lines make Markdown of what stands between the tags.
        _ => format!("<details><summary>{summary}</summary>\n\n{table}\n\n</details>"),
    }
}

fn table(open: &[&CheckLine], lang: Lang) -> String {
    if open.is_empty() {
        return String::new();
    }
    let baseline = open.iter().any(|line| line.baseline.is_some());
    let names = lang.pick(
        ["result", "check", "stage", "level", "measured", "limit", "baseline", "change", "n", "reason"],
        ["结果", "检查", "级别", "等级", "实测", "限值", "基线", "变化", "n", "原因"],
    );
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    rows.push(
        ["---", "---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---"]
            .map(str::to_owned)
            .to_vec(),
    );
    rows.extend(open.iter().map(|line| row(line, lang)));
    if !baseline {
        rows.iter_mut().for_each(|row| drop(row.drain(BASELINE)));
    }
    rows.iter().map(|row| self::line(row)).collect::<Vec<_>>().join("\n")
}

/// Where `baseline` and `change` stand in a row.
const BASELINE: std::ops::Range<usize> = 6..8;

fn row(of: &CheckLine, lang: Lang) -> Vec<String> {
    let number = |value: Option<f64>| escaped(of_check(&of.check, value));
    let level = match of.level.as_str() {
        "strict" => lang.pick("strict", "严格").to_owned(),
        "advisory" => lang.pick("advisory", "仅提示").to_owned(),
        other => prose(other),
    };
    let result = verdict::of_check(of.result, lang);
    let result = match of.result {
        CheckResult::Fail => format!("**{result}**"),
        CheckResult::Pass | CheckResult::Inconclusive | CheckResult::NoData => result.to_owned(),
    };
    vec![
        result,
        code(&of.check),
        code(&of.stage),
        level,
        number(of.value),
        number(of.limit),
        number(of.baseline),
        change(of).unwrap_or_else(|| UNKNOWN.to_owned()),
        of.n.to_string(),
        verdict::reason(of, lang).as_deref().map(prose).unwrap_or_default(),
    ]
}

/// A line of a table.
pub(super) fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}
