//! From a recording to the result that every report shows.

use std::collections::BTreeMap;

use engine::{Breached, Proved, Recording};
use measure::distribution::round;
use measure::gate::{self, Reference};
use measure::ladder::ladder;
use measure::result::{
    CancelLine, Exit, Fingerprint, GateResult, Ladder, LoadLine, Machine, Override, Preflight, RetryLine,
    RunResult, SCHEMA_VERSION, SearchLine, StopLine, Tool, Verdict, Warning,
};
use measure::{Amount, ErrorClass, Level};
use report::{Lang, conclusion, warnings};
use scenario::plan::{Auth, Plan, Search, TlsVerification, WarmUp};

use crate::against::against;
use crate::baseline::{BaselineState, tight};

/// The result of a run, without its exit code.
pub(crate) fn result(plan: &Plan, recording: Recording, baseline: &BaselineState, lang: Lang) -> RunResult {
    let objectives = objectives(plan);
    // A search breaks things on purpose: it is no part of the gate, nor of the ladder.
    let climbed = &recording.stages[..plan.load.stages.len().min(recording.stages.len())];
    let search = plan.load.search.as_ref().zip(recording.proved).map(search_line);
    let boundary = search.and_then(|search| search.holds).map(|holds| Amount(f64::from(holds)));
    let against = plan.of_b().zip(recording.against).map(|(b, side)| against(&b, side));
    let reference = match &against {
        Some(against) => Some(Reference::Against(against)),
        None => baseline.usable().map(Reference::Baseline),
    };
    let gate = match recording.stages.is_empty() {
        true => GateResult { verdict: Verdict::None, checks: Vec::new() },
        false => gate::judge(&plan.gate.rules, climbed, reference),
    };
    let stop = recording.breached.as_ref().map(|breached| stop_line(breached, plan));
    let mut run = RunResult {
        schema_version: SCHEMA_VERSION,
        tool: Tool { name: "rungs".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        status: recording.status,
        exit: Exit::default(),
        test_name: plan.name.clone(),
        provider: plan.target.provider.clone(),
        base_url: plan.target.base_url.clone(),
        url: plan.target.url(),
        proxy: plan.target.proxy.as_ref().map(scenario::plan::Proxy::shown),
        api: plan.target.api.name().to_owned(),
        model: plan.target.model.clone(),
        stream: plan.target.stream,
        auth_header: auth_header(plan),
        headers: masked_headers(plan),
        started_at: utc(recording.started_at),
        finished_at: utc(recording.finished_at),
        seed: plan.seed,
        scenario: fingerprint(plan),
        machine: machine(recording.workers),
        preflight: recording.preflight.as_ref().map(Preflight::of),
        ladder: Ladder { boundary, ..ladder(climbed, objectives) },
        search,
        load: Some(load_line(plan)),
        stages: recording.stages,
        stop,
        against,
        warnings: Vec::new(),
        gate,
        cost: plan
            .target
            .price
            .as_ref()
            .map(|price| round(price.of(recording.spent.input, recording.spent.output))),
        currency: plan.target.price.as_ref().map(|price| price.currency.clone()),
        conclusion: String::new(),
        notes: plan.notes.clone(),
    };
    run.warnings = run_warnings(plan, recording.spent_cap, baseline, lang);
    run.warnings.extend(tight_checks(plan, &run, baseline, lang));
    run.warnings.extend(warnings::of_stages(&run, lang));
    run.conclusion = conclusion::of(&run, objectives, lang);
    run
}

/// Limits of ttft, tpot and e2e.
pub(crate) fn objectives(plan: &Plan) -> [Option<std::time::Duration>; 3] {
    [plan.objectives.ttft, plan.objectives.tpot, plan.objectives.e2e]
}

fn utc(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The header of the key as it is sent, without the key.
pub(crate) fn auth_header(plan: &Plan) -> Option<String> {
    if plan.target.keys.values.is_empty() {
        return None;
    }
    match plan.target.auth {
        Auth::Bearer => Some("Authorization: Bearer ***".to_owned()),
        Auth::XApiKey => Some("x-api-key: ***".to_owned()),
        Auth::None => None,
    }
}

/// The headers as they are sent, without a secret.
pub(crate) fn masked_headers(plan: &Plan) -> BTreeMap<String, String> {
    let shown = |header: &scenario::plan::Header| match header.masked {
        true => "***".to_owned(),
        false => header.value.expose().to_owned(),
    };
    let mut headers: BTreeMap<String, String> =
        plan.target.headers.iter().map(|header| (header.name.clone(), shown(header))).collect();
    headers.insert(plan.target.request_id_header.clone(), "<per request>".to_owned());
    if let Some((name, value)) = auth_header(plan).as_deref().and_then(|header| header.split_once(": ")) {
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    headers
}

fn search_line((search, proved): (&Search, Proved)) -> SearchLine {
    SearchLine {
        unit: search.stage.level().unit(),
        low: search.low,
        high: search.high,
        resolution: search.resolution,
        holds: proved.holds,
        breaks: proved.breaks,
        undecided: proved.undecided,
    }
}

fn stop_line(breached: &Breached, plan: &Plan) -> StopLine {
    let stage = plan.load.stages.get(breached.stage);
    let level = stage.map(scenario::plan::Stage::level);
    StopLine {
        stage: stage.map(|stage| stage.name.clone()).unwrap_or_default(),
        concurrency: level.and_then(Level::users),
        rate: level.and_then(Level::rate).map(Amount),
        side: plan.against.as_ref().map(|_| breached.side),
        check: breached.breach.check.clone(),
        value: round(breached.breach.value),
        limit: breached.breach.limit,
        at_s: round(breached.at.seconds()),
    }
}

/// How the load was applied, beyond what each stage says of itself.
fn load_line(plan: &Plan) -> LoadLine {
    let load = &plan.load;
    let seconds = |time: std::time::Duration| round(time.as_secs_f64());
    let checks = |rules: &[gate::Rule]| rules.iter().map(|rule| rule.check.text.clone()).collect();
    let retry = Some(&load.retry).filter(|retry| retry.max > 0);
    LoadLine {
        warm_up: load.warm_up.map(warm_up_text),
        distinct_prompts: plan.bodies.distinct() as u64,
        cool_down_s: seconds(load.cool_down),
        drain_timeout_s: seconds(load.drain_timeout),
        max_requests: load.max_requests,
        cancel: load.cancel.map(|cancel| CancelLine { ratio: cancel.ratio, after_s: seconds(cancel.after) }),
        retry: retry.map(|retry| RetryLine {
            max: retry.max,
            on: retry.on.iter().copied().map(ErrorClass::name).map(str::to_owned).collect(),
            base_s: seconds(retry.base),
            cap_s: seconds(retry.cap),
        }),
        stop: checks(&load.stop),
        search: load.search.as_ref().map(|search| checks(&search.checks)).unwrap_or_default(),
    }
}

fn warm_up_text(warm_up: WarmUp) -> String {
    match warm_up {
        WarmUp::Requests(1) => "1 request".to_owned(),
        WarmUp::Requests(n) => format!("{n} requests"),
        WarmUp::For(time) => format!("{}s", Amount(time.as_secs_f64())),
    }
}

/// The scenario that is run.
pub(crate) fn fingerprint(plan: &Plan) -> Fingerprint {
    let of = &plan.fingerprint;
    Fingerprint {
        path: of.path.display().to_string(),
        sha256: of.sha256.clone(),
        profile: of.profile.clone(),
        overrides: of
            .overrides
            .iter()
            .map(|change| Override {
                key: change.key.clone(),
                value: change.value.clone(),
                source: change.source.clone(),
                changes_workload: change.changes_workload,
            })
            .collect(),
        workload: Some(plan.workload()),
    }
}

fn machine(workers: usize) -> Machine {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    Machine { os: std::env::consts::OS.to_owned(), cpus, workers }
}

/// Checks that allow less than calibration saw runs differ by.
fn tight_checks(plan: &Plan, run: &RunResult, baseline: &BaselineState, lang: Lang) -> Vec<Warning> {
    let Some(baseline) = baseline.usable() else { return Vec::new() };
    let sentences = tight(&plan.gate.rules, &run.stages, |stage| stage.rounds.len(), baseline, lang);
    let warning = |text| Warning { code: "tight_check".to_owned(), stage: None, text };
    sentences.into_iter().map(warning).collect()
}

fn run_warnings(plan: &Plan, spent_cap: Option<u64>, baseline: &BaselineState, lang: Lang) -> Vec<Warning> {
    let warning = |code: &str, text: String| Warning { code: code.to_owned(), stage: None, text };
    let mut all = Vec::new();
    let mut targets = std::iter::once(&plan.target).chain(plan.against.iter().map(|against| &against.target));
    if targets.any(|target| target.tls.verification == TlsVerification::Off) {
        let text = lang.pick(
            "the server's certificate was not verified (`insecure = true`)",
            "未校验服务器证书（`insecure = true`）",
        );
        all.push(warning("insecure", text.to_owned()));
    }
    if let BaselineState::Unusable(reason) = baseline {
        let text = lang.pick(
            format!("checks against the baseline were not judged: {reason}"),
            format!("与基线比较的检查未判定：{reason}"),
        );
        all.push(warning("no_baseline", text));
    }
    if let Some(cap) = spent_cap {
        let text = lang.pick(
            format!("the cap of {cap} requests (`load.max_requests`) ended the run"),
            format!("达到请求总数上限 {cap}（`load.max_requests`），运行结束"),
        );
        all.push(warning("request_cap", text));
    }
    all
}
