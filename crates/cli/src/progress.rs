//! The live view on stderr: a row a second on a terminal with a bar below, plain rows at longer intervals elsewhere.

use std::collections::VecDeque;
use std::time::Duration;

use engine::{BeforeLoad, Breached, Snapshot};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use measure::offset::milliseconds;
use measure::request::RequestMetrics;
use measure::stage::{Purpose, Round, Side};
use measure::{Offset, Outcome, Sample};
use report::number::{UNKNOWN, ms, of_check, percent, rate};
use scenario::plan::{Plan, Stage};

use crate::screen;

/// Off a terminal a row comes every so many seconds: a log is read later, and should stay short.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Room for the name of a stage, with the mark of its round.
const NAME: usize = 8;

/// Shortest time that a rate is taken over, s.
const SHORTEST: f64 = 0.5;

/// Draws the live view of one run.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    stage: String,
    stage_end: Option<Offset>,
    tally: Tally,
    chunks_before: u64,
    chunk_rate: f64,
    ticked_at: Offset,
    printed_at: Option<Offset>,
    /// The latest row, where it was not printed.
    unprinted: Option<String>,
    header_printed: bool,
    /// Lengths of the stages to come, in order of time.
    to_come: VecDeque<Option<Duration>>,
    /// Length of the one that runs.
    length: Option<Duration>,
    index: usize,
    /// Whether the run has two sides.
    is_ab: bool,
    /// Whether a block runs that is not the last of its stage.
    goes_on: bool,
    columns: Columns,
    /// Whether the stage that runs is an open loop.
    is_open: bool,
    /// The last rate it offered.
    rate: Option<f64>,
}

/// What the column of users shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// Users, active and wanted.
    Users,
    /// The same, and of open loops the open requests, those that wait, and the rate: `64+12 @40/s`.
    Rates,
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
        Self {
            bar: screen::is_live().then(bar),
            stage: String::new(),
            stage_end: None,
            tally: Tally::default(),
            chunks_before: 0,
            chunk_rate: 0.0,
            ticked_at: Offset::ORIGIN,
            printed_at: None,
            unprinted: None,
            header_printed: false,
            to_come: lengths(plan),
            length: None,
            index: 0,
            is_ab: plan.against.is_some(),
            goes_on: false,
            columns: Columns::of(plan),
            is_open: false,
            rate: None,
        }
    }

    pub(crate) fn before_load(&mut self, phase: BeforeLoad, side: Side) {
        let of = if self.is_ab { format!(" of {}", side.name()) } else { String::new() };
        match phase {
            BeforeLoad::Preflight => self.say(&format!("preflight{of}: one request")),
            BeforeLoad::PreflightAgain(wait) => {
                self.say(&format!("preflight{of}: the endpoint is busy, again in {} s", wait.as_secs()));
            }
            BeforeLoad::NotStreamed => self.say(&format!(
                "warning: the preflight's answer{of} was not streamed although that was asked for: there will be no TTFT; \
                 check `stream` in the body and whether the endpoint streams",
            )),
            BeforeLoad::WarmUp => self.say(&format!("warm-up{of}")),
        }
    }

    pub(crate) fn stage_started(&mut self, index: usize, stage: &Stage, round: Option<Round>) {
        // A ramp follows on: the stage before it has not ended yet, and has shown its last row.
        self.stage_ended();
        let mark = match round {
            None => String::new(),
            Some(Round { number, purpose: Purpose::Block { side, .. }, .. }) => {
                format!("-{}{number}", side.name())
            }
            Some(Round { number, .. }) => format!("#{number}"),
        };
        self.stage = clipped(&stage.name, NAME.saturating_sub(mark.len())) + &mark;
        self.goes_on = round.is_some_and(|round| round.blocks().is_some_and(|blocks| round.number < blocks));
        self.length = self.to_come.pop_front().flatten();
        self.index = index;
        self.is_open = stage.level().rate().is_some();
        self.rate = None;
        self.stage_end = None;
        self.tally = Tally::default();
        if !self.header_printed {
            self.header_printed = true;
            self.say(&self.columns.header());
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
        // Requests of an earlier stage may still run while a ramp follows on.
        if sample.stage == Some(self.index) {
            self.tally.add(sample);
        }
    }

    pub(crate) fn tick(&mut self, now: &Snapshot) {
        if now.stage.is_none() || !self.header_printed {
            return;
        }
        let seconds = now.at.since(self.ticked_at).as_secs_f64();
        // The last row of a stage may follow right after another: a rate of so short a time would be chance.
        if seconds >= SHORTEST {
            self.chunk_rate = (now.chunks - self.chunks_before) as f64 / seconds;
            self.ticked_at = now.at;
            self.chunks_before = now.chunks;
        }
        let chunk_rate = self.chunk_rate;
        self.stage_end = self.length.map(|length| now.stage_began + length);
        self.rate = now.rate.or(self.rate);
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
            && !self.goes_on
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

    /// A line beside the rows.
    pub(crate) fn say(&self, text: &str) {
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
            "{:>6} s  {:<8} {:>users$} {:>8} {:>8} {:>9} {:>7} {:>8} {:>7} {:>5}",
            now.at.seconds() as u64,
            self.stage,
            if self.is_open { open_load(now, self.rate) } else { users(now) },
            tally.finished,
            now.chunks,
            ms(mean(tally.e2e_ms, tally.ok)),
            ms(mean(tally.tpot_ms, tally.tpot_n)),
            rate(tokens_per_chunk.map(|ratio| ratio * chunk_rate)),
            percent(mean(tally.ok as f64, tally.ok + tally.failed)),
            tally.http_429,
            users = self.columns.width(),
        )
    }

    /// Time left of the stage and of the run, where both are known.
    fn time_left(&self, now: Offset) -> String {
        let Some(end) = self.stage_end else { return format!("{}: until its requests are done", self.stage) };
        let stage = end.since(now);
        let rest: Option<Duration> = self.to_come.iter().copied().sum();
        let run = rest.map_or(UNKNOWN.to_owned(), |rest| format!("{} s", (stage + rest).as_secs()));
        format!("{}: {} s left, run: {run} left", self.stage, stage.as_secs())
    }
}

