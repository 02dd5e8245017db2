//! The ladder in sentences: what held, what broke, what ended the climb, what a search proved.

use measure::LoadUnit;
use measure::reach::reached;
use measure::result::{StageResult, StageStatus};
use measure::stage::Side;

use super::faults::{self, Trend};
use super::{Facts, signs, target};
use crate::lang::counted;
use crate::number::{duration, of_check, percent, rate, seconds};
use crate::{Lang, load};

pub(super) fn held(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stage = facts.held?;
    let target = target(facts.run, lang);
    let window = seconds(stage.window_s);
    let what = match stage.level().unit() {
        LoadUnit::Users => lang.pick("concurrency ", "").to_owned() + &load::point(stage.level(), lang),
        LoadUnit::RequestsPerS => load::level(stage.level(), lang),
    };
    let e2e = duration(stage.e2e_ms.p95);
    let ttft = match stage.ttft_ms.p95 {
        Some(ttft) => lang.pick(
            format!(" and a TTFT P95 of {}", duration(Some(ttft))),
            format!("、TTFT P95 {}", duration(Some(ttft))),
        ),
        None => String::new(),
    };
    let (success, answered) = (percent(stage.success_rate), answered(stage, lang));
    Some(lang.pick(
        format!(
            "{target}: {what} held for {window} s with no 429, {success} success, {answered}, a response time P95 of \
             {e2e}{ttft}."
        ),
        format!("{target}：{what}稳定运行 {window} 秒，无 429，成功率 {success}，{answered}，响应时间 P95 {e2e}{ttft}。"),
    ))
}

/// What came of the load, beside what was offered where that is a rate itself.
fn answered(stage: &StageResult, lang: Lang) -> String {
    let qps = rate(stage.qps);
    if !load::is_open(stage) {
        return lang.pick(format!("{qps} requests/s"), format!("{qps} 请求/秒"));
    }
    let dropped = match stage.counts.dropped {
        0 => String::new(),
        n => lang.pick(
            format!(", {n} of {} dropped", counted(stage.counts.planned, "request")),
            format!("，{} 个请求中有 {n} 个被丢弃", stage.counts.planned),
        ),
    };
    lang.pick(format!("{qps} answered per second{dropped}"), format!("每秒完成 {qps} 个{dropped}"))
}

pub(super) fn broke(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stage = facts.broke?;
    let level = stage.level();
    let below = facts.held.filter(|held| load::amount(held) < load::amount(stage));
    let between = match (below, facts.held) {
        (Some(held), _) => {
            let between = load::between(held.level(), level, lang);
            lang.pick(format!(", so the limit lies between {between}"), format!("，上限在{between}之间"))
        }
        // What broke at less and held at more is no limit.
        (None, Some(held)) => {
            let held = load::bare(held.level(), lang);
            lang.pick(
                format!(", although {held} held: this run shows no limit"),
                format!("，但{}却稳定：本次运行未显示上限", held.trim()),
            )
        }
        (None, None) => {
            let bare = load::bare(level, lang);
            lang.pick(
                format!(", so the limit lies at or below {bare}"),
                format!("，上限不高于{}", bare.trim_end()),
            )
        }
    };
    if stage.http_429 > 0 {
        return Some(refusals(facts, stage, &between, lang));
    }
    if stage.success_rate.is_some_and(|rate| rate < 0.99) {
        return Some(failures(stage, &between, lang));
    }
    if broke_by_drops(stage) {
        // Where the client's slots ran out, the endpoint's limit is not known.
        let by_endpoint = measure::reach::shortfall(stage).is_some_and(|short| short.grew.is_some());
        return signs::unreached_at(stage, if by_endpoint { &between } else { "" }, lang);
    }
    let (at, missed) = (load::point(level, lang), missed_objective(facts, stage, lang));
    Some(lang.pick(
        format!("At {at} {missed}{between}: latency."),
        format!("{at}时 {missed}{between}（时延问题）。"),
    ))
}

/// Capacity only where more load brings more 429.
fn refusals(facts: &Facts<'_>, stage: &StageResult, between: &str, lang: Lang) -> String {
    let (at, ratio) = (load::point(stage.level(), lang), percent(stage.http_429_ratio));
    let first = facts.rungs.first().is_some_and(|rung| rung.name == stage.name);
    match (faults::trend(facts, stage), first) {
        (Trend::Flat, _) => lang.pick(
            format!(
                "429 was there from the first level ({ratio} of the attempts at {at}) and does not depend on the load: a \
                 quota or a rule, not concurrency."
            ),
            format!("429 从最低一级就存在（{at}时占 {ratio}），与负载无关：属于配额或规则限制，而非并发上限。"),
        ),
        (Trend::Rises, false) => lang.pick(
            format!("At {at} the 429 ratio rose to {ratio}{between}: capacity."),
            format!("{at}时 429 占比升至 {ratio}{between}（容量问题）。"),
        ),
        (Trend::Rises, true) | (Trend::Unknown, _) => lang.pick(
            format!("At {at} the 429 ratio was {ratio}{between}: capacity."),
            format!("{at}时 429 占比为 {ratio}{between}（容量问题）。"),
        ),
    }
}

