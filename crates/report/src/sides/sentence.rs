//! The conclusion's sentence about the two sides.

use measure::metric::Unit;
use measure::result::RunResult;

use super::compared;
use super::table::{A, B, between, shown};
use crate::Lang;
use crate::comparison::{COLUMNS, Column, Comparison, Group};
use crate::load;
use crate::number::duration;

/// What A is against B at the highest level that both ran; `None` of a run with one side.
pub(crate) fn against(run: &RunResult, lang: Lang) -> Option<String> {
    let other = run.against.as_ref()?;
    let model = other.model.as_ref().filter(|model| run.model.as_ref() != Some(*model));
    let model =
        model.map_or(String::new(), |model| lang.pick(format!(", model {model}"), format!("，模型 {model}")));
    let who = lang.pick(
        format!("A is compared with B ({}{model}), by turns in the same run", other.base_url),
        format!("A 与 B（{}{model}）在同一次运行中轮流测量", other.base_url),
    );
    let found = compared(run, |of| at_highest(of, lang)).flatten();
    Some(match found {
        Some(found) => lang.pick(format!("{who}. {found}"), format!("{who}。{found}")),
        None => lang.pick(
            format!("{who}; at no level was anything measured on both, so that there is nothing to compare."),
            format!("{who}；没有双方都测得数据的级别，无从比较。"),
        ),
    })
}

fn at_highest(of: &Comparison<'_>, lang: Lang) -> Option<String> {
    let group = of.common()?;
    // What people feel comes first, what they pay for after it.
    let (rates, times): (Vec<&Column>, Vec<&Column>) = COLUMNS
        .iter()
        .filter(|column| shown(column, group))
        .partition(|column| column.unit() == Unit::PerSecond);
    let columns = times.into_iter().chain(rates);
    let told: Vec<String> = columns.filter_map(|column| told(column, group, lang)).collect();
    if told.is_empty() {
        return None;
    }
    let level = load::level(group.level()?, lang);
    let told = told.join(lang.pick("; ", "；"));
    let few = match group
        .difference()
        .is_some_and(|difference| difference.of.values().any(|of| of.interval.is_some()))
    {
        true => "",
        false => lang.pick(
            " Fewer than five pairs of blocks say too little to tell any of this from chance.",
            "成对时段不足五对，无法与偶然区分。",
        ),
    };
    Some(lang.pick(format!("At {level} A has {told}.{few}"), format!("{level}时，A 的 {told}。{few}")))
}

/// `a TTFT P50 of 61 ms against 51 ms, +20% (+19% to +21%)`.
fn told(column: &Column, group: &Group<'_>, lang: Lang) -> Option<String> {
    let value = |side: usize| column.value(group.stages[side]?);
    let (a, b) = (text(column, value(A)?), text(column, value(B)?));
    let name = match column.percentile {
        "" => full_name(column, lang).to_owned(),
        percentile => {
            let name = format!("{} {}", column.name(lang), percentile.to_uppercase());
            lang.pick(name.clone(), name + " ")
        }
    };
    let change = column.change(group, A)?.brief(column.unit());
    let interval = column.range(group).map(|ends| between(&ends, lang));
    let by = match (interval, column.is_beyond_chance(group)) {
        (None, _) => lang.pick(format!(", {change}"), format!("，{change}")),
        (Some(interval), true) => {
            lang.pick(format!(", {change} ({interval})"), format!("，{change}（{interval}）"))
        }
        (Some(interval), false) => lang.pick(
            format!(", no difference beyond chance ({interval})"),
            format!("，差异未超出偶然（{interval}）"),
        ),
    };
    Some(lang.pick(format!("{name} {a} against {b}{by}"), format!("{name}为 {a}，B 为 {b}{by}")))
}

fn full_name(column: &Column, lang: Lang) -> &'static str {
    match column.metric.name() {
        "output_tokens_per_s" => lang.pick("output", "输出吞吐"),
        "success_rate" => lang.pick("success", "成功率"),
        "http_429_ratio" => lang.pick("429 ratio", "429 比例"),
        "http_5xx_ratio" => lang.pick("5xx ratio", "5xx 比例"),
        _ => column.name(lang),
    }
}

fn text(column: &Column, value: f64) -> String {
    match column.unit() {
        Unit::Milliseconds => duration(Some(value)),
        Unit::PerSecond => format!("{} tokens/s", column.show(Some(value))),
        Unit::Ratio | Unit::Count => column.show(Some(value)),
    }
}
