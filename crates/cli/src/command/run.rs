//! `rungs run FILE`: the product's sentence, step by step.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use engine::{Clock, Endpoints, EngineError, Recording, Settings};
use measure::result::RunResult;
use measure::stage::Side;
use report::{Lang, json, plain, terminal};
use scenario::plan::{Plan, describe};

use crate::args::{LoadArgs, RunArgs};
use crate::baseline::BaselineState;
use crate::called::AllCalled;
use crate::diagnose::{Diagnosis, Failure, diagnose};
use crate::exit::{Circumstances, Code, Signal, judge};
use crate::files::{Places, replace};
use crate::format::Format;
use crate::prepare::{Prepared, language, layers, prepare};
use crate::record::result;
use crate::screen;
use crate::signals;
use crate::subject::Subject;
use crate::watcher::Watcher;

pub(crate) fn run(args: &RunArgs) -> Code {
    match steps(args) {
        Ok(code) | Err(code) => code,
    }
}

fn steps(args: &RunArgs) -> Result<Code, Code> {
    let prepared = ready(&args.load)?;
    let lang = language(prepared.plan.outputs.lang);
    let baseline = BaselineState::read(&prepared.plan, &Subject::planned(&prepared.plan));
    let ran = carry_out(&prepared, &args.load, &baseline, lang)?;
    let shown = tell(&ran.run, args, lang);
    ran.name_files();
    Ok(ran.code.or(shown))
}

/// The scenario with what the command line lays over it.
pub(super) fn ready(args: &LoadArgs) -> Result<Prepared, Code> {
    prepare(&args.file, &scenario::Layers { quiet: args.quiet, ..layers(&args.layers) })
}

/// A run that is over and written.
pub(super) struct Ran {
    pub(super) run: RunResult,
    pub(super) code: Code,
    advice: Vec<String>,
    places: Places,
}

/// From the first request to the last report.
pub(super) fn carry_out(
    prepared: &Prepared,
    args: &LoadArgs,
    baseline: &BaselineState,
    lang: Lang,
) -> Result<Ran, Code> {
    let plan = &prepared.plan;
    announce(plan);
    agree(plan, args)?;
    let clock = Clock::start();
    let places = Places::choose(plan, clock.wall(clock.now())).map_err(unwritable)?;
    let of_b = plan.of_b();
    let called = AllCalled::start(prepared, of_b.as_ref())?;
    let settings = Settings { workers: workers(args), clock };
    let unstarted = result(plan, Recording::unstarted(plan, settings), baseline, lang);
    let mut watcher = Watcher::open(plan, &places, &unstarted, baseline.usable()).map_err(unwritable)?;
    let (recording, signal) = climb(plan, called.endpoints(), settings, &mut watcher)?;
    watcher.hide();
    let Diagnosis { found, advice } = recording.aborted.as_ref().map_or_else(Diagnosis::default, |aborted| {
        let (plan, endpoint) = match (aborted.side, &of_b, &called.b) {
            (Side::B, Some(of_b), Some(called)) => (of_b, &called.endpoint),
            _ => (plan, &called.a.endpoint),
        };
        diagnose(plan, endpoint, &failure(aborted, &recording), lang)
    });
    let cause = recording.aborted.as_ref().map(|aborted| cause(aborted, lang));
    let unusable = cause.into_iter().chain(found).collect();
    let unaccounted = recording.unaccounted.clone();
    let mut around = Circumstances { signal, unaccounted, unwritten: Vec::new(), unusable };
    let run = result(plan, recording, baseline, lang);
    end_samples(watcher, &run, &mut around);
    let (run, code) = write_all(run, &places, around, lang);
    Ok(Ran { run, code, advice, places })
}

/// Says what runs before it runs: a wrong variable is the commonest mistake.
fn announce(plan: &Plan) {
    describe(plan).iter().for_each(screen::talk);
    plan.notices.iter().for_each(|notice| screen::talk(format_args!("note    {notice}")));
}

/// Load on somebody else's machine is asked for on a terminal.
fn agree(plan: &Plan, args: &LoadArgs) -> Result<(), Code> {
    if !plan.leaves_this_machine()
        || args.yes
        || screen::confirm("This sends load to a host that is not this machine. Go on?")
    {
        return Ok(());
    }
    screen::talk("nothing was sent");
    Err(Code::Usage)
}

/// One worker per CPU, one CPU left for everything else.
fn workers(args: &LoadArgs) -> usize {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    args.workers.map_or((cpus - 1).max(1), usize::from)
}

fn climb(
    plan: &Plan,
    endpoints: Endpoints<'_>,
    settings: Settings,
    watcher: &mut Watcher,
) -> Result<(Recording, Option<Signal>), Code> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        screen::talk(format_args!("error: the run cannot start: {error}"));
        Code::NotJudged
    })?;
    let (stopper, stop) = engine::stop();
    let signal = Rc::new(Cell::new(None));
    let recording = runtime.block_on(async {
        tokio::select! {
            recording = engine::run(plan, endpoints, settings, watcher, stop) => recording,
            () = signals::listen(stopper, Rc::clone(&signal)) => Err(EngineError::WorkerDied),
        }
    });
    match recording {
        Ok(recording) => Ok((recording, signal.get())),
        Err(error) => {
            watcher.close();
            screen::talk(format_args!("error: {error}"));
            Err(code_of(&error))
        }
    }
}

