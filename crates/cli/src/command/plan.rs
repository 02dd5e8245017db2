//! `rungs plan FILE`: what would be sent, without sending it.

use scenario::plan::describe;

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
    lines.push(String::new());
    lines.extend(masked_headers(&plan).iter().map(|(name, value)| format!("{name}: {value}")));
    lines.push(String::new());
    lines.push(pretty(&plan.bodies.sample()));
    lines.extend(plan.notices.iter().map(|notice| format!("note: {notice}")));
    lines.extend(
        plan.fingerprint
            .overrides
            .iter()
            .map(|change| format!("override: {} = {} ({})", change.key, change.value, change.source)),
    );
    screen::data(lines.join("\n") + "\n")
}

/// The body as a person reads it.
fn pretty(body: &[u8]) -> String {
    match serde_json::from_slice::<serde_json::Value>(body) {
        Ok(value) => serde_json::to_string_pretty(&value).unwrap_or_default(),
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}
