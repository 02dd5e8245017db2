//! Why runs cannot be compared plainly: said before anything else.

use measure::result::{RunResult, RunStatus};

use super::{Comparison, Side};
use crate::{Lang, load};

/// What no comparison of single runs can leave out.
pub fn uncertainty(of: &Comparison<'_>, lang: Lang) -> &'static str {
    let known = |side: &Side<'_>| side.run.stages.iter().any(|stage| !stage.intervals.is_empty());
    if of.runs().iter().all(known) {
        return lang.pick(
            "Changes are against the first run. A change counts as better or worse only above 5 % (5 points of a share), \
             with enough requests behind both percentiles, and where the intervals of both values leave no room for chance; \
             of many changes one in twenty may be chance all the same.",
            "变化以第一个运行为参照。变化超过 5 %（比例为 5 个百分点）、两侧分位数样本足够、且两侧区间排除偶然时才算变好或变差；\
             变化项较多时，仍可能约有二十分之一出于偶然。",
        );
    }
    lang.pick(
        "Changes are against the first run. Not every one of these runs says how uncertain its values are: a change counts as better or worse only \
         above 5 % (5 points of a share) and with enough requests behind both percentiles, and even then it may be chance.",
        "变化以第一个运行为参照。并非所有运行都给出了数值的不确定度：变化超过 5 %（比例为 5 个百分点）且两侧分位数样本足够时才算变好或变差，\
         即便如此也可能出于偶然。",
    )
}

pub(super) fn unfinished(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    let empty = |side: &&Side<'_>| !side.run.stages.iter().any(super::has_started);
    let silent = names(of.runs().iter().filter(empty), lang);
    let cut =
        names(of.runs().iter().filter(|side| !empty(side) && side.run.status != RunStatus::Completed), lang);
    let silent = (!silent.is_empty())
        .then(|| lang.pick(format!("Nothing was measured in {silent}."), format!("{silent}没有测得数据。")));
    let cut = (!cut.is_empty())
        .then(|| lang.pick(format!("Not run to the end: {cut}."), format!("未运行完：{cut}。")));
    joined(silent.into_iter().chain(cut), lang)
}

/// What was sent, and how: where that differs, so may the numbers for that reason alone.
pub(super) fn other_workload(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    let differs = |fact: fn(&RunResult) -> String| {
        of.runs().windows(2).any(|pair| fact(pair[0].run) != fact(pair[1].run))
    };
    let parts: Vec<&str> = [
        (differs(|run| run.scenario.sha256.clone()), lang.pick("scenario", "场景文件")),
        (differs(|run| format!("{:?}", run.scenario.profile)), lang.pick("profile", "配置档")),
        (differs(overrides), lang.pick("settings outside the file", "文件之外的设定")),
        (differs(|run| run.seed.to_string()), lang.pick("seed", "随机种子")),
        (differs(prompts), lang.pick("number of prompts", "提示数量")),
        (differs(|run| run.stream.to_string()), lang.pick("streaming", "流式与否")),
    ]
    .into_iter()
    .filter_map(|(differs, name)| differs.then_some(name))
    .collect();
    (!parts.is_empty()).then(|| {
        let parts = parts.join(lang.pick(", ", "、"));
        lang.pick(
            format!("Not the same in all runs: {parts}; not every difference is the endpoint's."),
            format!("各运行并不相同的有：{parts}；差异不一定来自端点。"),
        )
    })
}

/// What changes the workload beside the target, which is what runs are compared for.
fn overrides(run: &RunResult) -> String {
    let changes = run.scenario.overrides.iter();
    let changes = changes.filter(|change| change.changes_workload && !change.key.starts_with("target."));
    changes.map(|change| format!("{}={};", change.key, change.value)).collect()
}

fn prompts(run: &RunResult) -> String {
    run.load.as_ref().map_or(String::new(), |load| load.distinct_prompts.to_string())
}

/// Runs of two sides are compared by A alone, whose stages were cut into blocks.
pub(super) fn two_sides(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    let names = names(of.runs().iter().filter(|side| side.run.against.is_some()), lang);
    (!names.is_empty()).then(|| {
        lang.pick(
            format!("Of the A/B run {names} only A is compared, which was measured in short blocks, by turns with B."),
            format!("A/B 运行{names}仅比较 A 侧，其数据为与 B 轮流的短时段所测。"),
        )
    })
}

pub(super) fn saturated(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    let sentences = of.runs().iter().filter_map(|side| {
        let saturated = side.run.stages.iter().filter(|stage| stage.client.saturated);
        let places: Vec<String> =
            saturated.map(|stage| load::place(stage, lang).trim_end().to_owned()).collect();
        (!places.is_empty()).then_some(())?;
        let (name, place) = (quoted(side), places.join(lang.pick(", ", "、")));
        Some(lang.pick(
            format!("The load generator of {name} was at its limit {place}; read those numbers with care."),
            format!("{name}在{}时压测机自身达到极限，相应数据需谨慎解读。", place.trim_end()),
        ))
    });
    joined(sentences, lang)
}

pub(super) fn no_common_level(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    if of.measured().count() < 2 || of.common().is_some() {
        return None;
    }
    Some(
        match of.unit() {
            None => lang.pick(
                "Some ladders count users and others requests/s: no level is the same.",
                "有的阶梯以并发计，有的以请求速率计，没有相同的级别。",
            ),
            Some(_) => lang.pick("No level was run by all of them.", "没有所有运行都跑过的级别。"),
        }
        .to_owned(),
    )
}

/// The run by its label.
pub(super) fn quoted(side: &Side<'_>) -> String {
    format!("“{}”", side.label)
}

pub(super) fn names<'a, 'b: 'a>(sides: impl Iterator<Item = &'a Side<'b>>, lang: Lang) -> String {
    sides.map(quoted).collect::<Vec<_>>().join(lang.pick(", ", "、"))
}

fn joined(sentences: impl Iterator<Item = String>, lang: Lang) -> Option<String> {
    let all: Vec<String> = sentences.collect();
    (!all.is_empty()).then(|| all.join(lang.pick(" ", "")))
}
