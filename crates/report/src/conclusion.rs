//! The result in full sentences: what held, what broke and why, what to run next. One table of rules, each a sentence
//! or nothing.

use measure::result::{RunResult, RunStatus, StageResult, StageStatus, Verdict};
use measure::{ErrorClass, ErrorGroup};

use crate::number::{duration, of_check, percent, rate, seconds};
use crate::{Lang, plain};

/// A jump of this factor from one rung to the next is queueing.
const JUMP: f64 = 2.0;
/// P99 over this many means is a long tail.
const TAIL: f64 = 3.0;

type Rule = fn(&Facts<'_>, Lang) -> Option<String>;

/// The sentences in order.
const RULES: &[Rule] = &[
    ended,
    held,
    broke,
    stopped,
    searched,
    wall,
    nothing_broke,
    knee,
    queueing,
    long_tail,
    generator,
    verdict,
    next,
];

/// What the sentences are made from.
struct Facts<'a> {
    run: &'a RunResult,
    /// Stages that ran.
    stages: Vec<&'a StageResult>,
    /// Highest rung that held, and the first that did not.
    held: Option<&'a StageResult>,
    broke: Option<&'a StageResult>,
    objectives: [Option<std::time::Duration>; 3],
}

/// The conclusion of a run; `objectives` are the limits of ttft, tpot and e2e it was judged by.
pub fn of(run: &RunResult, objectives: [Option<std::time::Duration>; 3], lang: Lang) -> String {
    let mut stages: Vec<_> = run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped).collect();
    // A search jumps; what is told goes from few users to many.
    stages.sort_by_key(|stage| stage.concurrency);
    let at = |users: Option<u32>| {
        stages.iter().copied().find(|stage| Some(stage.concurrency) == users && stage.counts.started > 0)
    };
    let facts =
        Facts { run, held: at(run.ladder.last_ok), broke: at(run.ladder.first_breach), stages, objectives };
    let sentences: Vec<String> = RULES.iter().filter_map(|rule| rule(&facts, lang)).collect();
    sentences.join(lang.pick(" ", ""))
}

fn target(run: &RunResult, lang: Lang) -> String {
    let model = match &run.model {
        Some(model) => lang.pick(format!("model {model}"), format!("模型 {model}")),
        None => lang.pick("no model named", "未指定模型").to_owned(),
    };
    let mode = match run.stream {
        true => lang.pick("streaming", "流式"),
        false => lang.pick("not streaming", "非流式"),
    };
    lang.pick(
        format!("With base URL {}, {model}, {mode}", run.base_url),
        format!("在 Base URL {}、{model}、{mode}条件下", run.base_url),
    )
}

fn ended(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    if let Some(preflight) = facts.run.preflight.as_ref().filter(|_| facts.stages.is_empty()) {
        let error = preflight.error.as_ref()?;
        let status = error.status.map(|status| format!("HTTP {status}, ")).unwrap_or_default();
        let (outcome, message) = (preflight.outcome, plain::line(&error.message));
        return Some(lang.pick(
            format!("No load was sent: the one request before it failed ({status}{outcome}: {message})."),
            format!("未施加负载：预检请求失败（{status}{outcome}：{message}）。"),
        ));
    }
    match facts.run.status {
        RunStatus::Interrupted if facts.stages.is_empty() => Some(
            lang.pick("The run was interrupted before any load was sent.", "运行在施加负载之前被中断。").to_owned(),
        ),
        RunStatus::Interrupted => Some(
            lang.pick("The run was interrupted; what follows covers the part that ran.", "运行被中断，以下仅涵盖已运行部分。")
                .to_owned(),
        ),
        RunStatus::Aborted if !facts.stages.is_empty() => Some(
            lang.pick(
                "The run was given up: twenty requests in a row were refused for a reason that load does not explain.",
                "运行已放弃：连续二十个请求因非负载原因被拒绝。",
            )
            .to_owned(),
        ),
        RunStatus::Aborted | RunStatus::Completed => None,
    }
}

fn held(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stage = facts.held?;
    let target = target(facts.run, lang);
    let (users, window) = (stage.concurrency, seconds(stage.window_s));
    let e2e = duration(stage.e2e_ms.p95);
    let ttft = match stage.ttft_ms.p95 {
        Some(ttft) => lang.pick(
            format!(" and a TTFT P95 of {}", duration(Some(ttft))),
            format!("、TTFT P95 {}", duration(Some(ttft))),
        ),
        None => String::new(),
    };
    let (success, qps) = (percent(stage.success_rate), rate(stage.qps));
    Some(lang.pick(
        format!(
            "{target}: concurrency {users} held for {window} s with no 429, {success} success, \
             {qps} requests/s, a response time P95 of {e2e}{ttft}."
        ),
        format!(
            "{target}：并发 {users} 稳定运行 {window} 秒，无 429，成功率 {success}，{qps} 请求/秒，响应时间 P95 {e2e}{ttft}。"
        ),
    ))
}

