//! The live view on stderr: a row a second on a terminal with a bar below, plain rows at longer intervals elsewhere.

use std::time::Duration;

use engine::{BeforeLoad, Breached, Snapshot};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use measure::offset::milliseconds;
use measure::request::RequestMetrics;
use measure::{Offset, Outcome, Sample};
use report::number::{UNKNOWN, ms, of_check, percent, rate};
use scenario::plan::{Plan, Stage};

use crate::screen;

/// Off a terminal a row comes every so many seconds: a log is read later, and should stay short.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Draws the live view of one run.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    stage: String,
    stage_end: Option<Offset>,
    tally: Tally,
    chunks_before: u64,
    ticked_at: Offset,
    printed_at: Option<Offset>,
    /// The latest row, where it was not printed.
    unprinted: Option<String>,
    header_printed: bool,
    planned: Vec<Option<Duration>>,
    index: usize,
}

/// What the stage's finished requests amount to so far.
#[derive(Debug, Default)]
struct Tally {
    finished: u64,
    ok: u64,
    failed: u64,
    http_429: u64,
    e2e_ms: f64,
    tpot_ms: f64,
    tpot_n: u64,
    tokens: u64,
    chunks: u64,
}

impl Progress {
    /// A view of a plan's run.
    pub(crate) fn new(plan: &Plan) -> Self {
        let planned = plan.load.stages.iter().map(Stage::length).collect();
        Self {
            bar: screen::is_live().then(bar),
            stage: String::new(),
            stage_end: None,
            tally: Tally::default(),
            chunks_before: 0,
            ticked_at: Offset::ORIGIN,
            printed_at: None,
            unprinted: None,
            header_printed: false,
            planned,
            index: 0,
        }
    }

    pub(crate) fn before_load(&mut self, phase: BeforeLoad) {
        match phase {
            BeforeLoad::Preflight => self.say("preflight: one request"),
            BeforeLoad::PreflightAgain(wait) => {
                self.say(&format!("preflight: the endpoint is busy, again in {} s", wait.as_secs()));
            }
            BeforeLoad::NotStreamed => self.say(
                "warning: the preflight's answer was not streamed although that was asked for: there will be no TTFT; \
                 check `stream` in the body and whether the endpoint streams",
            ),
            BeforeLoad::WarmUp => self.say("warm-up"),
        }
    }

    pub(crate) fn stage_started(&mut self, index: usize, stage: &Stage) {
        self.stage.clone_from(&stage.name);
        self.index = index;
        self.stage_end = None;
        self.unprinted = None;
        self.tally = Tally::default();
        if !self.header_printed {
            self.header_printed = true;
            self.say(HEADER);
        }
    }

    pub(crate) fn breached(&mut self, breached: &Breached) {
        let (check, value) = (&breached.breach.check, breached.breach.value);
        let stage = self.stage.clone();
        self.say(&format!(
            "the climb ends at {stage}: `{check}` does not hold, {} over the last 10 s",
            of_check(check, value)
        ));
    }

    pub(crate) fn sample(&mut self, sample: &Sample) {
        self.tally.add(sample);
    }

    pub(crate) fn tick(&mut self, now: &Snapshot) {
        let Some(index) = now.stage else { return };
        let seconds = now.at.since(self.ticked_at).as_secs_f64().max(1e-3);
        let chunk_rate = (now.chunks - self.chunks_before) as f64 / seconds;
        self.ticked_at = now.at;
        self.chunks_before = now.chunks;
        self.stage_end = self.planned.get(index).copied().flatten().map(|length| now.stage_began + length);
        let row = self.row(now, chunk_rate);
        match &self.bar {
            Some(bar) => {
                bar.println(&row);
                bar.set_message(self.time_left(now.at));
            }
            None if self.is_due(now.at) => {
                self.printed_at = Some(now.at);
                self.unprinted = None;
                screen::talk(row);
            }
            None => self.unprinted = Some(row),
        }
    }

    /// The stage's last row, so that a log shows every rung.
    pub(crate) fn stage_ended(&mut self) {
        if self.bar.is_none()
            && let Some(row) = self.unprinted.take()
        {
            screen::talk(row);
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn is_due(&self, now: Offset) -> bool {
        self.printed_at.is_none_or(|at| now.since(at) >= PLAIN_INTERVAL)
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => screen::talk(text),
        }
    }

    fn row(&self, now: &Snapshot, chunk_rate: f64) -> String {
        let tally = &self.tally;
        let mean = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64);
        let tokens_per_chunk = mean(tally.tokens as f64, tally.chunks).filter(|ratio| *ratio > 0.0);
        format!(
            "{:>6} s  {:<8} {:>9} {:>8} {:>8} {:>9} {:>7} {:>8} {:>7} {:>5}",
            now.at.seconds() as u64,
            clipped(&self.stage),
            users(now),
            tally.finished,
            now.chunks,
            ms(mean(tally.e2e_ms, tally.ok)),
            ms(mean(tally.tpot_ms, tally.tpot_n)),
            rate(tokens_per_chunk.map(|ratio| ratio * chunk_rate)),
            percent(mean(tally.ok as f64, tally.ok + tally.failed)),
            tally.http_429,
        )
    }

    /// Time left of the stage and of the run, where both are known.
    fn time_left(&self, now: Offset) -> String {
        let Some(end) = self.stage_end else { return format!("{}: until its requests are done", self.stage) };
        let stage = end.since(now);
        let rest: Option<Duration> = self.planned[self.index + 1..].iter().copied().sum();
        let run = rest.map_or(UNKNOWN.to_owned(), |rest| format!("{} s", (stage + rest).as_secs()));
        format!("{}: {} s left, run: {run} left", self.stage, stage.as_secs())
    }
}

const HEADER: &str =
    "    time  stage        users requests   chunks   mean ms TPOT ms    tok/s success   429";

/// Active and wanted users; at a stage's end nobody is active any more.
fn users(now: &Snapshot) -> String {
    match now.users {
        0 => format!("done/{}", now.users_target),
        active => format!("{active}/{}", now.users_target),
    }
}

/// A name that fits its column.
fn clipped(name: &str) -> String {
    name.chars().take(8).collect()
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar
}

impl Tally {
    fn add(&mut self, sample: &Sample) {
        let Some(attempt) = sample.last() else { return };
        self.finished += 1;
        self.http_429 += u64::from(attempt.status == Some(429));
        match attempt.outcome {
            Outcome::Ok => {
                let metrics = RequestMetrics::of(attempt, 1.0);
                self.ok += 1;
                self.e2e_ms += metrics.e2e.map_or(0.0, milliseconds);
                self.tpot_ms += metrics.tpot.map_or(0.0, milliseconds);
                self.tpot_n += u64::from(metrics.tpot.is_some());
                self.tokens += attempt.tokens.output.unwrap_or(0);
                self.chunks += attempt.tokens.output.map_or(0, |_| attempt.events.len() as u64);
            }
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Cancelled => {}
        }
    }
}
