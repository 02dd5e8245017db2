//! What to keep in mind when reading a result: found from its numbers, said in full sentences.

use measure::Amount;
use measure::result::{RunResult, StageResult, StageStatus, Warning};

use crate::Lang;
use crate::lang::counted;
use crate::number::{duration, percent, rate, seconds};
use measure::reach::{Shortfall, shortfall};

/// A window shorter than this many response times shows mostly its own edges.
const WINDOW_IN_E2E: f64 = 10.0;
/// Shortest window without a warning, in seconds.
const SHORTEST_WINDOW: f64 = 10.0;
/// A larger share of failures on the side that is compared with is worth a word.
const FAILING: f64 = 0.01;
/// So many answers should fit into a block of an A/B run one after another.
const ANSWERS_IN_BLOCK: f64 = 2.0;
/// Share of the users that must be busy at once.
const BUSY: f64 = 0.95;

type Rule = fn(&StageResult, Lang) -> Option<String>;

/// Every rule about a stage, by its code.
const STAGE_RULES: &[(&str, Rule)] = &[
    ("saturated", saturated),
    ("incomplete", incomplete),
    ("short_window", short_window),
    ("rate_not_reached", rate_not_reached),
    ("not_steady", not_steady),
    ("no_usage", no_usage),
    ("not_streamed", not_streamed),
    ("burst", burst),
    ("no_visible_tokens", no_visible_tokens),
    ("retried", retried),
];

/// The warnings of a run's stages, in order; of an A/B run those of B follow.
pub fn of_stages(run: &RunResult, lang: Lang) -> Vec<Warning> {
    let mut warnings = of_side(run, &run.stages, lang);
    if let Some(against) = &run.against {
        let failing = against.stages.iter().filter_map(|stage| {
            let text = reference_fails(stage, lang)?;
            Some(Warning { code: "reference_fails".to_owned(), stage: Some(stage.name.clone()), text })
        });
        let of_b = of_side(run, &against.stages, lang).into_iter().chain(failing);
        let named = |text| lang.pick(format!("B: {text}"), format!("B：{text}"));
        let of_a = warnings.clone();
        // What follows from the plan is the same of both.
        let is_known = |warning: &Warning| {
            let planned = ["short_window", "short_blocks"].contains(&warning.code.as_str());
            planned && of_a.iter().any(|other| (&other.code, &other.stage) == (&warning.code, &warning.stage))
        };
        let of_b = of_b.filter(|warning| !is_known(warning));
        warnings.extend(of_b.map(|warning| Warning { text: named(warning.text), ..warning }));
    }
    warnings
}

fn of_side(run: &RunResult, stages: &[StageResult], lang: Lang) -> Vec<Warning> {
    let ran = stages.iter().filter(|stage| stage.status != StageStatus::Skipped);
    let mut warnings: Vec<Warning> = Vec::new();
    for stage in ran {
        let warning =
            |code: &str, text| Warning { code: code.to_owned(), stage: Some(stage.name.clone()), text };
        let short = short_blocks(run, stage, lang);
        for (code, rule) in STAGE_RULES {
            // Blocks too short for an answer are no fault of the generator.
            let explained = *code == "rate_not_reached" && short.is_some();
            warnings.extend(rule(stage, lang).filter(|_| !explained).map(|text| warning(code, text)));
        }
        warnings.extend(cancelled(run, stage, lang).map(|text| warning("cancelled", text)));
        warnings.extend(short.map(|text| warning("short_blocks", text)));
    }
    warnings
}

/// Blocks of an A/B run that few whole answers fit into, or none.
fn short_blocks(run: &RunResult, stage: &StageResult, lang: Lang) -> Option<String> {
    let pairs = run.against.as_ref()?.differences.iter().find(|of| of.stage == stage.name)?.pairs;
    stage.duration.as_ref().filter(|_| pairs > 0)?;
    let block = stage.window_s / pairs as f64;
    if stage.counts.started == 0 {
        let block = seconds(block);
        return Some(lang.pick(
            format!("no request began inside its blocks of {block} s: they are shorter than an answer; a longer stage has longer blocks"),
            format!("每个时段仅 {block} 秒，没有请求在其中开始：时段比一次应答还短；延长级别时长可加长时段"),
        ));
    }
    let answer = stage.e2e_ms.p50? / 1e3;
    (block < ANSWERS_IN_BLOCK * answer).then(|| {
        let (block, answer) = (seconds(block), seconds(answer));
        lang.pick(
            format!(
                "blocks of {block} s hold few whole answers of {answer} s: requests/s and tokens/s of both sides are too \
                 low; a longer stage has longer blocks"
            ),
            format!("每个时段 {block} 秒，容纳不了几个 {answer} 秒的完整应答：两侧的请求速率与 token 速率均偏低；延长级别时长可加长时段"),
        )
    })
}

