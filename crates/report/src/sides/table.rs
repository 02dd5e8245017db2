//! The numbers of both sides, each with the change from B to A and how far that can be trusted.

use measure::result::StageResult;

use crate::Lang;
use crate::comparison::{COLUMNS, Column, Comparison, Group, Tone};
use crate::number::UNKNOWN;

/// Where the sides stand in their comparison.
pub(super) const B: usize = 0;
pub(super) const A: usize = 1;

/// The numbers under one load.
pub(crate) struct Block {
    pub(crate) title: String,
    /// Pairs of blocks that both sides ran.
    pub(crate) pairs: u64,
    pub(crate) lines: Vec<Line>,
}

/// One number.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) a: String,
    pub(crate) b: String,
    /// From B to A.
    pub(crate) change: String,
    /// Interval of the change.
    pub(crate) interval: String,
    pub(crate) tone: Tone,
}

/// The numbers that are shown of every stage where there is little room. Ratios are shown where they are not what all
/// hope for.
pub(crate) fn shown(column: &Column, group: &Group<'_>) -> bool {
    let at_best = |best: f64| {
        group.ran().all(|stage| column.value(stage).is_none_or(|value| (value - best).abs() < f64::EPSILON))
    };
    match (column.metric.name(), column.percentile) {
        ("ttft", "p50" | "p95") | ("tpot", "p50") | ("e2e", "p95") | ("output_tokens_per_s", _) => true,
        ("success_rate", _) => !at_best(1.0),
        ("http_429_ratio" | "http_5xx_ratio", _) => !at_best(0.0),
        _ => false,
    }
}

/// Stage by stage, with the numbers that `wanted` picks.
pub(crate) fn blocks(of: &Comparison<'_>, wanted: fn(&Column, &Group<'_>) -> bool, lang: Lang) -> Vec<Block> {
    let block = |group: &Group<'_>| Block {
        title: group.title(lang),
        pairs: group.difference().map_or(0, |difference| difference.pairs),
        lines: COLUMNS
            .iter()
            .filter(|column| wanted(column, group))
            .filter_map(|column| line(column, group, lang))
            .collect(),
    };
    of.groups().iter().map(block).filter(|block| !block.lines.is_empty()).collect()
}

/// Nothing where neither side has the number.
fn line(column: &Column, group: &Group<'_>, lang: Lang) -> Option<Line> {
    let value = |side: usize| group.stages[side].and_then(|stage: &StageResult| column.value(stage));
    value(A).or(value(B))?;
    let change = column.change(group, A);
    Some(Line {
        name: [column.name(lang), column.percentile].join(" ").trim().to_owned(),
        a: column.show(value(A)),
        b: column.show(value(B)),
        change: change.map_or_else(|| UNKNOWN.to_owned(), |change| change.brief(column.unit())),
        interval: column.range(group).map_or_else(|| UNKNOWN.to_owned(), |ends| between(&ends, lang)),
        tone: change.map_or(Tone::Neutral, |change| change.tone),
    })
}

/// `+3% to +9%`.
pub(super) fn between([low, high]: &[String; 2], lang: Lang) -> String {
    lang.pick(format!("{low} to {high}"), format!("{low} 至 {high}"))
}

/// What the columns are, in two sentences.
pub(crate) fn legend(lang: Lang) -> [&'static str; 2] {
    lang.pick(
        [
            "Changes are from B to A, each with its interval over pairs of blocks; one in twenty may miss the truth.",
            "✓ better, ✗ worse: above 5 % (5 points of a share), and the interval leaves no room for chance.",
        ],
        [
            "变化为 A 相对 B，附成对时段的区间；约二十分之一的区间可能未含真值。",
            "✓ 变好，✗ 变差：变化超过 5 %（比例为 5 个百分点），且区间排除偶然。",
        ],
    )
}
