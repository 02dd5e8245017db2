//! From a file to a plan that can be run: what `check`, `plan` and `run` have in common, so that there is no second
//! validator.

use std::collections::BTreeMap;
use std::path::Path;

use report::Lang;
use scenario::plan::{self, Plan, Server};

use crate::args::{Language, LayerArgs};
use crate::exit::Code;
use crate::screen;

/// A plan, and the mock's settings where the target is the mock.
pub(crate) struct Prepared {
    pub(crate) plan: Plan,
    pub(crate) mock: Option<mock::Config>,
    /// Those of B, where there is one and it is the mock.
    pub(crate) mock_of_b: Option<mock::Config>,
}

/// Loads a scenario file; every problem is said, and nothing else.
pub(crate) fn prepare(file: &Path, layers: &scenario::Layers) -> Result<Prepared, Code> {
    let scenario = scenario::load(file, layers).map_err(|problems| {
        screen::talk(problems);
        Code::Scenario
    })?;
    let plan = scenario.plan();
    let mock = rehearse(file, &plan, "target.base_url")?;
    let mock_of_b = plan.of_b().map(|b| rehearse(file, &b, "target.b.base_url")).transpose()?.flatten();
    Ok(Prepared { plan, mock, mock_of_b })
}

/// What is found only with the network's own eyes, without sending anything; gives the mock's settings, if it is the mock
/// that `key` names.
fn rehearse(file: &Path, plan: &Plan, key: &str) -> Result<Option<mock::Config>, Code> {
    match &plan.target.server {
        Server::At(endpoint) => {
            engine::rehearse(plan, endpoint).map_err(|error| refuse(file, &error.to_string()))?;
            Ok(None)
        }
        Server::Mock { settings, .. } => mock::Config::from_query(settings).map(Some).map_err(|error| {
            refuse(file, &format!("the settings of `mock://` in `{key}` cannot be used: {error}"))
        }),
    }
}

/// Says the one problem that is found only with the network's own eyes.
fn refuse(file: &Path, problem: &str) -> Code {
    let file = file.display();
    screen::talk(format_args!("error: {problem}\n  --> {file}\n\n1 problem in {file}; nothing was sent"));
    Code::Scenario
}

/// What the command line and the environment lay over the file.
pub(crate) fn layers(args: &LayerArgs) -> scenario::Layers {
    scenario::Layers {
        profile: args.profile.clone(),
        set: args.set.clone(),
        environment: environment(),
        stages: args.stages.clone(),
        seed: args.seed,
        against: args.against.clone(),
        baseline: args.baseline.clone(),
        out: args.out.clone(),
        lang: args.lang.map(|lang| match lang {
            Language::En => plan::Language::English,
            Language::Zh => plan::Language::Chinese,
        }),
        quiet: false,
    }
}

/// The process's environment; variables that are not text cannot be meant for a text file.
fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The language of the reports: the scenario's, else the system's.
pub(crate) fn language(plan: Option<plan::Language>) -> Lang {
    match plan {
        Some(plan::Language::English) => Lang::En,
        Some(plan::Language::Chinese) => Lang::Zh,
        None => {
            let set = |name: &&str| std::env::var(name).is_ok_and(|value| !value.is_empty());
            // The first of these that is set decides, as everywhere.
            let name = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find(set);
            let value = name.and_then(|name| std::env::var(name).ok()).unwrap_or_default();
            if value.starts_with("zh") { Lang::Zh } else { Lang::En }
        }
    }
}
