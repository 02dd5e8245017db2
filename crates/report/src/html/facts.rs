//! What was run: target, headers, scenario, machine.

use measure::result::RunResult;
use serde::Serialize;

use super::policy;
use super::text::Text;
use crate::cost::cost;
use crate::number::{UNKNOWN, duration};

/// What stands in the page's head.
#[derive(Debug, Serialize)]
pub(super) struct Run {
    test_name: String,
    provider: Option<String>,
    model: Option<String>,
    api: String,
    base_url: String,
    started_at: String,
    notes: Option<String>,
    version: String,
}

pub(super) fn run(run: &RunResult) -> Run {
    Run {
        test_name: run.test_name.clone(),
        provider: run.provider.clone(),
        model: run.model.clone(),
        api: run.api.clone(),
        base_url: run.base_url.clone(),
        started_at: run.started_at.clone(),
        notes: run.notes.clone(),
        version: format!("{} {}", run.tool.name, run.tool.version),
    }
}

/// The section "what was run".
#[derive(Debug, Serialize)]
pub(super) struct Facts {
    rows: Vec<(Text, Text)>,
    headers: Vec<(String, String)>,
    overrides: Vec<Override>,
}

#[derive(Debug, Serialize)]
struct Override {
    key: String,
    value: String,
    source: String,
    changes_workload: bool,
}

pub(super) fn of(run: &RunResult) -> Facts {
    let overrides = run.scenario.overrides.iter().map(|change| Override {
        key: change.key.clone(),
        value: change.value.clone(),
        source: change.source.clone(),
        changes_workload: change.changes_workload,
    });
    Facts {
        rows: [target(run), policy::rows(run), scenario(run), machine(run)].concat(),
        headers: run.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        overrides: overrides.collect(),
    }
}

fn target(run: &RunResult) -> Vec<(Text, Text)> {
    let stream = match run.stream {
        true => Text::new("streaming", "流式"),
        false => Text::new("not streaming", "非流式"),
    };
    vec![
        (Text::same("URL"), Text::same(run.url.as_str())),
        (Text::new("Proxy", "代理"), optional(run.proxy.as_deref())),
        (Text::same("API"), Text::same(run.api.as_str())),
        (Text::new("Model", "模型"), optional(run.model.as_deref())),
        (Text::new("Provider", "服务商"), optional(run.provider.as_deref())),
        (Text::new("Answers", "应答方式"), stream),
        (Text::new("Preflight", "预检请求"), preflight(run)),
        (Text::new("Cost", "费用"), cost(run).map_or_else(|| Text::same(UNKNOWN), Text::same)),
    ]
}

fn preflight(run: &RunResult) -> Text {
    let Some(preflight) = &run.preflight else { return Text::new("not sent", "未发送") };
    let (outcome, ttft, e2e) = (preflight.outcome, duration(preflight.ttft_ms), duration(preflight.e2e_ms));
    Text::new(
        format!("{outcome}; TTFT {ttft}, response time {e2e}"),
        format!("{outcome}；TTFT {ttft}，响应时间 {e2e}"),
    )
}

fn scenario(run: &RunResult) -> Vec<(Text, Text)> {
    let of = &run.scenario;
    vec![
        (Text::new("Scenario", "场景文件"), Text::same(of.path.as_str())),
        (Text::same("SHA-256"), Text::same(of.sha256.as_str())),
        (Text::new("Profile", "配置档"), optional(of.profile.as_deref())),
        (Text::new("Seed", "随机种子"), Text::same(run.seed.to_string())),
    ]
}

fn machine(run: &RunResult) -> Vec<(Text, Text)> {
    let (os, cpus, workers) = (&run.machine.os, run.machine.cpus, run.machine.workers);
    vec![
        (Text::new("Started", "开始时间"), Text::same(run.started_at.as_str())),
        (Text::new("Finished", "结束时间"), Text::same(run.finished_at.as_str())),
        (
            Text::new("Machine", "压测机"),
            Text::new(
                format!("{os}, {cpus} CPUs, {workers} worker threads"),
                format!("{os}，{cpus} 个 CPU，{workers} 个工作线程"),
            ),
        ),
        (Text::new("Clock", "时钟"), clock(run)),
        (Text::new("Version", "版本"), Text::same(format!("{} {}", run.tool.name, run.tool.version))),
    ]
}

/// What stamped the arrivals; every stage has the same.
fn clock(run: &RunResult) -> Text {
    match run.stages.iter().map(|stage| stage.client.clock.as_str()).find(|clock| !clock.is_empty()) {
        Some("kernel") => Text::new("stamps of the kernel's socket", "内核套接字时间戳"),
        Some("read") => Text::new("stamps right after each read", "每次读取后的时间戳"),
        Some(other) => Text::same(other),
        None => Text::same(UNKNOWN),
    }
}

fn optional(text: Option<&str>) -> Text {
    Text::same(text.unwrap_or(UNKNOWN))
}
