//! How the load was applied: the loops, and what came before, between and after the stages. One row per kind of thing.

use measure::Amount;
use measure::result::{CancelLine, LoadLine, RetryLine, RunResult, StageResult};

use super::text::Text;
use crate::{Lang, load};

pub(super) fn rows(run: &RunResult) -> Vec<(Text, Text)> {
    let mut rows = loops(run);
    rows.extend(users(run));
    rows.extend(run.load.iter().map(|load| prompts(run, load)));
    rows.extend(run.load.iter().flat_map(policies));
    rows
}

/// A row per kind of loop, and one for ramps.
fn loops(run: &RunResult) -> Vec<(Text, Text)> {
    let mut kinds: Vec<(Text, Vec<&StageResult>)> = Vec::new();
    for stage in &run.stages {
        let kind = Text::of(|lang| load::manner(stage, lang));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, stages)) => stages.push(stage),
            None => kinds.push((kind, vec![stage])),
        }
    }
    let ramps: Vec<&StageResult> = run.stages.iter().filter(|stage| !stage.is_step()).collect();
    let first_open = kinds.iter().position(|(_, stages)| stages.iter().any(|stage| load::is_open(stage)));
    let looped = kinds.iter().enumerate().map(|(place, (_, stages))| match Some(place) == first_open {
        // What the kinds of arrivals have in common is said once.
        true => a_loop(run, stages, &waits()),
        false => a_loop(run, stages, &Text::same("")),
    });
    looped.chain((!ramps.is_empty()).then(|| ramped(run, &ramps))).collect()
}

fn a_loop(run: &RunResult, stages: &[&StageResult], more: &Text) -> (Text, Text) {
    let open = stages.first().filter(|stage| load::is_open(stage));
    let Some(stage) = open else {
        let means = Text::new(
            "each user sends its next request when the last one ended; nothing waits in the client",
            "每个用户在上一个请求结束后才发出下一个；客户端内没有排队",
        );
        return (Text::new("Closed loop", "闭环"), named(run, stages).and(&means));
    };
    let arrivals = Text::of(|lang| load::arrivals(stage, lang)).and(more);
    (Text::new("Open loop", "开环"), named(run, stages).and(&arrivals))
}

fn waits() -> Text {
    Text::new(
        "; requests start at their own times, and one that finds no slot waits for it (`queue`)",
        "；请求按各自的时刻发出，没有空位时在客户端等待（`queue`）",
    )
}

fn ramped(run: &RunResult, ramps: &[&StageResult]) -> (Text, Text) {
    let means = Text::new(
        "the load changes evenly over the whole stage, which goes on from the one before without a drain",
        "负载在整级时间内均匀变化，与上一级之间不收尾",
    );
    (Text::new("Ramps", "渐变"), named(run, ramps).and(&means))
}

/// The names of the stages that something holds for, unless it holds for all.
fn named(run: &RunResult, stages: &[&StageResult]) -> Text {
    if stages.len() == run.stages.len() {
        return Text::same("");
    }
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    Text::new(format!("{}: ", names.join(", ")), format!("{}：", names.join("、")))
}

/// How users, or the rate, come to their level, and how users pause.
fn users(run: &RunResult) -> Vec<(Text, Text)> {
    let ramp_ups = run.stages.iter().filter_map(|stage| stage.ramp_up_s).filter(|ramp_up| *ramp_up > 0.0);
    let pauses = run.stages.iter().filter_map(|stage| stage.think_time_s);
    let ramp_up = extent(ramp_ups.map(|ramp_up| [ramp_up; 2])).map(|(least, most)| {
        let text = between(least, most).followed_by(", before the window", "，位于窗口之前");
        (Text::new("Ramp-up", "爬升"), text)
    });
    let pause = extent(pauses).map(|(least, most)| {
        let text =
            between(least, most).followed_by(" between two requests of a user", "（同一用户两次请求之间）");
        (Text::new("Think time", "思考时间"), text)
    });
    ramp_up.into_iter().chain(pause).collect()
}