/// B of an A/B run fails: what is compared with it is compared with little.
fn reference_fails(stage: &StageResult, lang: Lang) -> Option<String> {
    let (failed, judged) = (stage.counts.failed, stage.counts.ok + stage.counts.failed);
    (failed as f64 > FAILING * judged as f64).then(|| {
        let classes: Vec<String> =
            stage.errors.iter().map(|error| format!("{} `{}`", error.count, error.class)).collect();
        let classes = classes.join(lang.pick(", ", "、"));
        let so = match stage.counts.ok {
            0 => lang.pick("there is nothing to compare A with", "没有可供 A 比较的数据"),
            _ => lang.pick("A is compared with the others alone", "A 仅与其余请求比较"),
        };
        lang.pick(
            format!("{failed} of {} failed ({classes}): {so}", counted(judged, "request")),
            format!("{judged} 个请求中有 {failed} 个失败（{classes}）：{so}"),
        )
    })
}

fn saturated(stage: &StageResult, lang: Lang) -> Option<String> {
    let lag = duration(stage.client.lag_ms.p99);
    let late = duration(stage.client.send_lateness_ms.p99);
    let cpu = percent(stage.client.cpu_percent.map(|cpu| cpu / 100.0));
    stage.client.saturated.then(|| {
        lang.pick(
            format!(
                "the load generator was at its limit (loop lag p99 {lag}, sends late by p99 {late}, CPU {cpu}): \
                 the numbers of this stage may be this machine's, and no check is judged on them"
            ),
            format!("压测机已达极限（事件循环延迟 P99 {lag}，发送延迟 P99 {late}，CPU {cpu}）：本级数据可能反映的是压测机自身，不参与判定"),
        )
    })
}

fn no_visible_tokens(stage: &StageResult, lang: Lang) -> Option<String> {
    let n = *stage.flags.get("no_visible_tokens")?;
    Some(lang.pick(
        format!("{} tokens that no event showed: do `text` and `reasoning` of a custom api name the right places?", verb(n, "answer counts", "answers count")),
        format!("{n} 个应答统计了 token，却没有任何事件包含文本：自定义 api 的 `text` 与 `reasoning` 位置是否正确？"),
    ))
}

fn retried(stage: &StageResult, lang: Lang) -> Option<String> {
    let n = stage.retry_wait_ms.n;
    let (all, wait) = (stage.counts.started, duration(stage.retry_wait_ms.p95));
    (n > 0).then(|| {
        lang.pick(
            format!(
                "{n} of {} sent again (wait P95 {wait}); latencies are those of the last attempt",
                verb(all, "request was", "requests were")
            ),
            format!("{all} 个请求中有 {n} 个经过重试（等待 P95 {wait}）；时延以最后一次尝试为准"),
        )
    })
}

fn incomplete(stage: &StageResult, lang: Lang) -> Option<String> {
    (stage.status == StageStatus::Incomplete)
        .then(|| lang.pick("the stage was cut short", "本级未跑完").to_owned())
}

fn short_window(stage: &StageResult, lang: Lang) -> Option<String> {
    stage.duration.as_ref()?;
    let needed = SHORTEST_WINDOW.max(WINDOW_IN_E2E * stage.e2e_ms.p50.unwrap_or(0.0) / 1000.0);
    // Every round has edges of its own.
    let shortest = stage.rounds.iter().map(|round| round.window_s).fold(stage.window_s, f64::min);
    (shortest < needed).then(|| {
        let (window, needed) = (seconds(shortest), needed.ceil());
        lang.pick(
            format!("the window of {window} s is short for these response times; {needed} s or more give a steady picture"),
            format!("窗口 {window} 秒相对响应时间偏短，建议不少于 {needed} 秒"),
        )
    })
}

/// An open loop that did not send what it was to send: how far it came, what became of the others, what to do.
fn rate_not_reached(stage: &StageResult, lang: Lang) -> Option<String> {
    let short = shortfall(stage)?;
    let parts: Vec<String> =
        [offered(stage, &short, lang), dropped(&short, lang), waited(&short, lang), grew(&short, lang)]
            .into_iter()
            .flatten()
            .collect();
    let parts = parts.join(lang.pick("; ", "；"));
    if short.grew.is_some() && short.dropped == 0 && short.waited_ms.is_none() {
        return Some(parts);
    }
    let advice = match (short.slots_ran_out, stage.max_in_flight) {
        (true, Some(most)) => lang.pick(
            format!(
                "all {most} slots were taken at once: raise `max_in_flight`, and if the queue stays, the endpoint cannot \
                 take more"
            ),
            format!("{most} 个空位曾全部占满：请调大 `max_in_flight`；若仍排队，则端点无法承受更多请求"),
        ),
        (true, None) | (false, _) => lang
            .pick(
                "slots were free, so that this machine did not keep up: more `--workers`, or a larger machine",
                "空位并未占满，是压测机未能跟上：请增加 `--workers` 或换用更大的机器",
            )
            .to_owned(),
    };
    Some(lang.pick(format!("{parts}; {advice}"), format!("{parts}；{advice}")))
}

