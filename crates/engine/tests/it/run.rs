//! Runs a scenario as `rungs run` does, without a screen: TOML in, samples and stages out.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{PoisonError, RwLock};

use engine::{Clock, Endpoints, Observer, Recording, Settings, Stopper, stop};
use measure::Sample;
use measure::sample::Attempt;
use measure::stage::StageFrame;
use scenario::plan::{Endpoint, Server, Stage, Target};
use scenario::{Diagnostics, Layers, Plan, Scenario};

/// Held by every run, and held alone by one that measures.
static QUIET: RwLock<()> = RwLock::new(());

/// What a run brought, with every sample.
pub(crate) struct Outcome {
    /// What its instants are read from.
    pub(crate) clock: Clock,
    pub(crate) recording: Recording,
    pub(crate) samples: Vec<Sample>,
    /// Passages in the order in which they began, each with its index.
    pub(crate) passages: Vec<(usize, StageFrame)>,
}

#[derive(Default)]
struct Collector {
    samples: Vec<Sample>,
    passages: Vec<(usize, StageFrame)>,
}

impl Observer for Collector {
    fn stage_started(&mut self, index: usize, _: &Stage, frame: &StageFrame) {
        self.passages.push((index, frame.clone()));
    }

    fn sample(&mut self, sample: &Sample) {
        self.samples.push(sample.clone());
    }
}

/// The built-in server, on a port of its own.
pub(crate) fn mock(settings: &str) -> mock::Server {
    mock::Server::start(mock::Config::from_query(settings).unwrap(), 0).unwrap()
}

/// Runs a scenario text.
pub(crate) fn run(toml: &str) -> Outcome {
    run_with(toml, |_| {})
}

/// Runs a scenario text; `meanwhile` gets the means to stop it.
pub(crate) fn run_with(toml: &str, meanwhile: impl FnOnce(Stopper)) -> Outcome {
    let _among_others = QUIET.read().unwrap_or_else(PoisonError::into_inner);
    run_now(toml, BTreeMap::new(), meanwhile)
}

/// Runs a scenario text while no other test of this binary runs one: for measurements.
pub(crate) fn run_alone(toml: &str) -> Outcome {
    let _alone = QUIET.write().unwrap_or_else(PoisonError::into_inner);
    run_now(toml, BTreeMap::new(), |_| {})
}

fn run_now(toml: &str, environment: BTreeMap<String, String>, meanwhile: impl FnOnce(Stopper)) -> Outcome {
    run_plan(&load(toml, environment).unwrap_or_else(|problems| panic!("{problems}")), meanwhile)
}

/// Reads a scenario text under an environment.
pub(crate) fn load(toml: &str, environment: BTreeMap<String, String>) -> Result<Plan, Diagnostics> {
    let mut file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    file.write_all(toml.as_bytes()).unwrap();
    let layers = Layers { environment, ..Layers::default() };
    scenario::load(file.path(), &layers).map(Scenario::plan)
}

/// As [`run_alone`], on so many worker threads.
pub(crate) fn run_alone_on(workers: usize, toml: &str) -> Outcome {
    let _alone = QUIET.write().unwrap_or_else(PoisonError::into_inner);
    let plan = load(toml, BTreeMap::new()).unwrap_or_else(|problems| panic!("{problems}"));
    run_plan_on(workers, &plan, |_| {})
}

/// Carries a plan out; `meanwhile` gets the means to stop it.
pub(crate) fn run_plan(plan: &Plan, meanwhile: impl FnOnce(Stopper)) -> Outcome {
    run_plan_on(1, plan, meanwhile)
}

fn run_plan_on(workers: usize, plan: &Plan, meanwhile: impl FnOnce(Stopper)) -> Outcome {
    let endpoints =
        Endpoints { a: endpoint(&plan.target), b: plan.against.as_ref().map(|b| endpoint(&b.target)) };
    let (stopper, listener) = stop();
    meanwhile(stopper);
    let mut collector = Collector::default();
    let settings = Settings { workers, clock: Clock::start() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let running = engine::run(plan, endpoints, settings, &mut collector, listener);
    let recording = runtime.block_on(running).unwrap();
    let Collector { samples, passages } = collector;
    Outcome { clock: settings.clock, recording, samples, passages }
}

fn endpoint(target: &Target) -> &Endpoint {
    let Server::At(endpoint) = &target.server else { panic!("the test gives an address") };
    endpoint
}

/// A scenario for one server and protocol; `rest` is added as it stands.
pub(crate) fn scenario(port: u16, api: &str, rest: &str) -> String {
    let model = if api == "dify-chat" { "" } else { "model = \"m\"\n" };
    format!(
        "[target]\nhost = \"127.0.0.1\"\nport = {port}\napi = \"{api}\"\n{model}{rest}\n[data]\nquery = \"hi\"\n"
    )
}

/// Sends `requests` from one user, without a preflight, and gives their attempts.
pub(crate) fn attempts(port: u16, api: &str, requests: u32, target: &str) -> Vec<Attempt> {
    attempts_with(port, api, requests, target, BTreeMap::new())
}

/// As [`attempts`], under an environment.
pub(crate) fn attempts_with(
    port: u16,
    api: &str,
    requests: u32,
    target: &str,
    environment: BTreeMap<String, String>,
) -> Vec<Attempt> {
    let outcome = requests_of_one_user(port, api, requests, target, environment);
    outcome.samples.into_iter().flat_map(|sample| sample.attempts).collect()
}

/// The run of one stage in which one user sends `requests`, without a preflight.
pub(crate) fn requests_of_one_user(
    port: u16,
    api: &str,
    requests: u32,
    target: &str,
    environment: BTreeMap<String, String>,
) -> Outcome {
    let rest = format!("{target}\n[load]\nstages = [1]\nstage_requests = {requests}\npreflight = false\n");
    let _among_others = QUIET.read().unwrap_or_else(PoisonError::into_inner);
    let outcome = run_now(&scenario(port, api, &rest), environment, |_| {});
    let stage = &outcome.recording.stages[0];
    assert!(stage.counts.balance(), "{:?}", stage.counts);
    outcome
}
