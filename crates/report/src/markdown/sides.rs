//! A against B of an A/B run, stage by stage.

use measure::result::RunResult;

use super::checks::line;
use super::inert::{escaped, prose};
use crate::{Lang, sides};

/// Nothing of a run with one side.
pub(super) fn block(run: &RunResult, lang: Lang) -> String {
    let blocks = sides::compared(run, |of| sides::blocks(of, sides::shown, lang)).unwrap_or_default();
    if blocks.is_empty() {
        return String::new();
    }
    let head = lang
        .pick(["load", "number", "A", "B", "change", "interval"], ["负载", "数值", "A", "B", "变化", "区间"]);
    let rule = ["---", "---", "---:", "---:", "---:", "---:"];
    let rows = blocks.iter().flat_map(|block| {
        block.lines.iter().map(|number| {
            let change = format!("{} {}", number.change, number.tone.mark());
            let cells = [&number.a, &number.b, change.trim_end(), &number.interval]
                .map(|cell| escaped(cell.to_owned()));
            let names = [prose(&block.title), prose(&number.name)];
            line(&names.into_iter().chain(cells).collect::<Vec<_>>())
        })
    });
    let table = [head, rule].map(|row| line(&row.map(str::to_owned))).into_iter().chain(rows);
    let title = lang.pick("**A against B**", "**A 相对 B**");
    [title, &table.collect::<Vec<_>>().join("\n"), &sides::legend(lang).join(lang.pick(" ", ""))].join("\n\n")
}
