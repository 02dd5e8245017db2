//! The checks: those that did not pass one by one, the others counted.

use measure::result::{CheckLine, CheckResult, RunResult};

use super::inert::{code, escaped, prose};
use crate::number::of_check;
use crate::{Lang, verdict};

/// More rows than this are folded away.
const SHOWN: usize = 10;

/// Nothing without checks.
pub(super) fn block(run: &RunResult, lang: Lang) -> String {
    let all = run.gate.checks.len();
    if all == 0 {
        return String::new();
    }
    let open: Vec<&CheckLine> =
        run.gate.checks.iter().filter(|line| line.result != CheckResult::Pass).collect();
    let passed = all - open.len();
    let count =
        lang.pick(format!("{passed} of {all} checks passed."), format!("{all} 项检查中 {passed} 项通过。"));
    match open.len() {
        0 => count,
        n if n <= SHOWN => format!("{count}\n\n{}", table(&open, lang)),
        n => {
            let summary = lang.pick(format!("{n} did not pass"), format!("{n} 项未通过"));
            // The blank lines make Markdown of what stands between the tags.
            format!(
                "{count}\n\n<details><summary>{summary}</summary>\n\n{}\n\n</details>",
                table(&open, lang)
            )
        }
    }
}

fn table(open: &[&CheckLine], lang: Lang) -> String {
    let baseline = open.iter().any(|line| line.baseline.is_some());
    let names = lang.pick(
        ["result", "check", "stage", "level", "measured", "limit", "baseline", "n", "reason"],
        ["结果", "检查", "级别", "等级", "实测", "限值", "基线", "n", "原因"],
    );
    let mut rows = vec![names.map(str::to_owned).to_vec()];
    rows.push(
        ["---", "---", "---", "---", "---:", "---:", "---:", "---:", "---"].map(str::to_owned).to_vec(),
    );
    rows.extend(open.iter().map(|line| row(line, lang)));
    if !baseline {
        rows.iter_mut().for_each(|row| drop(row.remove(BASELINE)));
    }
    rows.iter().map(|row| self::line(row)).collect::<Vec<_>>().join("\n")
}

/// Where `baseline` stands in a row.
const BASELINE: usize = 6;

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
        of.n.to_string(),
        verdict::reason(of, lang).as_deref().map(prose).unwrap_or_default(),
    ]
}

/// A line of a table.
pub(super) fn line(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}
