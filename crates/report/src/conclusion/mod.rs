//! The result in full sentences: what held, what broke and why, what to run next. One table of rules, each a sentence
//! or nothing.

mod climb;
mod cut;
mod faults;
mod first_token;
mod growth;
mod keys;
mod ramps;
mod signs;

use measure::result::{CheckLine, CheckResult, RunResult, RunStatus, StageResult, StageStatus, Verdict};
use measure::{Amount, Level};

use crate::{Lang, load, plain, search, sides, verdict};

/// Rates that are closer than this factor are not told apart by another run.
const WORTH: f64 = 1.05;

type Rule = fn(&Facts<'_>, Lang) -> Option<String>;

/// The sentences in order, each by its name.
const RULES: &[(&str, Rule)] = &[
    ("ended", ended),
    ("against", |facts, lang| sides::against(facts.run, lang)),
    ("held", climb::held),
    ("cut_short", cut::until_then),
    ("ramped", ramps::ramped),
    ("broke", climb::broke),
    ("stopped", climb::stopped),
    ("searched", climb::searched),
    ("unreached", signs::unreached),
    ("wall", signs::wall),
    ("success", faults::success),
    ("faults", faults::by_group),
    ("key_limited", keys::limited),
    ("key_dead", keys::dead),
    ("left", cut::left),
    ("nothing_broke", climb::nothing_broke),
    ("grew", growth::grew),
    ("knee", growth::knee),
    ("queueing", signs::queueing),
    ("first_token", first_token::first_token),
    ("long_tail", signs::long_tail),
    ("generator", signs::generator),
    ("verdict", verdict),
    ("next", next),
];

/// The names of all rules, in order.
pub fn rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(name, _)| *name)
}

/// What the sentences are made from.
struct Facts<'a> {
    run: &'a RunResult,
    /// Stages that ran, in order.
    ran: Vec<&'a StageResult>,
    /// Those of them that are rungs, from little load to much.
    rungs: Vec<&'a StageResult>,
    /// What ran but for a search, which breaks things on purpose; all that ran where there was nothing else.
    climbed: Vec<&'a StageResult>,
    /// Highest rung that held, and the first that did not.
    held: Option<&'a StageResult>,
    broke: Option<&'a StageResult>,
    objectives: [Option<std::time::Duration>; 3],
}

/// Whether a rule tells what the numbers give away, beside what held, what broke and what to do.
pub(crate) fn is_sign(rule: &str) -> bool {
    const SIGNS: &[&str] = &[
        "wall",
        "success",
        "faults",
        "key_limited",
        "key_dead",
        "left",
        "grew",
        "knee",
        "queueing",
        "first_token",
        "long_tail",
        "generator",
    ];
    SIGNS.contains(&rule)
}

/// The conclusion of a run; `objectives` are the limits of ttft, tpot and e2e it was judged by.
pub fn of(run: &RunResult, objectives: [Option<std::time::Duration>; 3], lang: Lang) -> String {
    let sentences: Vec<String> = sentences(run, objectives, lang).into_iter().map(|(_, text)| text).collect();
    sentences.join(lang.pick(" ", ""))
}

/// The same by the names of the rules that speak.
pub fn sentences(
    run: &RunResult,
    objectives: [Option<std::time::Duration>; 3],
    lang: Lang,
) -> Vec<(&'static str, String)> {
    let ran = run.stages.iter().filter(|stage| stage.status != StageStatus::Skipped).collect();
    let rungs = load::rungs(run);
    let at = |amount: Option<Amount>| {
        let rung = |stage: &&StageResult| Some(stage.level().amount()) == amount && stage.counts.started > 0;
        rungs.iter().copied().find(rung)
    };
    let (held, broke) = (at(run.ladder.last_ok), at(run.ladder.first_breach));
    let facts = Facts { run, ran, rungs, climbed: search::climbed(run), held, broke, objectives };
    RULES.iter().filter_map(|(name, rule)| Some((*name, rule(&facts, lang)?))).collect()
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
    let side = if run.against.is_some() { lang.pick("A, ", "A、") } else { "" };
    lang.pick(
        format!("With {side}base URL {}, {model}, {mode}", run.base_url),
        format!("在 {side}Base URL {}、{model}、{mode}条件下", run.base_url),
    )
}

