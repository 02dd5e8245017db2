//! From a file and the layers over it to a scenario that is whole.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::against::{self, Apart};
use crate::data::{self, Order};
use crate::diagnostic::{Diagnostics, Place, Problems};
use crate::digest::sha256;
use crate::layers::{self, Ground, Layer, Layers, Node, Parsed};
use crate::load::{read as read_load, refuse_indivisible};
use crate::overrides::overrides;
use crate::plan::{Bodies, Fingerprint, Plan};
use crate::read::{Context, Section};
use crate::text_file::{TextError, TextFile};
use crate::{gate, report, target, template};

/// A scenario that was read and found whole: everything it names exists, every value is in range, every body renders.
#[derive(Debug, Clone)]
pub struct Scenario {
    plan: Plan,
}

impl Scenario {
    /// The run it describes.
    pub fn plan(self) -> Plan {
        self.plan
    }
}

/// Reads a scenario file, lays `layers` over it, and reads every file it names. Nothing is sent and nothing written.
///
/// # Errors
/// Every problem that was found, at once.
pub fn load(path: &Path, layers: &Layers) -> Result<Scenario, Diagnostics> {
    let problems = Problems::default();
    let plan = read_file(path, &problems).and_then(|(file, sha256)| read(&file, sha256, layers, &problems));
    let notices = problems.finish(path)?;
    match plan {
        Some(plan) => Ok(Scenario { plan: Plan { notices, ..plan } }),
        None => Err(Diagnostics::incomplete(path)),
    }
}

fn read_file(path: &Path, problems: &Problems) -> Option<(Arc<TextFile>, String)> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("the scenario file cannot be used: {}", TextError::Unreadable(error));
            problems.error(&Place::File(path.to_owned()), message);
            return None;
        }
    };
    let sha256 = sha256(&bytes);
    match TextFile::decode(path, bytes) {
        Ok(file) => Some((file, sha256)),
        Err(TextError::NotUtf8 { line, column }) => {
            let place = Place::Line { path: path.to_owned(), line, column };
            problems.error_with_hint(&place, "a byte here is not UTF-8", "save the file as UTF-8");
            None
        }
        Err(error) => {
            problems.error(&Place::File(path.to_owned()), error.to_string());
            None
        }
    }
}

fn read(file: &Arc<TextFile>, sha256: String, options: &Layers, problems: &Problems) -> Option<Plan> {
    let parsed = layers::parse(file, problems)?;
    let mut stack = stack(parsed, options, problems);
    let nowhere = Place::File(file.path.clone());
    let values = match layers::merge(&mut stack) {
        Ok(values) => values,
        Err(error) => {
            problems.error(&nowhere, error);
            return None;
        }
    };
    let ground =
        Ground { layers: &stack, environment: &options.environment, problems, nowhere: nowhere.clone() };
    let root = Node::root(values, &ground);
    let context = Context {
        problems,
        directory: file.path.parent().unwrap_or(Path::new("")),
        environment: &options.environment,
        file: nowhere,
    };
    let fingerprint = Fingerprint {
        path: file.path.clone(),
        sha256,
        profile: options.profile.clone(),
        overrides: overrides(&root, &stack),
    };
    plan(Section::new(Some(&root), &context), fingerprint, options)
}

/// The layers from weak to strong.
fn stack(mut parsed: Parsed, options: &Layers, problems: &Problems) -> Vec<Layer> {
    let mut stack = vec![layers::defaults(problems), parsed.base];
    if let Some(name) = &options.profile {
        match parsed.profiles.remove(name) {
            Some(profile) => stack.push(profile),
            None => {
                let known: Vec<String> = parsed.profiles.keys().map(|name| format!("`{name}`")).collect();
                let hint = match known.is_empty() {
                    true => "the file has no `[profile.NAME]` table".to_owned(),
                    false => format!("the file has {}", known.join(", ")),
                };
                problems.error_with_hint(
                    &Place::Layer("--profile".into()),
                    format!("there is no profile `{name}`"),
                    hint,
                );
            }
        }
    }
    stack.push(layers::from_environment(&options.environment, problems));
    stack.push(layers::from_set(&options.set, problems));
    stack.push(layers::from_options(options, problems));
    stack
}

/// Reads every section; a problem in one does not keep the others from being read.
fn plan(root: Section<'_>, fingerprint: Fingerprint, options: &Layers) -> Option<Plan> {
    let (target_section, data_section) = (root.section("target"), root.section("data"));
    let target = target::read(target_section, data_section);
    let found_of_b = Problems::default();
    let context_of_b = root.context.with(&found_of_b);
    let apart = Apart::new(target_section, data_section, &context_of_b);
    let b = apart.read(&target);
    let data = data::read(data_section);
    let sides: Vec<&target::Settings> = [&target].into_iter().chain(&b).collect();
    let load = read_load(root.section("load"), longest(&sides), data.trace.as_deref());
    if b.is_some() {
        refuse_indivisible(root.section("load"), &load);
    }
    let rendered = template::render(data_section, &data, target.wanted());
    let other = fingerprint.overrides.iter().any(|change| change.key.starts_with("load."));
    let ladder = if other { gate::Ladder::Other(&load.stages) } else { gate::Ladder::Own(&load.stages) };
    let climbs = if b.is_some() { gate::Climbs::Once } else { gate::Climbs::AsSaid };
    let gate = gate::read(root.section("gate"), ladder, climbs, options.baseline.as_deref());
    let outputs = report::read(root.section("report"), options.out.as_deref());
    let objectives = report::read_objectives(root.section("objectives"));
    let stem =
        || fingerprint.path.file_stem().map_or("scenario".into(), |stem| stem.to_string_lossy().into_owned());
    let name = root.visible_text("name").unwrap_or_else(stem);
    let notes = root.text("notes");
    let against = b.and_then(|b| apart.side(b, &data));
    let Some(rendered) = rendered else {
        root.context.problems.absorb(found_of_b, "B");
        return None;
    };
    let order = Order::new(data.order, data.seed, rendered.bodies.len());
    let target = target.into_target(rendered.stream, rendered.model, target_section);
    root.context.problems.absorb(found_of_b, "B");
    let plan = Plan {
        name,
        notes,
        seed: data.seed,
        fingerprint,
        target,
        load,
        bodies: Bodies::new(rendered.bodies, order, data.digest()),
        against: None,
        objectives,
        outputs,
        gate,
        notices: Vec::new(),
    };
    let plan = match against {
        Some(side) => against::versus(plan, side, root),
        None => plan,
    };
    gate::note_baseline(&plan, root.context.problems);
    Some(plan)
}

/// The longest that a request of any side may last by any single timeout.
fn longest(sides: &[&target::Settings]) -> Duration {
    sides.iter().map(|side| target::longest(&side.timeouts)).max().unwrap_or_default()
}
