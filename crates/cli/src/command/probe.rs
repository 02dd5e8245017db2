//! `rungs probe FILE`: one request told step by step, and the diagnosis if it failed.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use engine::{Clock, Step};
use measure::offset::milliseconds;
use measure::request::RequestMetrics;
use measure::sample::Attempt;
use measure::{Flag, Offset, Outcome};
use report::{Lang, diagnosis, number, plain};
use scenario::plan::{Plan, describe};

use crate::args::ProbeArgs;
use crate::called::Called;
use crate::diagnose::{Diagnosis, Failure, diagnose};
use crate::exit::Code;
use crate::prepare::{Prepared, language, layers, prepare};
use crate::record::masked_headers;
use crate::screen;

pub(crate) fn probe(args: &ProbeArgs) -> Code {
    match steps(args) {
        Ok(code) | Err(code) => code,
    }
}

fn steps(args: &ProbeArgs) -> Result<Code, Code> {
    let Prepared { plan, mock, mock_of_b } = prepare(&args.file, &layers(&args.layers))?;
    let Some(b) = plan.of_b() else { return one(&plan, mock) };
    screen::data("A\n\n");
    let of_a = one(&Plan { against: None, ..plan }, mock)?;
    screen::data("\nB\n\n");
    let of_b = one(&b, mock_of_b)?;
    Ok(if of_a == Code::Done { of_b } else { of_a })
}

/// One request to the target of a plan.
fn one(plan: &Plan, mock: Option<mock::Config>) -> Result<Code, Code> {
    let lang = language(plan.outputs.lang);
    announce(plan);
    let called = Called::start(plan, mock)?;
    let endpoint = &called.endpoint;
    let clock = Clock::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        screen::talk(format_args!("error: the request cannot be sent: {error}"));
        Code::NotJudged
    })?;
    let tell = Arc::new(teller());
    let attempt = runtime.block_on(engine::probe(plan, endpoint, clock, tell)).map_err(|error| {
        screen::talk(format_args!("error: {error}"));
        Code::Scenario
    })?;
    let written = screen::data(ending(&attempt, plan.outputs.reading_speed));
    let (code, lines) = match attempt.outcome {
        Outcome::Failed(class) => {
            let Diagnosis { found, advice } = diagnose(plan, endpoint, &Failure::of(class, &attempt), lang);
            (Code::Target, named(&found, lang).chain(advice).collect())
        }
        Outcome::Ok | Outcome::Cancelled => (Code::Done, remark(&attempt, plan, lang)),
    };
    if !lines.is_empty() {
        screen::data(format_args!("\n{}\n", lines.join("\n")));
    }
    // Who cannot be told has not been told.
    Ok(if written == Code::Done { code } else { written })
}

/// Prints steps as they happen, in time since the first.
fn teller() -> impl Fn(Offset, Step) + Send + Sync {
    let start = OnceLock::new();
    move |at, step| {
        let start = *start.get_or_init(|| at);
        if let Some(told) = told(&step) {
            screen::data(row(at.since(start), &told));
        }
    }
}

/// What was found, as lines like those of the advice.
fn named(found: &[String], lang: Lang) -> impl Iterator<Item = String> + '_ {
    found.iter().map(move |text| diagnosis::row(lang.pick("found", "发现"), text))
}

/// An answer that is good and yet not what a load test wants.
fn remark(attempt: &Attempt, plan: &Plan, lang: Lang) -> Vec<String> {
    let has = |flag| attempt.flags.contains(flag);
    let text = match (has(Flag::NotStreamed), plan.target.stream) {
        _ if has(Flag::NoVisibleTokens) => lang.pick(
            "the server counts tokens that no event showed: do `text` and `reasoning` of a custom api name the right places?",
            "服务器统计了 token，却没有任何事件包含文本：自定义 api 的 `text` 与 `reasoning` 位置是否正确？",
        ),
        (true, _) => lang.pick(
            "a stream was asked for and one whole answer came: is `stream` set in the body, and does the endpoint stream?",
            "请求了流式输出，却收到一次性应答：请求体是否设置了 `stream`？端点是否支持流式？",
        ),
        (false, false) => lang.pick(
            "the body says `stream: false`: there will be no TTFT and no TPOT",
            "请求体设置了 `stream: false`：没有 TTFT 与 TPOT",
        ),
        (false, true) => return Vec::new(),
    };
    vec![diagnosis::row(lang.pick("note", "提示"), text)]
}

