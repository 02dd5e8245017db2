//! `rungs plan FILE`: what would be sent, without sending it.

use scenario::plan::{Plan, describe};

use crate::args::PlanArgs;
use crate::exit::Code;
use crate::prepare::{Prepared, layers, prepare};
use crate::record::masked_headers;
use crate::screen;

pub(crate) fn plan(args: &PlanArgs) -> Code {
    let Prepared { plan, .. } = match prepare(&args.file, &layers(&args.layers)) {
        Ok(prepared) => prepared,
        Err(code) => return code,
    };
    let mut lines = describe(&plan);
    lines.push(String::new());
    lines.extend(plan.load.stages.iter().map(scenario::plan::describe_stage));
    match plan.of_b() {
        None => lines.extend(request(&plan)),
        Some(b) => {
            for (whom, side) in [("A", &plan), ("B", &b)] {
                lines.push(format!("\n{whom} is sent"));
                lines.extend(request(side));
            }
        }
    }
    lines.extend(plan.notices.iter().map(|notice| format!("note: {notice}")));
    lines.extend(
        plan.fingerprint
            .overrides
            .iter()
            .map(|change| format!("override: {} = {} ({})", change.key, change.value, change.source)),
    );
    screen::data(lines.join("\n") + "\n")
}

/// Headers and an example of a body, as a request of this plan carries them.
fn request(plan: &Plan) -> Vec<String> {
    let headers = masked_headers(plan).into_iter().map(|(name, value)| format!("{name}: {value}"));
    let blank = String::new;
    [blank()].into_iter().chain(headers).chain([blank(), pretty(&plan.bodies.sample())]).collect()
}

/// The body as a person reads it.
fn pretty(body: &[u8]) -> String {
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(value) => serde_json::to_string_pretty(&value).unwrap_or_default(),
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}