/// How long each passage of the plan lasts, in order of time, as far as that is known.
fn lengths(plan: &Plan) -> VecDeque<Option<Duration>> {
    let stages = plan.load.stages.iter();
    match plan.against {
        Some(_) => {
            let blocks = stages.flat_map(|stage| {
                let blocks = stage.blocks();
                (0..blocks).flat_map(move |index| [stage.block(blocks, index).length(); 2])
            });
            blocks.collect()
        }
        None => {
            let once: Vec<_> = stages.map(Stage::length).collect();
            once.repeat(plan.gate.repeats as usize).into()
        }
    }
}

impl Columns {
    fn of(plan: &Plan) -> Self {
        let opens = plan.load.stages.iter().chain(plan.load.search.iter().map(|search| &search.stage));
        match opens.into_iter().any(|stage| stage.level().rate().is_some()) {
            true => Self::Rates,
            false => Self::Users,
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Users => 9,
            Self::Rates => 14,
        }
    }

    fn header(self) -> String {
        let name = match self {
            Self::Users => "users",
            Self::Rates => "open @rate",
        };
        let users = self.width();
        format!(
            "    time  stage    {name:>users$} requests   chunks   mean ms TPOT ms    tok/s success   429"
        )
    }
}

/// Active and wanted users; at a stage's end nobody is active any more.
fn users(now: &Snapshot) -> String {
    match (now.users, now.users_target) {
        (0, target) if target > 0 => format!("done/{target}"),
        (active, target) => format!("{active}/{target}"),
    }
}

/// Open requests, those that wait for a slot, and the rate of the moment, or the last one where nothing comes any more.
fn open_load(now: &Snapshot, last: Option<f64>) -> String {
    let waiting = if now.waiting > 0 { format!("+{}", now.waiting) } else { String::new() };
    match (now.rate, now.in_flight) {
        (Some(rate), open) => format!("{open}{waiting} @{}/s", short(rate)),
        (None, 0) => last.map_or_else(|| "done".to_owned(), |rate| format!("done @{}/s", short(rate))),
        (None, open) => format!("{open} left"),
    }
}

/// A rate in at most four characters, up to 9999/s.
fn short(rate: f64) -> String {
    match rate {
        rate if rate >= 99.95 || rate.fract() == 0.0 => format!("{rate:.0}"),
        rate if rate >= 9.995 => format!("{rate:.1}"),
        rate => format!("{rate:.2}"),
    }
}

/// A name that fits its column.
fn clipped(name: &str, room: usize) -> String {
    name.chars().take(room).collect()
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
        self.http_429 += sample.attempts.iter().filter(|attempt| attempt.status == Some(429)).count() as u64;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn now(users: u32, users_target: u32) -> Snapshot {
        Snapshot {
            at: Offset::ORIGIN,
            stage: Some(0),
            stage_began: Offset::ORIGIN,
            users,
            users_target,
            rate: None,
            waiting: 0,
            in_flight: 12,
            chunks: 0,
        }
    }

    #[test]
    fn users_are_shown_of_so_many_and_a_ramp_that_begins_is_not_done() {
        assert_eq!([users(&now(5, 20)), users(&now(0, 20)), users(&now(0, 0))], ["5/20", "done/20", "0/0"]);
    }

    #[test]
    fn an_open_loop_shows_what_is_open_and_waits_at_its_rate_and_is_never_wider_than_its_room() {
        let at = |rate, waiting, in_flight| {
            open_load(&Snapshot { rate, waiting, in_flight, ..now(0, 100) }, Some(12.5))
        };
        let rows = [
            (at(Some(50.0), 0, 12), "12 @50/s"),
            (at(Some(3.333), 0, 12), "12 @3.33/s"),
            (at(Some(31.25), 345, 12), "12+345 @31.2/s"),
            (at(Some(1234.5), 0, 100), "100 @1234/s"),
            (at(Some(0.5), 0, 0), "0 @0.50/s"),
            (at(None, 0, 7), "7 left"),
            (at(None, 0, 0), "done @12.5/s"),
        ];
        for (text, expected) in rows {
            assert_eq!(text, expected);
            assert!(text.len() <= Columns::Rates.width(), "{text}");
        }
    }

    #[test]
    fn the_head_stands_over_its_columns() {
        for columns in [Columns::Users, Columns::Rates] {
            let end = "    time  stage    ".len() + columns.width();
            assert!(columns.header()[..end].ends_with(if columns == Columns::Users {
                "users"
            } else {
                "rate"
            }));
        }
        assert_eq!(Columns::Users.header().find("requests"), Some(29));
    }
}