/// Whether what ended at this rung is the client's slots, and nothing else is worse.
pub(super) fn broke_by_drops(stage: &StageResult) -> bool {
    let answered = stage.http_429 == 0 && stage.success_rate.is_some_and(|rate| rate >= 0.99);
    answered && stage.status == StageStatus::Complete && !reached(stage)
}

fn failures(stage: &StageResult, between: &str, lang: Lang) -> String {
    let (at, success) = (load::point(stage.level(), lang), percent(stage.success_rate));
    let worst = stage.errors.iter().max_by_key(|error| error.count);
    let Some(class) = worst.map(|error| error.class.as_str()) else {
        return lang.pick(
            format!("At {at} success fell to {success}{between}."),
            format!("{at}时成功率降至 {success}{between}。"),
        );
    };
    let why = faults::whose(class, lang);
    let between = if faults::bounds_load(class) { between } else { "" };
    lang.pick(
        format!("At {at} success fell to {success}, mostly by `{class}`{between}: {why}."),
        format!("{at}时成功率降至 {success}，主要错误为 `{class}`{between}（{why}）。"),
    )
}

/// The first objective that the stage missed. Who reads a saved result does not know the limits, only that one was.
fn missed_objective(facts: &Facts<'_>, stage: &StageResult, lang: Lang) -> String {
    let measured = [("TTFT", stage.ttft_ms.p95), ("TPOT", stage.tpot_ms.p95), ("E2E", stage.e2e_ms.p95)];
    let missed = facts.objectives.iter().zip(measured).find_map(|(limit, (name, value))| {
        let (limit, value) = (measure::offset::milliseconds((*limit)?), value?);
        (value > limit).then(|| format!("{name} P95 = {} > {}", duration(Some(value)), duration(Some(limit))))
    });
    missed.unwrap_or_else(|| lang.pick("a P95 missed its objective", "有 P95 未达到目标").to_owned())
}

/// The stop rule that ended the climb.
pub(super) fn stopped(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stop = facts.run.stop.as_ref()?;
    let (check, at) = (&stop.check, seconds(stop.at_s));
    let value = of_check(check, stop.value);
    let stage = facts.run.stages.iter().find(|stage| stage.name == stop.stage)?;
    let (on_the_way, when) = match load::way(stage) {
        None => lang.pick(("", ""), ("", "时")),
        Some(_) => lang.pick(("on the way ", ""), ("", "的途中")),
    };
    let place = format!("{on_the_way}{}{when}", load::place(stage, lang));
    let check = match stop.side {
        Some(Side::B) => {
            lang.pick(format!("`{check}` did not hold on B"), format!("B 侧 `{check}` 不再成立"))
        }
        Some(Side::A) => {
            lang.pick(format!("`{check}` did not hold on A"), format!("A 侧 `{check}` 不再成立"))
        }
        None => lang.pick(format!("`{check}` did not hold"), format!("`{check}` 不再成立")),
    };
    Some(lang.pick(
        format!("The climb was ended {place}, {at} s into the run: {check} ({value} over 10 s)."),
        format!("运行到第 {at} 秒、{place}停止加压：{check}（最近 10 秒为 {value}）。"),
    ))
}

/// The interval that the search proved.
pub(super) fn searched(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let search = facts.run.search.as_ref()?;
    let level = |amount: u32| load::of_unit(search.unit, measure::Amount(f64::from(amount)));
    let full = |amount| load::level(level(amount), lang);
    if let Some(amount) = search.undecided {
        return Some(lang.pick(
            format!(
                "The search ended at {} without a decision: too little was measured there, or the load generator was \
                 at its limit.",
                full(amount)
            ),
            format!("搜索在{}处无法判定：测得的数据太少，或压测机已达极限。", full(amount)),
        ));
    }
    let (between, bare) = (load::between(level(search.low), level(search.high), lang), |amount| {
        load::bare(level(amount), lang)
    });
    Some(match (search.holds, search.breaks) {
        (Some(holds), Some(breaks)) => lang.pick(
            format!("The search between {between}: holds at {}, breaks at {}.", bare(holds), bare(breaks)),
            format!("在{between}之间搜索：{}可以稳定运行，{}越限。", full(holds), bare(breaks).trim_start()),
        ),
        (Some(holds), None) => lang.pick(
            format!("The search found no break up to {}.", bare(holds)),
            format!("搜索直到{}均未越限。", full(holds)),
        ),
        (None, Some(breaks)) => lang.pick(
            format!("The search found that {} already break the checks.", full(breaks)),
            format!("搜索发现{}已经越限。", full(breaks)),
        ),
        (None, None) => return None,
    })
}

pub(super) fn nothing_broke(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let held = facts.held.filter(|_| facts.broke.is_none())?;
    let point = load::point(held.level(), lang);
    (facts.rungs.len() > 1)
        .then(|| lang.pick(format!("No rung up to {point} broke."), format!("直到{point}均未出现瓶颈。")))
}