fn code_of(error: &EngineError) -> Code {
    match error {
        EngineError::CaFile { .. }
        | EngineError::ServerName(_)
        | EngineError::Tls(_)
        | EngineError::Header(_)
        | EngineError::Path(_) => Code::Scenario,
        EngineError::Descriptors { .. } | EngineError::Ports { .. } | EngineError::Worker(_) => {
            Code::NotJudged
        }
        EngineError::WorkerDied => Code::Bug,
    }
}

/// What is known of the failure that made the target unusable: more, where it was the one request before load.
fn failure<'a>(aborted: &'a engine::Aborted, recording: &'a Recording) -> Failure<'a> {
    let preflight = match (aborted.side, &recording.against) {
        (Side::B, Some(against)) => &against.preflight,
        _ => &recording.preflight,
    };
    let preflight = preflight.as_ref().and_then(|sample| sample.last());
    match (aborted.during, preflight) {
        (engine::During::Preflight, Some(attempt)) => Failure::of(aborted.class, attempt),
        _ => Failure { class: aborted.class, code: None, message: &aborted.message },
    }
}

/// Why the target cannot be used, in one line.
fn cause(aborted: &engine::Aborted, lang: Lang) -> String {
    let during = match aborted.during {
        engine::During::Preflight => lang.pick("the one request before load failed", "预检请求失败"),
        engine::During::WarmUp => lang.pick("the warm-up failed", "预热失败"),
        engine::During::Load => lang.pick("twenty requests in a row were refused", "连续二十个请求被拒绝"),
    };
    let of_b = match aborted.side {
        Side::A => "",
        Side::B => lang.pick("B: ", "B："),
    };
    let status = aborted.status.map(|status| format!("HTTP {status}, ")).unwrap_or_default();
    format!("{of_b}{during}: {status}{}: {}", aborted.class, plain::line(&aborted.message))
}

/// The last line of the samples: with it they tell as much as the result.
fn end_samples(mut watcher: Watcher, run: &RunResult, around: &mut Circumstances) {
    let (_, exit) = judge(run, around);
    watcher.ended(&RunResult { exit, ..run.clone() });
    around.unwritten.extend(watcher.close());
}

/// Writes every report; the result goes last, because it holds the exit code that the others' writing may change.
fn write_all(
    mut run: RunResult,
    places: &Places,
    mut around: Circumstances,
    lang: Lang,
) -> (RunResult, Code) {
    let mut code;
    (code, run.exit) = judge(&run, &around);
    let pages = [&places.html, &places.latest[1]].map(|path| (Format::Html, path));
    let others = places.others.iter().map(|(format, path)| (*format, path));
    for (format, path) in pages.into_iter().chain(others) {
        let written =
            format.render(&run, lang).and_then(|text| replace(path, text.as_bytes(), places.readers));
        note_failure(written, &mut around);
        // What is written next tells of it.
        (code, run.exit) = judge(&run, &around);
    }
    let written = json::render(&run).map_err(anyhow::Error::from).and_then(|text| {
        replace(&places.json, text.as_bytes(), places.readers)?;
        replace(&places.latest[0], text.as_bytes(), places.readers)
    });
    if written.is_err() {
        note_failure(written, &mut around);
        (code, run.exit) = judge(&run, &around);
        // Where only the copy failed, the result itself still tells of it.
        rescue(&mut run, places, &mut around);
    }
    (run, code)
}

/// What was measured is worth keeping: a result that has no place where it should go goes where temporary files do.
fn rescue(run: &mut RunResult, places: &Places, around: &mut Circumstances) {
    let write = |run: &RunResult, path: &Path| {
        json::render(run).is_ok_and(|text| replace(path, text.as_bytes(), places.readers).is_ok())
    };
    let name = places.json.file_name().unwrap_or_default();
    let elsewhere = std::env::temp_dir().join(name);
    if !write(run, &places.json) && write(run, &elsewhere) {
        around.unwritten.push(format!("the result is in `{}`", elsewhere.display()));
        (_, run.exit) = judge(run, around);
    }
}

fn note_failure(written: anyhow::Result<()>, around: &mut Circumstances) {
    around.unwritten.extend(written.err().map(|error| format!("{error:#}")));
}

/// The end of the run on the screen: table, warnings, conclusion, gate, exit code. Whether stdout took it.
fn tell(run: &RunResult, args: &RunArgs, lang: Lang) -> Code {
    let shown = match &args.json {
        Some(_) => {
            terminal::warnings(run, lang).iter().for_each(screen::talk);
            screen::data(json::render(run).unwrap_or_default())
        }
        None => screen::data(terminal::closing(run, lang)),
    };
    terminal::exit(run, lang).iter().for_each(screen::talk);
    shown
}

impl Ran {
    /// What helps if it failed, and where everything lies.
    pub(super) fn name_files(&self) {
        self.advice.iter().for_each(screen::talk);
        let places = &self.places;
        let others = places.others.iter().map(|(_, path)| path);
        let files = [&places.html, &places.json].into_iter().chain(others).chain(&places.samples);
        files.for_each(|path| screen::talk(path.display()));
    }
}

fn unwritable(error: anyhow::Error) -> Code {
    screen::talk(format_args!("error: {error:#}; nothing was sent"));
    Code::Output
}