fn broke(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stage = facts.broke?;
    let users = stage.concurrency;
    let between = match facts.held.filter(|held| held.concurrency < users) {
        Some(held) => lang.pick(
            format!(", so the limit lies between {} and {users}", held.concurrency),
            format!("，上限在 {} 与 {users} 之间", held.concurrency),
        ),
        None => {
            lang.pick(format!(", so the limit lies at or below {users}"), format!("，上限不高于 {users}"))
        }
    };
    let ratio = percent(stage.http_429_ratio);
    if stage.http_429 > 0 {
        return Some(lang.pick(
            format!("At {users} the 429 ratio rose to {ratio}{between}: capacity."),
            format!("并发 {users} 时 429 占比升至 {ratio}{between}（容量问题）。"),
        ));
    }
    if stage.success_rate.is_some_and(|rate| rate < 0.99) {
        return Some(failures(stage, &between, lang));
    }
    let missed = missed_objective(facts, stage, lang);
    Some(lang.pick(
        format!("At {users} {missed}{between}: latency."),
        format!("并发 {users} 时 {missed}{between}（时延问题）。"),
    ))
}

/// The stop rule that ended the climb.
fn stopped(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stop = facts.run.stop.as_ref()?;
    let (users, check, at) = (stop.concurrency, &stop.check, seconds(stop.at_s));
    let value = of_check(check, stop.value);
    Some(lang.pick(
        format!("The climb was ended at {users} users, {at} s into the run: `{check}` did not hold ({value} over 10 s)."),
        format!("运行到第 {at} 秒、并发 {users} 时停止加压：`{check}` 不再成立（最近 10 秒为 {value}）。"),
    ))
}

/// The interval that the search proved.
fn searched(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let search = facts.run.search?;
    let (low, high) = (search.low, search.high);
    if let Some(users) = search.undecided {
        return Some(lang.pick(
            format!(
                "The search ended at {users} users without a decision: too little was measured there, or the load \
                 generator was at its limit."
            ),
            format!("搜索在并发 {users} 处无法判定：测得的数据太少，或压测机已达极限。"),
        ));
    }
    Some(match (search.holds, search.breaks) {
        (Some(holds), Some(breaks)) => lang.pick(
            format!("The search between {low} and {high}: holds at {holds}, breaks at {breaks}."),
            format!("在 {low} 与 {high} 之间搜索：并发 {holds} 可以稳定运行，{breaks} 越限。"),
        ),
        (Some(holds), None) => lang.pick(
            format!("The search found no break up to {holds}."),
            format!("搜索直到并发 {holds} 均未越限。"),
        ),
        (None, Some(breaks)) => lang.pick(
            format!("The search found that {breaks} users already break the checks."),
            format!("搜索发现并发 {breaks} 已经越限。"),
        ),
        (None, None) => return None,
    })
}

/// Where 429s begin, when something else broke first.
fn wall(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stage = facts.stages.iter().find(|stage| stage.http_429 > 0)?;
    let told = facts.broke.is_some_and(|broke| broke.name == stage.name);
    (!told).then(|| {
        let (users, ratio) = (stage.concurrency, percent(stage.http_429_ratio));
        lang.pick(
            format!("From {users} users on the endpoint answers 429 (ratio {ratio})."),
            format!("自并发 {users} 起出现 429（占比 {ratio}）。"),
        )
    })
}