/// From the shortest to the longest.
fn extent(spans: impl Iterator<Item = [f64; 2]>) -> Option<(f64, f64)> {
    spans.map(|[least, most]| (least, most)).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

fn between(least: f64, most: f64) -> Text {
    match least < most {
        true => Text::new(
            format!("{} to {}", time(least), time(most)),
            format!("{} 至 {}", time(least), time(most)),
        ),
        false => Text::same(time(most)),
    }
}

/// What is sent again may come from a cache.
fn prompts(run: &RunResult, load: &LoadLine) -> (Text, Text) {
    let sent: u64 = run.stages.iter().map(|stage| stage.counts.started).sum();
    let distinct = load.distinct_prompts;
    let again = match sent > distinct {
        true => Text::new(
            "; some were sent again, and may be answered from a cache",
            "；有的重复发送，可能命中缓存",
        ),
        false => Text::same(""),
    };
    let text = Text::new(
        format!("{distinct} distinct prompts / {sent} requests"),
        format!("{distinct} 个不同的提示 / {sent} 个请求"),
    );
    (Text::new("Prompts", "提示"), text.and(&again))
}

fn policies(load: &LoadLine) -> Vec<(Text, Text)> {
    let some = |name: (&str, &str), text: Option<Text>| text.map(|text| (name.into(), text));
    let pause = (load.cool_down_s > 0.0).then(|| {
        Text::new(
            format!("{} between stages", time(load.cool_down_s)),
            format!("级间 {}", time(load.cool_down_s)),
        )
    });
    [
        Some((Text::new("Warm-up", "预热"), warm_up(load.warm_up.as_deref()))),
        some(("Cool-down", "间歇"), pause),
        Some((Text::new("Drain", "收尾"), drain(load))),
        Some((Text::new("Retries", "重试"), load.retry.as_ref().map_or_else(off, retry))),
        some(("Users who leave", "中途离开的用户"), load.cancel.map(cancel)),
        some(("Stop rule", "停止条件"), checks(&load.stop)),
        some(("Search", "搜索"), checks(&load.search)),
        some(("Request cap", "请求总数上限"), load.max_requests.map(|most| Text::same(most.to_string()))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn warm_up(warm_up: Option<&str>) -> Text {
    let Some(text) = warm_up else { return Text::new("none", "无") };
    let requests = text.strip_suffix(" requests").or_else(|| text.strip_suffix(" request"));
    let zh = requests.map_or_else(|| text.to_owned(), |n| format!("{n} 个请求"));
    Text::new(format!("{text}, in no statistic"), format!("{zh}，不计入统计"))
}

fn drain(load: &LoadLine) -> Text {
    let most = time(load.drain_timeout_s);
    Text::new(
        format!("running requests may finish for {most} after the window"),
        format!("窗口结束后，进行中的请求最多再等待 {most}"),
    )
}

fn off() -> Text {
    Text::new("off", "关闭")
}

fn retry(retry: &RetryLine) -> Text {
    let (max, base, cap) = (retry.max, time(retry.base_s), time(retry.cap_s));
    let on = |lang: Lang| retry.on.join(lang.pick(", ", "、"));
    Text::new(
        format!("up to {max} on {}; waits up to {base} doubling to {cap}", on(Lang::En)),
        format!("最多 {max} 次，针对 {}；等待上限从 {base} 起逐次加倍至 {cap}", on(Lang::Zh)),
    )
}

fn cancel(cancel: CancelLine) -> Text {
    let (share, after) = (crate::number::percent(Some(cancel.ratio)), time(cancel.after_s));
    Text::new(
        format!("{share} of the requests, {after} after their start"),
        format!("{share} 的请求在开始 {after} 后被放弃"),
    )
}

fn checks(checks: &[String]) -> Option<Text> {
    (!checks.is_empty()).then(|| Text::new(checks.join(" and "), checks.join(" 且 ")))
}

/// A time of the scenario as people write it: `500 ms`, `2.5 s`.
fn time(seconds: f64) -> String {
    match seconds > 0.0 && seconds < 1.0 {
        true => format!("{} ms", Amount(seconds * 1000.0)),
        false => format!("{} s", Amount(seconds)),
    }
}