fn offered(stage: &StageResult, short: &Shortfall, lang: Lang) -> Option<String> {
    let reached = short.reached.filter(|reached| *reached < short.offered)?;
    let (reached, offered) = (rate(Some(reached)), Amount(short.offered));
    let mean = if stage.is_step() { "" } else { lang.pick(" on average", "平均") };
    Some(lang.pick(
        format!("the stage was to send {offered} requests/s{mean} and started {reached}"),
        format!("本级设定{mean}每秒 {offered} 个请求，实际每秒发出 {reached} 个"),
    ))
}

fn dropped(short: &Shortfall, lang: Lang) -> Option<String> {
    let (n, planned) = (short.dropped, short.planned);
    (n > 0).then(|| {
        lang.pick(
            format!(
                "{n} of {} found no slot before its end and {} dropped: no other number counts them",
                counted(planned, "request"),
                if n == 1 { "was" } else { "were" }
            ),
            format!("{planned} 个请求中有 {n} 个直到本级结束仍无空位而被丢弃，其他数字均不包含它们"),
        )
    })
}

fn grew(short: &Shortfall, lang: Lang) -> Option<String> {
    let [then, now] = short.grew?.map(|open| rate(Some(open)));
    Some(lang.pick(
        format!("fewer requests ended than started: open ones grew from {then} to {now}, and a longer run would show longer times"),
        format!("完成的请求少于发出的请求：未完成的请求从 {then} 增至 {now}，运行越久时延越长"),
    ))
}

fn waited(short: &Shortfall, lang: Lang) -> Option<String> {
    let wait = duration(Some(short.waited_ms?));
    Some(lang.pick(
        format!("requests waited in the client for a slot (queue P95 {wait}), which no latency counts"),
        format!("请求在客户端等待空位（queue P95 {wait}），各项时延均不含此等待"),
    ))
}

/// Of users who hold one level: those who pause between requests are not all busy at once, and are not meant to be.
fn not_steady(stage: &StageResult, lang: Lang) -> Option<String> {
    let target = f64::from(stage.concurrency.filter(|_| stage.is_step() && stage.think_time_s.is_none())?);
    let reached = stage.in_flight_max as f64;
    (stage.duration.is_some() && stage.counts.started > 0 && reached < BUSY * target).then(|| {
        lang.pick(
            format!(
                "at most {reached} of {target} users were busy at once: the load was not what the stage says"
            ),
            format!("同时进行的请求最多 {reached} 个，未达到 {target} 个用户：实际负载低于本级设定"),
        )
    })
}

fn no_usage(stage: &StageResult, lang: Lang) -> Option<String> {
    let (none, ok) = (stage.tokens.source.none, stage.counts.ok);
    (none > 0).then(|| {
        lang.pick(
            format!(
                "{none} of {} no token count: TPOT and tokens/s leave such out (chunks are not tokens)",
                verb(ok, "answer carries", "answers carry")
            ),
            format!(
                "{ok} 个应答中有 {none} 个没有 token 用量：TPOT 与 tokens/s 未计入它们（数据块不等于 token）"
            ),
        )
    })
}

fn not_streamed(stage: &StageResult, lang: Lang) -> Option<String> {
    let n = *stage.flags.get("not_streamed")?;
    Some(lang.pick(
        format!(
            "{} whole although streaming was asked for: no TTFT and no TPOT there; check `stream`",
            verb(n, "answer came", "answers came")
        ),
        format!("{n} 个应答未以流式返回：没有 TTFT 与 TPOT，请检查 `stream`"),
    ))
}

fn burst(stage: &StageResult, lang: Lang) -> Option<String> {
    let n = *stage.flags.get("burst")?;
    Some(lang.pick(
        format!(
            "{} in one burst: something between holds streams back (proxy buffering?)",
            verb(n, "stream came", "streams came")
        ),
        format!("{n} 个流一次性到达：中间可能有缓冲（代理缓冲？）"),
    ))
}

fn cancelled(run: &RunResult, stage: &StageResult, lang: Lang) -> Option<String> {
    let n = stage.counts.cancelled;
    let leave = run.load.as_ref().is_some_and(|load| load.cancel.is_some());
    let (were, they) = if n == 1 { ("was", "it") } else { ("were", "they") };
    let en = match (leave, stage.status) {
        (true, _) => format!(
            "{were} ended by the run: left by users (`cancel`), or cut off while {they} still ran at the end"
        ),
        (false, StageStatus::Incomplete) => {
            format!("{were} still running when the run was ended, and {were} cut off")
        }
        (false, _) => format!("{were} still running when the stage's drain ended, and {were} cut off"),
    };
    let zh = match (leave, stage.status) {
        (true, _) => "由压测端结束：用户中途离开（`cancel`），或结束时仍在进行而被中止",
        (false, StageStatus::Incomplete) => "在运行被结束时仍在进行，已被中止",
        (false, _) => "在收尾时限结束时仍在进行，已被中止",
    };
    (n > 0).then(|| lang.pick(format!("{} {en}", counted(n, "request")), format!("{n} 个请求{zh}")))
}

/// A number with its noun and verb.
fn verb(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}