fn failures(stage: &StageResult, between: &str, lang: Lang) -> String {
    let (users, success) = (stage.concurrency, percent(stage.success_rate));
    let worst = stage.errors.iter().max_by_key(|error| error.count);
    let class = worst.map_or("", |error| error.class.as_str());
    let why = match ErrorClass::named(class).map(ErrorClass::group) {
        Some(ErrorGroup::Config) => lang.pick("configuration", "配置问题"),
        Some(ErrorGroup::Capacity) => lang.pick("capacity", "容量问题"),
        Some(ErrorGroup::Protocol) => lang.pick("protocol", "协议问题"),
        Some(ErrorGroup::Client) => lang.pick("this machine", "压测机问题"),
        Some(ErrorGroup::Stability) | None => lang.pick("stability", "稳定性问题"),
    };
    lang.pick(
        format!("At {users} success fell to {success}, mostly by `{class}`{between}: {why}."),
        format!("并发 {users} 时成功率降至 {success}，主要错误为 `{class}`{between}（{why}）。"),
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

fn nothing_broke(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let held = facts.held.filter(|_| facts.broke.is_none())?;
    (facts.stages.len() > 1).then(|| {
        lang.pick(
            format!("No rung up to {} broke.", held.concurrency),
            format!("直到并发 {} 均未出现瓶颈。", held.concurrency),
        )
    })
}

fn knee(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let knee = facts.run.ladder.knee?;
    Some(lang.pick(
        format!("Throughput stopped growing with users at {knee}."),
        format!("吞吐在并发 {knee} 处不再随用户数增长。"),
    ))
}

fn queueing(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    facts.stages.windows(2).find_map(|pair| {
        let jump = |name, from: Option<f64>, to: Option<f64>| {
            let (from, to) = (from.filter(|from| *from > 0.0)?, to?);
            (to >= JUMP * from).then(|| (name, duration(Some(from)), duration(Some(to))))
        };
        let (name, from, to) = jump("TPOT", pair[0].tpot_ms.p50, pair[1].tpot_ms.p50)
            .or_else(|| jump("TTFT", pair[0].ttft_ms.p50, pair[1].ttft_ms.p50))?;
        let (low, high) = (pair[0].concurrency, pair[1].concurrency);
        Some(lang.pick(
            format!("From {low} to {high} users the median {name} went from {from} to {to}: requests queue."),
            format!("并发从 {low} 到 {high} 时，{name} 中位数由 {from} 升至 {to}：请求在排队。"),
        ))
    })
}

fn long_tail(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    facts.stages.iter().find_map(|stage| {
        let weak = stage.tpot_ms.weak.iter().any(|name| name == "p99");
        let (p99, mean) = (stage.tpot_ms.p99?, stage.tpot_ms.mean?);
        (!weak && p99 > TAIL * mean).then(|| {
            let (users, p99, mean) = (stage.concurrency, duration(Some(p99)), duration(Some(mean)));
            lang.pick(
                format!("At {users} TPOT has a long tail (P99 {p99}, mean {mean}): a retry behind the gateway, or one slow instance."),
                format!("并发 {users} 时 TPOT 存在长尾（P99 {p99}，均值 {mean}）：可能是网关后重试或某个实例偏慢。"),
            )
        })
    })
}

fn generator(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let stage = facts.stages.iter().find(|stage| stage.client.saturated)?;
    let users = stage.concurrency;
    Some(lang.pick(
        format!(
            "From {users} users on the load generator itself was at its limit; read those rungs with care."
        ),
        format!("自并发 {users} 起压测机自身达到极限，相应数据需谨慎解读。"),
    ))
}

fn verdict(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    Some(match facts.run.gate.verdict {
        Verdict::Pass => lang.pick("The gate passed.", "门禁通过。").to_owned(),
        Verdict::Fail => lang.pick("The gate failed.", "门禁未通过。").to_owned(),
        Verdict::NotJudged => lang
            .pick("The gate could not judge: a check had no data.", "门禁无法判定：有检查缺少数据。")
            .to_owned(),
        Verdict::None => return None,
    })
}

fn next(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    if facts.run.status != RunStatus::Completed {
        return None;
    }
    if let Some(holds) = facts.run.ladder.boundary {
        return Some(lang.pick(
            format!("Next: hold {holds} for 5 minutes and watch whether P99 and 5xx drift."),
            format!("下一步：以并发 {holds} 持续 5 分钟，观察 P99 与 5xx 是否漂移。"),
        ));
    }
    let held = facts.held.map(|stage| stage.concurrency);
    match (held, facts.broke.map(|stage| stage.concurrency)) {
        (Some(held), Some(broke)) if broke > held + 1 => {
            let middle = u32::midpoint(held, broke);
            Some(lang.pick(
                format!("Next: hold {middle} for 5 minutes and watch whether P99 and 5xx drift."),
                format!("下一步：以并发 {middle} 持续 5 分钟，观察 P99 与 5xx 是否漂移。"),
            ))
        }
        (Some(held), None) => Some(lang.pick(
            format!("Next: climb beyond {held} to find the limit."),
            format!("下一步：继续提高到 {held} 以上以找到上限。"),
        )),
        _ => None,
    }
}
