//! Several runs side by side, for a comment on a change: conclusion, the numbers with their changes, what differs.

use super::checks::line;
use super::inert::{code, escaped, prose};
use crate::Lang;
use crate::comparison::{self, Comparison, facts, uncertainty};
use crate::plain::paragraphs;

/// The comparison as Markdown.
pub fn comparison(of: &Comparison<'_>, lang: Lang) -> String {
    paragraphs(&[
        title(of, lang),
        prose(&comparison::conclusion(of, lang)),
        table(of, lang),
        legend(of, lang),
        differences(of, lang),
    ])
}

fn title(of: &Comparison<'_>, lang: Lang) -> String {
    let labels: Vec<String> = of.runs().iter().map(|side| code(&side.label)).collect();
    format!("## {}{}", lang.pick("Comparison: ", "对比："), labels.join(lang.pick(", ", "、")))
}

/// Nothing where no stage ran.
fn table(of: &Comparison<'_>, lang: Lang) -> String {
    if of.groups().is_empty() {
        return String::new();
    }
    let names = lang.pick(["load", "run"], ["负载", "运行"]).map(str::to_owned);
    let head: Vec<String> = names.into_iter().chain(comparison::head(lang)).collect();
    let rule: Vec<String> =
        (0..head.len()).map(|at| if at < 2 { "---" } else { "---:" }.to_owned()).collect();
    let rows = of.groups().iter().flat_map(|group| {
        let numbers = comparison::rows(of, group).into_iter();
        // A star is a mark of the text otherwise.
        let numbers = numbers.map(|cells| cells.into_iter().map(|cell| escaped(cell).replace('*', "\\*")));
        let load = prose(&group.title(lang));
        let rows = of.runs().iter().zip(numbers).zip(&group.stages);
        // A run that did not go there has nothing to show.
        let rows = rows.enumerate().filter(|(_, (_, stage))| stage.is_some());
        rows.map(move |(index, ((side, cells), _))| {
            let remarks: Vec<&str> =
                group.remarks(index).into_iter().map(|remark| remark.words(lang)).collect();
            let name = code(&side.label) + &in_brackets(&remarks, lang);
            [load.clone(), name].into_iter().chain(cells).collect::<Vec<_>>()
        })
    });
    [head, rule].into_iter().chain(rows).map(|row| line(&row)).collect::<Vec<_>>().join("\n")
}

fn in_brackets(remarks: &[&str], lang: Lang) -> String {
    match remarks.is_empty() {
        true => String::new(),
        false => lang.pick(format!(" ({})", remarks.join(", ")), format!("（{}）", remarks.join("，"))),
    }
}

fn legend(of: &Comparison<'_>, lang: Lang) -> String {
    if of.groups().is_empty() {
        return String::new();
    }
    let marks = lang.pick(
        "Times in ms; pp: percentage points; ✓ better, ✗ worse; \\* too few requests behind this percentile.",
        "时间单位为毫秒；pp 为百分点；✓ 变好，✗ 变差；\\* 样本过少。",
    );
    marks.to_owned() + lang.pick(" ", "") + uncertainty(of, lang)
}

/// A line per fact that is not the same in all runs.
fn differences(of: &Comparison<'_>, lang: Lang) -> String {
    let items: Vec<String> = facts(of, lang)
        .into_iter()
        .filter(comparison::Fact::differs)
        .map(|fact| {
            let values: Vec<String> = fact.values.iter().map(|value| code(value)).collect();
            format!("- {}{}{}", fact.name, lang.pick(": ", "："), values.join(" · "))
        })
        .collect();
    match items.is_empty() {
        true => String::new(),
        false => format!("**{}**\n\n{}", lang.pick("What differs", "不同之处"), items.join("\n")),
    }
}
