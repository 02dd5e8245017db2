//! What is sent and how, as two runs are compared by it: everything that changes the workload, in a form that comments,
//! the order of keys and their spelling do not change.
//!
//! Left out on purpose: where requests go and how they are let in (address, proxy, TLS, keys, headers, which may carry an id
//! of each run), how long is waited (timeouts, the drain), what can only cut a run short (`max_requests`, `stop`), what
//! comes after the ladder (`search`), names and reports, but for what some numbers are counted by. The texts are stored in results and baselines: another
//! wording makes every one of them another load.

use std::time::Duration;

use measure::gate::{OBJECTIVES, READING_SPEED};
use measure::{Amount, Settings, Workload};
use serde_json::{Value, json};

use super::{
    Arrival, Cancel, HttpVersion, Mark, Objectives, Plan, Pointer, Response, Retry, Shape, Stage, StageEnd,
    ThinkTime, WarmUp, Work,
};
use crate::digest::of_values;

const NONE: &str = "none";

impl Plan {
    /// What this run sends, and how: two runs of the same workload can be compared.
    pub fn workload(&self) -> Workload {
        let digests = self.bodies.digests();
        Workload {
            bodies: digests.bodies.clone(),
            data: digests.data.clone(),
            settings: settings(self),
            yardsticks: yardsticks(self),
            stages: self.load.stages.iter().map(|stage| (stage.name.clone(), of_stage(stage))).collect(),
        }
    }
}

fn settings(plan: &Plan) -> Settings {
    let (target, load) = (&plan.target, &plan.load);
    let http = match target.http {
        HttpVersion::One => "1.1",
        HttpVersion::Two => "2",
        HttpVersion::Auto => "auto",
    };
    let response = target.response.as_ref().map(|response| ("response", of_response(response)));
    let always = [
        ("cancel", load.cancel.map_or_else(|| NONE.to_owned(), of_cancel)),
        ("cool_down", seconds(load.cool_down)),
        ("http", http.to_owned()),
        ("keep_alive", target.keep_alive.to_string()),
        ("order", plan.bodies.order()),
        ("preflight", load.preflight.to_string()),
        ("retry", of_retry(&load.retry)),
        ("stream", target.stream.to_string()),
        ("warm_up", load.warm_up.map_or_else(|| NONE.to_owned(), of_warm_up)),
    ];
    named(always.into_iter().chain(response))
}

/// Nothing of what is sent: two runs that differ in them are compared but for goodput and smoothness.
fn yardsticks(plan: &Plan) -> Settings {
    let Objectives { ttft, tpot, e2e } = plan.objectives;
    let limits = [("ttft", ttft), ("tpot", tpot), ("e2e", e2e)];
    let limits = limits.into_iter().filter_map(|(name, limit)| Some(format!("{name} {}", seconds(limit?))));
    let limits: Vec<String> = limits.collect();
    let objectives = if limits.is_empty() { NONE.to_owned() } else { limits.join(", ") };
    let reading_speed = plan.outputs.reading_speed.to_string();
    named([(OBJECTIVES, objectives), (READING_SPEED, reading_speed)].into_iter())
}

fn of_stage(stage: &Stage) -> Settings {
    let level = match stage.level() {
        measure::Level::Users(1) => "user",
        measure::Level::Users(_) => "users",
        measure::Level::Rate(_) => "requests/s",
    };
    let amount = stage.level().amount();
    let (level, ramp_up) = match stage.shape {
        Shape::Ramp { from } => (format!("{} to {amount} {level}", Amount(from)), NONE.to_owned()),
        Shape::Step { ramp_up, together } => (format!("{amount} {level}"), of_ramp_up(ramp_up, together)),
    };
    let length = match stage.end {
        StageEnd::After(window) => seconds(window),
        StageEnd::Requests(requests) => of_requests(requests),
        StageEnd::OnePerUser => "one request per user".to_owned(),
    };
    let work = match &stage.work {
        Work::Users { think_time, .. } => vec![("think_time", of_think_time(*think_time))],
        Work::Arrivals { arrival, max_in_flight, .. } => {
            vec![("arrival", of_arrival(arrival)), ("max_in_flight", max_in_flight.to_string())]
        }
    };
    named([("level", level), ("length", length), ("ramp_up", ramp_up)].into_iter().chain(work))
}