/// What is sent, before it is: address, headers (masked), the beginning of the body.
fn announce(plan: &Plan) {
    let mut lines = describe(plan)[..3].to_vec();
    lines.extend(plan.notices.iter().map(|notice| format!("note    {notice}")));
    lines.extend(masked_headers(plan).iter().map(|(name, value)| format!("send    {name}: {value}")));
    let body = plan.bodies.sample();
    lines.push(format!("send    {} bytes: {}", body.len(), plain::line(&String::from_utf8_lossy(&body))));
    screen::data(lines.join("\n") + "\n\n");
}

fn row(since_start: Duration, (name, text): &(&str, String)) -> String {
    format!("{:>10.1} ms  {name:<8} {text}\n", milliseconds(since_start))
}

fn told(step: &Step) -> Option<(&'static str, String)> {
    Some(match step {
        Step::Started => return None,
        // An address is its own.
        Step::Resolved { host, .. } if host.parse::<IpAddr>().is_ok() => return None,
        Step::Resolved { host, addresses } => {
            let all: Vec<String> = addresses.iter().map(|address| address.ip().to_string()).collect();
            ("resolve", format!("{host} -> {}", all.join(", ")))
        }
        Step::Connected { address } => {
            ("connect", address.map(|address| address.to_string()).unwrap_or_default())
        }
        Step::Tunnelled => ("tunnel", "the proxy opened it".to_owned()),
        Step::Secured { version, alpn } => {
            let alpn = alpn.as_ref().map(|alpn| format!(", {alpn}")).unwrap_or_default();
            ("tls", format!("{}{alpn}", version.as_deref().unwrap_or(number::UNKNOWN)))
        }
        Step::Usable { http } => ("ready", (*http).to_owned()),
        Step::Sent => ("send", "the request: zero of the latencies".to_owned()),
        Step::Head { status, headers } => {
            let all: Vec<String> =
                headers.iter().map(|(name, value)| format!("{name}: {}", plain::line(value))).collect();
            ("head", format!("HTTP {status}\n{:>24}{}", "", all.join(&format!("\n{:>24}", ""))))
        }
        Step::Event { name, data, is_token } => {
            let name = if name.is_empty() { String::new() } else { format!("[{}] ", plain::line(name)) };
            (if *is_token { "token" } else { "event" }, format!("{name}{}", plain::line(data)))
        }
    })
}

/// How it ended, and its numbers.
fn ending(attempt: &Attempt, reading_speed: f64) -> String {
    let outcome = match (attempt.outcome, &attempt.error) {
        (Outcome::Failed(class), Some(error)) => format!("{class}: {}", plain::line(&error.message)),
        (outcome, _) => outcome.to_string(),
    };
    row(attempt.at.end.since(attempt.at.start), &("end", outcome)) + "\n" + &numbers(attempt, reading_speed)
}

fn numbers(attempt: &Attempt, reading_speed: f64) -> String {
    let metrics = RequestMetrics::of(attempt, reading_speed);
    let ms = |value: Option<Duration>| number::ms(value.map(milliseconds));
    let tokens = |count: Option<u64>| count.map_or(number::UNKNOWN.to_owned(), |count| count.to_string());
    let mut lines = vec![format!(
        "TTFB {} ms, TTFT {} ms, TPOT {} ms, E2E {} ms; {} tokens out, {} in, {} chunks",
        ms(metrics.ttfb),
        ms(metrics.ttft),
        ms(metrics.tpot),
        ms(metrics.e2e),
        tokens(attempt.tokens.output),
        tokens(attempt.tokens.input),
        attempt.events.len(),
    )];
    let names: Vec<&str> = attempt.flags.iter().map(Flag::name).collect();
    if !names.is_empty() {
        lines.push(format!("flags: {}", names.join(", ")));
    }
    if let Some(reason) = &attempt.finish_reason {
        lines.push(format!("finish reason: {}", plain::line(reason)));
    }
    lines.push(format!("request id: {}", attempt.request_id));
    if let Some(excerpt) = attempt.error.as_ref().and_then(|error| error.excerpt.as_ref()) {
        lines.push(format!("body: {}", plain::line(excerpt)));
    }
    lines.join("\n") + "\n"
}
