//! Levels of load in words: users of a closed loop, requests per second of an open one, ramps between two of them.
//! Every sentence, table and chart takes its words from here. Chinese phrases that end in a number end in the space that
//! stands between it and the text that follows.

use measure::result::{RunResult, StageResult, StageStatus};
use measure::{Amount, Level, LoadUnit};

use crate::Lang;

/// A level by its number and unit: `20 users`, `12.5 requests/s`; `并发 20`, `每秒 12.5 个请求`.
pub fn level(level: Level, lang: Lang) -> String {
    let amount = level.amount();
    match level {
        Level::Users(1) => lang.pick("1 user".to_owned(), "并发 1 ".to_owned()),
        Level::Users(_) => lang.pick(format!("{amount} users"), format!("并发 {amount} ")),
        Level::Rate(_) => lang.pick(format!("{amount} requests/s"), format!("每秒 {amount} 个请求")),
    }
}

/// A level where the sentence has said before that users are meant: `20`, `12.5 requests/s`; `并发 20`, `每秒 12.5 个请求`.
pub fn point(of: Level, lang: Lang) -> String {
    match of {
        Level::Users(users) => lang.pick(users.to_string(), format!("并发 {users} ")),
        Level::Rate(_) => level(of, lang),
    }
}

/// Two levels of one kind, the unit once: `20 to 50 users`, `10 to 12.5 requests/s`; `并发从 20 到 50`, `请求速率从每秒 10 到
/// 12.5 个`.
pub fn span(low: Level, high: Level, lang: Lang) -> String {
    let from = low.amount();
    match high {
        Level::Users(users) => {
            lang.pick(format!("{from} to {users} users"), format!("并发从 {from} 到 {users} "))
        }
        Level::Rate(_) => {
            let to = high.amount();
            lang.pick(format!("{from} to {to} requests/s"), format!("请求速率从每秒 {from} 到 {to} 个"))
        }
    }
}

/// Where the limit lies: `20 and 50`, `10 and 12.5 requests/s`; ` 20 与 50 `, `每秒 10 与 12.5 个请求`.
pub fn between(low: Level, high: Level, lang: Lang) -> String {
    let (low, to) = (low.amount(), high.amount());
    match high.unit() {
        LoadUnit::Users => lang.pick(format!("{low} and {to}"), format!(" {low} 与 {to} ")),
        LoadUnit::RequestsPerS => {
            lang.pick(format!("{low} and {to} requests/s"), format!("每秒 {low} 与 {to} 个请求"))
        }
    }
}

/// Users by their number alone, set off in Chinese text: `20`, ` 20 `; a rate as [`level()`] says it.
pub fn bare(of: Level, lang: Lang) -> String {
    match of {
        Level::Users(users) => lang.pick(users.to_string(), format!(" {users} ")),
        Level::Rate(_) => level(of, lang),
    }
}

/// Where a stage stood: `at 20 users`, or on its way: `from 0 to 100 users`; `并发 20`, `并发从 0 到 100`.
pub fn place(stage: &StageResult, lang: Lang) -> String {
    match way(stage) {
        Some((from, to)) => lang.pick("from ", "").to_owned() + &span(from, to, lang),
        None => lang.pick("at ", "").to_owned() + &level(stage.level(), lang),
    }
}

/// A stage's load by itself: `20 users`, `0 to 100 users`.
pub fn stage(stage: &StageResult, lang: Lang) -> String {
    let text = match way(stage) {
        Some((from, to)) => span(from, to, lang),
        None => level(stage.level(), lang),
    };
    text.trim_end().to_owned()
}

/// Both ends of a ramp; `None` for a step, and for a ramp that stays where it is.
pub fn way(stage: &StageResult) -> Option<(Level, Level)> {
    let to = stage.level();
    let from = stage.ramp_from.filter(|from| *from != to.amount())?;
    Some((to.with(from.get()), to))
}

/// The stage where the load was highest: one that stayed there, else the first that came there.
pub fn highest<'a>(stages: &[&'a StageResult]) -> Option<&'a StageResult> {
    let rank = |stage: &StageResult| (top(stage), way(stage).is_none());
    stages.iter().copied().reduce(|one, other| if rank(other) > rank(one) { other } else { one })
}

/// The highest level of a stage.
pub fn top(stage: &StageResult) -> f64 {
    stage.ramp_from.map_or(0.0, Amount::get).max(amount(stage))
}

/// A stage's load in a table: `20`, `12.5/s`, `0 ~> 100`, `1 ~> 50/s`.
pub fn cell(stage: &StageResult) -> String {
    let from = stage.ramp_from.map(|from| format!("{from} ~> ")).unwrap_or_default();
    let unit = match stage.level().unit() {
        LoadUnit::Users => "",
        LoadUnit::RequestsPerS => "/s",
    };
    format!("{from}{}{unit}", stage.level().amount())
}