fn named(settings: impl Iterator<Item = (&'static str, String)>) -> Settings {
    settings.map(|(name, text)| (name.to_owned(), text)).collect()
}

fn of_ramp_up(ramp_up: Duration, together: u32) -> String {
    match (ramp_up, together) {
        (Duration::ZERO, _) => NONE.to_owned(),
        (ramp_up, 1) => seconds(ramp_up),
        (ramp_up, together) => format!("{}, {together} users at a time", seconds(ramp_up)),
    }
}

fn of_think_time(pause: ThinkTime) -> String {
    match (pause.min, pause.max) {
        (_, Duration::ZERO) => NONE.to_owned(),
        (min, max) if min == max => seconds(min),
        (min, max) => format!("{}..{}", seconds(min), seconds(max)),
    }
}

fn of_arrival(arrival: &Arrival) -> String {
    match arrival {
        Arrival::Constant | Arrival::Poisson => arrival.kind().name().to_owned(),
        Arrival::Gamma { burstiness } => format!("gamma, burstiness {burstiness}"),
        // As text: nanoseconds of a long trace are more than a JSON number holds exactly.
        Arrival::Trace(times) => {
            format!("trace {}", of_values(times.iter().map(|at| at.as_nanos().to_string().into())))
        }
    }
}

fn of_requests(requests: u64) -> String {
    match requests {
        1 => "1 request".to_owned(),
        requests => format!("{requests} requests"),
    }
}

fn of_warm_up(warm_up: WarmUp) -> String {
    match warm_up {
        WarmUp::Requests(requests) => of_requests(requests),
        WarmUp::For(time) => seconds(time),
    }
}

fn of_cancel(cancel: Cancel) -> String {
    match cancel.ratio {
        0.0 => NONE.to_owned(),
        ratio => format!("{ratio} of the requests after {}", seconds(cancel.after)),
    }
}

/// The order of the classes means nothing, and a class named twice nothing more.
fn of_retry(retry: &Retry) -> String {
    let mut classes: Vec<&str> = retry.on.iter().map(|class| class.name()).collect();
    classes.sort_unstable();
    classes.dedup();
    match retry.max == 0 || classes.is_empty() {
        true => NONE.to_owned(),
        false => {
            let waits = format!("base {}, cap {}", seconds(retry.base), seconds(retry.cap));
            format!("{} times on {}, {waits}", retry.max, classes.join(" "))
        }
    }
}

/// How answers are read says what the numbers of a custom api are numbers of.
fn of_response(response: &Response) -> String {
    let pointers = |all: &[Pointer]| all.iter().map(Pointer::to_string).collect::<Vec<_>>();
    let marks = |all: &[Mark]| all.iter().map(of_mark).collect::<Vec<_>>();
    of_values(std::iter::once(json!({
        "format": response.format.media_type(),
        "text": pointers(&response.text),
        "reasoning": pointers(&response.reasoning),
        "done": marks(&response.done),
        "error": marks(&response.error),
        "usage_output": pointers(&response.usage_output),
        "usage_input": pointers(&response.usage_input),
    })))
}

fn of_mark(mark: &Mark) -> Value {
    match mark {
        Mark::Event(event) => json!({ "event": event }),
        Mark::Data(data) => json!({ "data": data }),
        Mark::Equals { pointer, value } => json!({ "pointer": pointer.to_string(), "equals": value }),
        Mark::Present(pointer) => json!(pointer.to_string()),
    }
}

/// Without a unit to choose, `60s` and `1m` are one text.
fn seconds(time: Duration) -> String {
    format!("{}s", time.as_secs_f64())
}
