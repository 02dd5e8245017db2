//! What is about to happen, in one line each, said before the first request.

use std::time::Duration;

use super::{HttpVersion, Plan, Server, StageEnd, WarmUp};
use crate::value::show_duration;

/// The lines that `run` prints before its first request: address, api and model, key and where it came from, the
/// ladder and its time at most. A wrong variable shows here first.
pub fn describe(plan: &Plan) -> Vec<String> {
    vec![address(plan), protocol(plan), key(plan), ladder(plan), time(plan)]
}

/// One rung in one line.
pub fn describe_stage(stage: &super::Stage) -> String {
    let ramp = match stage.ramp_up.is_zero() {
        true => String::new(),
        false => format!(", users start over {}", show_duration(stage.ramp_up)),
    };
    let think = match (stage.think_time.min, stage.think_time.max) {
        (_, max) if max.is_zero() => String::new(),
        (min, max) if min == max => format!(", {} pause", show_duration(min)),
        (min, max) => format!(", {}..{} pause", show_duration(min), show_duration(max)),
    };
    let end = match stage.end {
        StageEnd::After(window) => format!("for {}", show_duration(window)),
        StageEnd::Requests(requests) => format!("for {requests} requests"),
        StageEnd::OnePerUser => "for one request each".to_owned(),
    };
    format!("stage   {}: {} users {end}{ramp}{think}", stage.name, stage.concurrency)
}

impl Plan {
    /// How long the run lasts when everything is answered in time: ramps, windows, pauses and a timed warm-up, without
    /// drains and without a warm-up that counts requests; `None` when a stage ends by requests.
    pub fn time_planned(&self) -> Option<Duration> {
        let stages = self.load.stages.iter().map(super::Stage::length);
        let stages = stages.sum_checked()?;
        let pauses = self.load.cool_down.saturating_mul(self.load.stages.len().saturating_sub(1) as u32);
        match self.load.warm_up {
            Some(WarmUp::For(duration)) => Some(stages.saturating_add(pauses).saturating_add(duration)),
            Some(WarmUp::Requests(_)) | None => Some(stages.saturating_add(pauses)),
        }
    }

    /// The longest the run can last: as planned, and every drain to its end.
    pub fn time_at_most(&self) -> Option<Duration> {
        let drains = self.load.stages.len()
            + usize::from(self.load.warm_up.is_some())
            + usize::from(self.load.preflight);
        let drains = self.load.drain_timeout.saturating_mul(drains as u32);
        Some(self.time_planned()?.saturating_add(drains).saturating_add(self.search_at_most()?))
    }

    /// The longest a search can last; nothing without one.
    fn search_at_most(&self) -> Option<Duration> {
        let Some(search) = &self.load.search else { return Some(Duration::ZERO) };
        let one = search
            .stage
            .length()?
            .saturating_add(self.load.drain_timeout)
            .saturating_add(self.load.cool_down);
        Some(one.saturating_mul(search.stages_at_most()))
    }
}

trait SumChecked {
    fn sum_checked(self) -> Option<Duration>;
}

impl<I: Iterator<Item = Option<Duration>>> SumChecked for I {
    fn sum_checked(mut self) -> Option<Duration> {
        self.try_fold(Duration::ZERO, |sum, next| Some(sum.saturating_add(next?)))
    }
}

fn address(plan: &Plan) -> String {
    let provider = plan.target.provider.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    match &plan.target.server {
        Server::At(endpoint) => format!("target  {}{provider}{}", endpoint.url(), way(plan)),
        Server::Mock { settings, path } => {
            format!("target  the built-in server, {path}{provider} [{settings}]")
        }
    }
}

/// What lies between, and another HTTP than the usual.
fn way(plan: &Plan) -> String {
    let http = match plan.target.http {
        HttpVersion::One => "",
        HttpVersion::Two => ", HTTP/2",
        HttpVersion::Auto => ", HTTP/2 or HTTP/1.1",
    };
    let proxy = plan.target.proxy.as_ref();
    let proxy = proxy.map(|proxy| format!(", through the proxy {} ({})", proxy.shown(), proxy.source));
    format!("{http}{}", proxy.unwrap_or_default())
}

fn protocol(plan: &Plan) -> String {
    let model = plan.target.model.as_deref().unwrap_or("none named");
    let stream = if plan.target.stream { "streaming" } else { "not streaming" };
    format!("api     {}, model {model}, {stream}", plan.target.api.name())
}

fn key(plan: &Plan) -> String {
    match &plan.target.keys.source {
        Some(source) => format!("key     *** from {source}"),
        None => "key     none".into(),
    }
}

fn ladder(plan: &Plan) -> String {
    let stages: Vec<String> = plan.load.stages.iter().map(|stage| stage.concurrency.to_string()).collect();
    let rows = plan.bodies.rows();
    let noun = if rows == 1 { "prompt" } else { "prompts" };
    let users = if stages == ["1"] { "user" } else { "users" };
    let retries = match plan.load.retry.max {
        0 => String::new(),
        max => format!(", each request up to {} times", max + 1),
    };
    let search = match &plan.load.search {
        None => String::new(),
        Some(search) => format!(
            ", then a search between {} and {} (at most {} stages)",
            search.low,
            search.high,
            search.stages_at_most()
        ),
    };
    let checks: Vec<String> = plan.load.stop.iter().map(|rule| format!("`{}`", rule.check.text)).collect();
    let stop = match checks.is_empty() {
        true => String::new(),
        false => format!(", while {} over the last 10 s", checks.join(" and ")),
    };
    format!("ladder  {} {users}, {rows} {noun}{stop}{retries}{search}", stages.join(" -> "))
}

fn time(plan: &Plan) -> String {
    let warm_up = match plan.load.warm_up {
        Some(WarmUp::Requests(requests)) => format!(" and {requests} requests of warm-up"),
        Some(WarmUp::For(_)) | None => String::new(),
    };
    match (plan.time_planned(), plan.time_at_most()) {
        (Some(planned), Some(most)) => {
            let search = plan.search_at_most().filter(|most| !most.is_zero());
            let search = search.map(|most| format!(" and up to {} of search", show_duration(most)));
            let (planned, most) = (show_duration(planned), show_duration(most));
            format!("time    {planned}{}, at most {most}{warm_up}", search.unwrap_or_default())
        }
        // The ladder's time is known, and the search's stages end by requests.
        (Some(planned), None) => {
            format!(
                "time    {}{warm_up}, then as long as the requests of the search take",
                show_duration(planned)
            )
        }
        (None, _) => {
            let requests = plan.load.stages.iter().filter_map(super::Stage::requests);
            let requests: u64 = requests.fold(0, u64::saturating_add);
            let search = if plan.load.search.is_some() { ", then the search" } else { "" };
            format!("time    as long as {requests} requests take{warm_up}{search}")
        }
    }
}