/// Head of the column that holds [`cell()`]: what all stages have in common.
pub fn column(run: &RunResult, lang: Lang) -> &'static str {
    match unit(run) {
        Some(LoadUnit::Users) => lang.pick("users", "并发"),
        Some(LoadUnit::RequestsPerS) => lang.pick("rate", "速率"),
        None => lang.pick("load", "负载"),
    }
}

/// The unit of all stages; `None` where they differ.
pub fn unit(run: &RunResult) -> Option<LoadUnit> {
    let first = run.stages.first().map_or(LoadUnit::Users, |stage| stage.level().unit());
    run.stages.iter().all(|stage| stage.level().unit() == first).then_some(first)
}

/// Whether a stage is an open loop.
pub fn is_open(stage: &StageResult) -> bool {
    stage.level().unit() == LoadUnit::RequestsPerS
}

/// A number of the unit as a level.
pub fn of_unit(unit: LoadUnit, amount: Amount) -> Level {
    match unit {
        LoadUnit::Users => Level::Users(0).with(amount.get()),
        LoadUnit::RequestsPerS => Level::Rate(amount.get()),
    }
}

/// What `boundary` counts: the search may have gone by another unit than the ladder.
pub fn boundary_unit(run: &RunResult) -> LoadUnit {
    run.search.as_ref().map_or(run.ladder.unit, |search| search.unit)
}

/// The rungs that ran, from the lowest level to the highest: those of the ladder and of a search by the same unit.
pub fn rungs(run: &RunResult) -> Vec<&StageResult> {
    let mut rungs: Vec<_> = run.stages.iter().filter(|stage| is_rung(run, stage)).collect();
    // A search jumps; what is told goes from little load to much.
    rungs.sort_by(|one, other| amount(one).total_cmp(&amount(other)));
    rungs
}

/// Whether a stage is one of [`rungs()`].
pub fn is_rung(run: &RunResult, stage: &StageResult) -> bool {
    let unit = stage.level().unit() == run.ladder.unit;
    stage.status != StageStatus::Skipped && stage.is_step() && unit
}

/// The number of a stage's level.
pub fn amount(stage: &StageResult) -> f64 {
    stage.level().amount().get()
}

/// The loop of a stage in a few words: `closed loop`, `open loop, poisson arrivals, at most 100 in flight`.
pub fn manner(stage: &StageResult, lang: Lang) -> String {
    match is_open(stage) {
        true => lang.pick("open loop, ", "开环，").to_owned() + &arrivals(stage, lang),
        false => lang.pick("closed loop", "闭环").to_owned(),
    }
}

/// The same in a word or two: `closed loop`, `open loop, poisson`.
pub fn mark(stage: &StageResult, lang: Lang) -> String {
    match (is_open(stage), stage.arrival.as_deref()) {
        (false, _) => lang.pick("closed loop", "闭环").to_owned(),
        (true, None) => lang.pick("open loop", "开环").to_owned(),
        (true, Some(arrival)) => lang.pick("open loop, ", "开环，").to_owned() + arrival,
    }
}

/// How the requests of an open loop follow one another: `poisson arrivals, at most 100 in flight`.
pub fn arrivals(stage: &StageResult, lang: Lang) -> String {
    let name = stage.arrival.as_deref().unwrap_or_default();
    let burstiness = stage.burstiness.map_or(String::new(), |shape| {
        lang.pick(format!(" (burstiness {shape})"), format!("（burstiness {shape}）"))
    });
    let most = stage.max_in_flight.map_or(String::new(), |most| {
        lang.pick(format!(", at most {most} in flight"), format!("，同时进行最多 {most} 个"))
    });
    lang.pick(format!("{name} arrivals{burstiness}{most}"), format!("{name} 到达{burstiness}{most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_said_with_its_unit_in_both_languages() {
        let (users, rate) = (Level::Users(20), Level::Rate(12.5));
        let said = |say: fn(Level, Lang) -> String, of| Lang::ALL.map(|lang| say(of, lang));
        assert_eq!(said(level, users), ["20 users", "并发 20 "]);
        assert_eq!(said(level, rate), ["12.5 requests/s", "每秒 12.5 个请求"]);
        assert_eq!(said(level, Level::Users(1)), ["1 user", "并发 1 "]);
        assert_eq!(said(point, users), ["20", "并发 20 "]);
        assert_eq!(said(point, rate), ["12.5 requests/s", "每秒 12.5 个请求"]);
    }

    #[test]
    fn two_levels_share_their_unit() {
        let rates = (Level::Rate(10.0), Level::Rate(12.5));
        let said =
            |say: fn(Level, Level, Lang) -> String, (low, high)| Lang::ALL.map(|lang| say(low, high, lang));
        assert_eq!(said(span, (Level::Users(5), Level::Users(20))), ["5 to 20 users", "并发从 5 到 20 "]);
        assert_eq!(said(span, rates), ["10 to 12.5 requests/s", "请求速率从每秒 10 到 12.5 个"]);
        assert_eq!(said(between, rates), ["10 and 12.5 requests/s", "每秒 10 与 12.5 个请求"]);
    }
}
