//! The binary `rungs`: arguments, order of steps, progress, exit code.

mod against;
mod args;
mod baseline;
mod called;
mod command;
mod diagnose;
mod exit;
mod files;
mod format;
mod outputs;
mod prepare;
mod progress;
mod record;
mod samples_file;
mod saved;
mod screen;
mod signals;
mod subject;
mod watcher;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Parser as _;

use args::{Args, Command};
use exit::Code;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(tell_bug));
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // `--help` and `--version` are no errors.
            let code = if error.use_stderr() { Code::Usage } else { Code::Done };
            let _ = error.print();
            return code.into();
        }
    };
    let code = std::panic::catch_unwind(|| dispatch(args.command)).unwrap_or(Code::Bug);
    code.into()
}

/// Says it once: what happens to one request may happen to thousands.
fn tell_bug(panic: &std::panic::PanicHookInfo<'_>) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    // A worker goes on without the request.
    let is_worker = std::thread::current().name().is_some_and(|name| name.starts_with(engine::WORKER));
    let (stopped, rest) = match is_worker {
        true => ("", "The request counts as failed, the run goes on. "),
        false => (" and stopped", ""),
    };
    if !is_worker || !TOLD.swap(true, Ordering::Relaxed) {
        screen::talk(format_args!(
            "rungs hit a bug{stopped}: {panic}\n{rest}This is a fault of the program, not of your scenario; please \
             report it with the scenario file (without keys)."
        ));
    }
}

fn dispatch(command: Command) -> Code {
    match command {
        Command::Run(args) => command::run(&args),
        Command::Calibrate(args) => command::calibrate(&args),
        Command::Check(args) => command::check(&args),
        Command::Plan(args) => command::plan(&args),
        Command::Probe(args) => command::probe(&args),
        Command::Report(args) => command::report(&args),
        Command::Compare(args) => command::compare(&args),
        Command::Gate(args) => command::gate(&args),
        Command::Baseline(args) => command::baseline(&args),
        Command::Mock(args) => command::mock(&args),
        Command::Schema(args) => command::schema(&args),
    }
}
