//! What was run, run by run, and where the runs differ.

use measure::result::RunResult;

use super::Comparison;
use crate::number::UNKNOWN;
use crate::{Lang, verdict};

/// So much of a hash tells files apart.
const HASH: usize = 8;

/// A fact of every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub name: &'static str,
    /// One per run.
    pub values: Vec<String>,
}

impl Fact {
    /// Whether not all runs have the same.
    pub fn differs(&self) -> bool {
        self.values.windows(2).any(|pair| pair[0] != pair[1])
    }
}

type Row = ([&'static str; 2], fn(&RunResult, Lang) -> String);

const ROWS: [Row; 15] = [
    (["Test", "测试名称"], |run, _| run.test_name.clone()),
    (["Provider", "服务商"], |run, _| optional(run.provider.as_deref())),
    (["API", "协议"], |run, _| run.api.clone()),
    (["Model", "模型"], |run, _| optional(run.model.as_deref())),
    (["URL", "URL"], |run, _| run.url.clone()),
    (["Streaming", "流式"], |run, lang| match run.stream {
        true => lang.pick("on", "开启").to_owned(),
        false => lang.pick("off", "关闭").to_owned(),
    }),
    (["Scenario", "场景文件"], |run, _| scenario(run)),
    (["Profile", "配置档"], |run, _| optional(run.scenario.profile.as_deref())),
    (["Set outside the file", "文件之外的设定"], |run, _| overrides(run)),
    (["Seed", "随机种子"], |run, _| run.seed.to_string()),
    (["Started", "开始时间"], |run, _| run.started_at.clone()),
    (["Verdict", "结论"], |run, lang| verdict::of(run, lang).to_owned()),
    (["Status", "状态"], |run, lang| {
        verdict::cut_short(run.status, lang).unwrap_or(lang.pick("completed", "已完成")).to_owned()
    }),
    (["Machine", "压测机"], |run, lang| {
        let (os, cpus) = (&run.machine.os, run.machine.cpus);
        lang.pick(format!("{os}, {cpus} CPUs"), format!("{os}，{cpus} 个 CPU"))
    }),
    (["Version", "版本"], |run, _| format!("{} {}", run.tool.name, run.tool.version)),
];

/// All facts, in the order of the page.
pub fn facts(comparison: &Comparison<'_>, lang: Lang) -> Vec<Fact> {
    let values = |of: fn(&RunResult, Lang) -> String| {
        comparison.runs().iter().map(|side| of(side.run, lang)).collect()
    };
    ROWS.iter().map(|([en, zh], of)| Fact { name: lang.pick(en, zh), values: values(*of) }).collect()
}

fn optional(text: Option<&str>) -> String {
    text.unwrap_or(UNKNOWN).to_owned()
}

fn scenario(run: &RunResult) -> String {
    let hash: String = run.scenario.sha256.chars().take(HASH).collect();
    format!("{} ({hash})", run.scenario.path)
}

fn overrides(run: &RunResult) -> String {
    let set: Vec<String> =
        run.scenario.overrides.iter().map(|change| format!("{} = {}", change.key, change.value)).collect();
    if set.is_empty() { UNKNOWN.to_owned() } else { set.join(", ") }
}
