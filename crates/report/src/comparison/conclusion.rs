//! The comparison in full sentences: first why it is none, then who held most, who was faster and who broke first. One
//! table of rules, each a sentence or nothing.

use measure::metric::{Better, Unit};
use measure::result::StageResult;
use measure::{Amount, LoadUnit, Metric};

use super::caveat::{self, names, quoted};
use super::{COLUMNS, Column, Comparison, Side, has_started};
use crate::lang::capitalised;
use crate::number::{duration, percent};
use crate::{Lang, load};

/// Values closer than this share are alike.
const ALIKE: f64 = 0.05;

type Rule = fn(&Comparison<'_>, Lang) -> Option<String>;

/// The sentences in order.
const RULES: &[Rule] = &[
    caveat::unfinished,
    caveat::other_workload,
    caveat::two_sides,
    caveat::saturated,
    caveat::no_common_level,
    held,
    |of, lang| ranked(of, Metric::Ttft, lang),
    |of, lang| ranked(of, Metric::Tpot, lang),
    |of, lang| ranked(of, Metric::OutputTokensPerS, lang),
    broke,
];

/// All sentences that apply.
pub fn conclusion(of: &Comparison<'_>, lang: Lang) -> String {
    let sentences: Vec<String> = RULES.iter().filter_map(|rule| rule(of, lang)).collect();
    sentences.join(lang.pick(" ", ""))
}

/// Which run holds the highest level.
fn held(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    let unit = of.unit()?;
    let held: Vec<(&Side<'_>, Option<Amount>)> =
        of.measured().map(|(_, side)| (side, side.run.ladder.last_ok)).collect();
    let best = held.iter().filter_map(|(_, at)| *at).max_by(|one, other| one.get().total_cmp(&other.get()));
    let Some(best) = best else {
        return (held.len() > 1)
            .then(|| lang.pick("No run held any level.", "没有运行能稳定承受任何级别。").to_owned());
    };
    let (first, rest): (Vec<_>, Vec<_>) = held.into_iter().partition(|(_, at)| *at == Some(best));
    let (who, level) = (names(first.into_iter().map(|(side, _)| side), lang), in_words(unit, best, lang));
    let rest: Vec<String> = rest
        .into_iter()
        .map(|(side, at)| match at {
            Some(at) => format!("{} {}", quoted(side), in_words(unit, at, lang).trim_end()),
            None => format!("{} {}", quoted(side), lang.pick("none", "无")),
        })
        .collect();
    let against = rest.join(lang.pick(", ", "、"));
    Some(match against.is_empty() {
        true => lang.pick(format!("Held up to {level}: {who}."), format!("可稳定承受{level}的有：{who}。")),
        false => lang.pick(
            format!("{who} held the highest level, {level}; {against}."),
            format!("{who}稳定承受的级别最高：{}；{against}。", level.trim_end()),
        ),
    })
}

/// Who is better at the highest level that all ran, with the numbers of all.
fn ranked(of: &Comparison<'_>, metric: Metric, lang: Lang) -> Option<String> {
    let group = of.common()?;
    let column =
        COLUMNS.iter().find(|column| column.metric == metric && matches!(column.percentile, "" | "p95"))?;
    let mut values: Vec<(&Side<'_>, &StageResult, f64)> = of
        .runs()
        .iter()
        .zip(&group.stages)
        .filter_map(|(side, stage)| Some((side, (*stage)?, column.value((*stage)?)?)))
        .collect();
    values.sort_by(|one, other| one.2.total_cmp(&other.2));
    if metric.better() == Some(Better::Higher) {
        values.reverse();
    }
    let (best, worst) = (values.first()?, values.last()?);
    if values.len() < 2 {
        return None;
    }
    let name = match column.percentile {
        "" => lang.pick("the output", "输出吞吐").to_owned(),
        percentile => {
            let name = format!("{} {}", column.name(lang), percentile.to_uppercase());
            lang.pick(name.clone(), format!(" {name} "))
        }
    };
    let place = lang.pick("At ", "").to_owned() + &load::level(group.level()?, lang);
    let told: Vec<String> =
        values.iter().map(|(side, stage, value)| told(column, side, stage, *value, lang)).collect();
    let alike = (best.2 - worst.2).abs() <= ALIKE * best.2.abs().max(worst.2.abs());
    if alike {
        let all = told.join(lang.pick(", ", "、"));
        return Some(
            lang.pick(format!("{place} {name} is alike: {all}."), format!("{place}时{name}相近：{all}。")),
        );
    }
    let most = match metric.better() {
        Some(Better::Higher) => lang.pick("highest", "最高"),
        Some(Better::Lower) | None => lang.pick("lowest", "最低"),
    };
    let all = told.join(lang.pick("; ", "；"));
    Some(
        lang.pick(
            format!("{place} {name} is {most} with {all}."),
            format!("{place}时{name}{most}的是{all}。"),
        ),
    )
}

fn told(column: &Column, side: &Side<'_>, stage: &StageResult, value: f64, lang: Lang) -> String {
    let text = match column.unit() {
        Unit::Milliseconds => duration(Some(value)),
        Unit::Ratio | Unit::PerSecond | Unit::Count => format!("{} tokens/s", column.show(Some(value))),
    };
    let few = column.weak_n(stage).map_or(String::new(), |n| {
        lang.pick(format!(" (of {n} requests only)"), format!("（仅 {n} 个请求）"))
    });
    // A server that refuses most requests may be quick with the others.
    let part = stage.success_rate.filter(|rate| *rate < 0.99 && column.unit() == Unit::Milliseconds);
    let part = part.map_or(String::new(), |rate| {
        let share = percent(Some(rate));
        lang.pick(format!(" (of the {share} that succeeded)"), format!("（仅计成功的 {share}）"))
    });
    format!("{} {text}{few}{part}", quoted(side))
}

/// From which level on each run is refused or meets server errors; the lowest first.
fn broke(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    let unit = of.unit()?;
    let first: Vec<(&Side<'_>, Option<&StageResult>)> = of
        .measured()
        .map(|(_, side)| {
            let rungs = load::rungs(side.run).into_iter().filter(|stage| has_started(stage));
            (side, rungs.into_iter().find(|stage| stage.http_429 + stage.http_5xx > 0))
        })
        .collect();
    let (clean, broken): (Vec<_>, Vec<_>) = first.into_iter().partition(|(_, at)| at.is_none());
    if broken.is_empty() {
        return (clean.len() > 1).then(|| {
            lang.pick("No run met 429 or 5xx on its ladder.", "各运行的阶梯上均未出现 429 与 5xx。")
                .to_owned()
        });
    }
    let mut broken: Vec<(&Side<'_>, &StageResult)> =
        broken.into_iter().filter_map(|(side, at)| Some((side, at?))).collect();
    broken.sort_by(|one, other| load::amount(one.1).total_cmp(&load::amount(other.1)));
    let of_each: Vec<String> = broken
        .iter()
        .map(|(side, stage)| {
            let level = in_words(unit, stage.level().amount(), lang);
            let (refused, broke) = (percent(stage.http_429_ratio), percent(stage.http_5xx_ratio));
            lang.pick(
                format!("{} at {level} (429 {refused}, 5xx {broke})", quoted(side)),
                format!("{}在{}（429 {refused}，5xx {broke}）", quoted(side), level.trim_end()),
            )
        })
        .collect();
    let all = of_each.join(lang.pick(", then ", "，其次"));
    let clean = names(clean.into_iter().map(|(side, _)| side), lang);
    let others = match clean.is_empty() {
        true => String::new(),
        false => lang.pick(format!("; none for {clean}"), format!("；{clean}没有")),
    };
    Some(lang.pick(
        format!("429 or 5xx begin first for {all}{others}."),
        capitalised(&format!("最先出现 429 或 5xx：{all}{others}。")),
    ))
}

fn in_words(unit: LoadUnit, amount: Amount, lang: Lang) -> String {
    load::level(load::of_unit(unit, amount), lang)
}