fn ended(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    let failed = facts.run.preflight.as_ref().filter(|_| facts.ran.is_empty());
    if let Some((preflight, error)) =
        failed.and_then(|preflight| Some((preflight, preflight.error.as_ref()?)))
    {
        let status = error.status.map(|status| format!("HTTP {status}, ")).unwrap_or_default();
        let (outcome, message) = (preflight.outcome, plain::line(&error.message));
        return Some(lang.pick(
            format!("No load was sent: the one request before it failed ({status}{outcome}: {message})."),
            format!("未施加负载：预检请求失败（{status}{outcome}：{message}）。"),
        ));
    }
    match facts.run.status {
        RunStatus::Interrupted if facts.ran.is_empty() => Some(
            lang.pick("The run was interrupted before the first stage.", "运行在第一级之前被中断。").to_owned(),
        ),
        RunStatus::Aborted if facts.ran.is_empty() => Some(
            lang.pick(
                "The run was given up before the first stage: the requests of the warm-up failed.",
                "运行在第一级之前已放弃：预热请求失败。",
            )
            .to_owned(),
        ),
        RunStatus::Interrupted => Some(
            lang.pick("The run was interrupted; what follows covers the part that ran.", "运行被中断，以下仅涵盖已运行部分。")
                .to_owned(),
        ),
        RunStatus::Aborted => Some(
            lang.pick(
                "The run was given up: twenty requests in a row were refused for a reason that load does not explain.",
                "运行已放弃：连续二十个请求因非负载原因被拒绝。",
            )
            .to_owned(),
        ),
        RunStatus::Completed => None,
    }
}

fn verdict(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    Some(match facts.run.gate.verdict {
        Verdict::Pass if verdict::nothing_is_strict(&facts.run.gate) => {
            lang.pick("No check of the gate is strict.", "门禁没有严格检查。").to_owned()
        }
        Verdict::Pass => lang.pick("The gate passed.", "门禁通过。").to_owned(),
        Verdict::Fail => lang.pick("The gate failed.", "门禁未通过。").to_owned(),
        Verdict::NotJudged => {
            let is_open =
                |line: &CheckLine| line.result == CheckResult::Inconclusive && line.level == "strict";
            match facts.run.gate.checks.iter().any(is_open) {
                true => lang.pick(
                    "The gate could not judge: a change could not be told from chance.",
                    "门禁无法判定：有变化无法与偶然区分。",
                ),
                false => lang
                    .pick("The gate could not judge: a check had no data.", "门禁无法判定：有检查缺少数据。"),
            }
            .to_owned()
        }
        Verdict::None => return None,
    })
}

fn next(facts: &Facts<'_>, lang: Lang) -> Option<String> {
    if facts.run.status != RunStatus::Completed {
        return None;
    }
    if let Some(holds) = facts.run.ladder.boundary {
        return Some(hold(load::of_unit(load::boundary_unit(facts.run), holds), lang));
    }
    // Between what held and where the client's own slots ran out there is nothing to learn.
    if let Some(again) = facts.broke.and_then(|broke| with_more_slots(broke, lang)) {
        return Some(again);
    }
    let held = facts.held?.level();
    let went_beyond = facts.ran.iter().any(|stage| load::top(stage) > held.amount().get());
    // What has nothing to do with the load is mended first, and no level in between tells more of it.
    if facts.broke.is_some_and(|broke| !faults::is_of_load(facts, broke)) {
        return None;
    }
    if facts.broke.is_none() && (went_beyond || facts.run.stop.is_some()) {
        return None;
    }
    match facts.broke.map(StageResult::level) {
        Some(broke) => middle(held, broke).map(|middle| hold(middle, lang)),
        None => Some(lang.pick(
            format!("Next: climb beyond {} to find the limit.", load::bare(held, lang)),
            format!("下一步：继续提高到{}以上以找到上限。", load::bare(held, lang)),
        )),
    }
}

fn with_more_slots(broke: &StageResult, lang: Lang) -> Option<String> {
    let most = broke.max_in_flight.filter(|most| broke.in_flight_max >= u64::from(*most))?;
    let level = load::level(broke.level(), lang);
    climb::broke_by_drops(broke).then(|| {
        lang.pick(
            format!("Next: run {level} again with a `max_in_flight` above {most}, to see whether the endpoint can take it."),
            format!("下一步：把 `max_in_flight` 调到 {most} 以上后重跑{level}，确认端点能否承受。"),
        )
    })
}

fn hold(level: Level, lang: Lang) -> String {
    lang.pick(
        format!("Next: hold {} for 5 minutes and watch whether P99 and 5xx drift.", load::bare(level, lang)),
        format!("下一步：以{}持续 5 分钟，观察 P99 与 5xx 是否漂移。", load::point(level, lang).trim_start()),
    )
}

/// A level between what held and what broke, where there is one worth a run.
fn middle(held: Level, broke: Level) -> Option<Level> {
    match (held, broke) {
        (Level::Users(held), Level::Users(broke)) => {
            (broke > held + 1).then(|| Level::Users(u32::midpoint(held, broke)))
        }
        (Level::Rate(held), Level::Rate(broke)) => {
            (broke > WORTH * held).then(|| Level::Rate(f64::midpoint(held, broke)))
        }
        _ => None,
    }
}
