//! A result from a samples file alone: the same as the run's own, or what is known of a run that was killed.

use std::io::{self, BufRead};
use std::time::Duration;

use jiff::Timestamp;
use measure::gate::Reason;
use measure::ladder::ladder;
use measure::result::{
    Against, CheckLine, Exit, GateResult, Preflight, RunResult, RunStatus, StageResult, StageStatus, Warning,
};
use measure::sample::Phase;
use measure::stage::{ClientLook, Passages, StageFrame, StageRecorder};
use measure::{Offset, Sample};

use super::bounds;
use super::line::{ATTEMPT, AttemptLine, unpacked};
use super::outline::Outline;
use super::source::{Lines, SamplesError};
use crate::lang::counted;
use crate::{Ended, Lang, conclusion, warnings};

/// The exit code of a run that is not judged.
const NOT_JUDGED: u8 = 5;

/// Counts a run again. `open` opens the file anew: it is read twice, so that a long one needs no memory. Of a run that was
/// killed the sentences are made in `lang`.
///
/// # Errors
/// When the file cannot be read, or is no samples file. A last line that is cut is none.
pub fn rebuild<R: BufRead>(open: impl Fn() -> io::Result<R>, lang: Lang) -> Result<RunResult, SamplesError> {
    let open = || open().map_err(|source| SamplesError::Read { line: 1, source });
    let outline = Outline::read(open()?)?;
    let mut counted = Counted::new(&outline);
    counted.read(open()?)?;
    let passages = counted.passages(&outline);
    let mut run = RunResult { stages: passages.results(), ..outline.result };
    if let Some(against) = &mut run.against {
        (against.stages, against.differences) = (passages.others(), passages.differences());
    }
    Ok(match outline.ended {
        true => run,
        false => counted.cut_off(run, &outline.frames, lang),
    })
}

/// What the attempts amount to.
struct Counted {
    recorders: Vec<StageRecorder>,
    /// Index of the first stage of the stretch that each belongs to.
    stretches: Vec<usize>,
    preflight: Option<Preflight>,
    /// That of B.
    preflight_of_b: Option<Preflight>,
    /// Requests that ended.
    requests: u64,
    /// Requests that were sent, at least.
    issued: u64,
    /// The latest end of a request.
    last: Offset,
}

impl Counted {
    fn new(outline: &Outline) -> Self {
        let mut recorders: Vec<_> = outline.frames.iter().cloned().map(StageRecorder::new).collect();
        for (stage, closing) in &outline.closings {
            if let Some(recorder) = recorders.get_mut(*stage) {
                closing.window_end.into_iter().for_each(|end| recorder.cut(end));
                recorder.dropped(closing.dropped);
            }
        }
        let stretches = stretches(&outline.frames);
        Self {
            recorders,
            stretches,
            preflight: None,
            preflight_of_b: None,
            requests: 0,
            issued: 0,
            last: Offset::ORIGIN,
        }
    }

    fn read(&mut self, from: impl BufRead) -> Result<(), SamplesError> {
        let mut lines = Lines::new(from);
        let mut request: Option<Sample> = None;
        while let Some(line) = lines.next()? {
            if !line.starts_with(ATTEMPT) {
                continue;
            }
            let Some(line) = lines.parse::<AttemptLine<'_>>()? else { continue };
            let mut sample = request.take().filter(|_| line.attempt > 1).unwrap_or_else(|| line.request());
            let is_last = line.total.is_some();
            let events = unpacked(&line.arrivals_us, line.choices.as_deref());
            let reached = line.stage.is_none_or(|stage| stage < self.recorders.len());
            if !reached || !bounds::of_attempt(&line.of, &events) {
                return Err(lines.out_of_bounds());
            }
            sample.attempts.push(measure::sample::Attempt { events, ..line.of.into_owned() });
            match is_last {
                true => self.take(&sample),
                false => request = Some(sample),
            }
        }
        Ok(())
    }

    fn take(&mut self, sample: &Sample) {
        self.requests += 1;
        self.issued = self.issued.max(sample.seq.saturating_add(1));
        self.last = sample.last().map_or(self.last, |attempt| self.last.max(attempt.at.end));
        let stage = match (sample.phase, sample.stage) {
            (_, None) => {
                self.preflight = Some(Preflight::of(sample));
                return;
            }
            (Phase::Preflight, Some(_)) => {
                self.preflight_of_b = Some(Preflight::of(sample));
                return;
            }
            (_, Some(stage)) => stage,
        };
        let stretch = self.stretches.get(stage);
        for (at, recorder) in self.recorders.iter_mut().enumerate() {
            if at == stage {
                recorder.record(sample);
            } else if self.stretches.get(at) == stretch {
                recorder.witness(sample);
            }
        }
    }

    fn passages(&mut self, outline: &Outline) -> Passages {
        let last = self.last;
        let mut passages = Passages::default();
        for (at, mut recorder) in std::mem::take(&mut self.recorders).into_iter().enumerate() {
            let begun = outline.begun.contains(&at);
            let closing = outline.closings.get(&at).cloned().unwrap_or_else(|| {
                if begun {
                    recorder.cut(last);
                }
                let status = if begun { StageStatus::Incomplete } else { StageStatus::Skipped };
                recorder.closing(status, ClientLook::default())
            });
            passages.take(recorder, closing);
        }
        passages
    }

    /// The result of a run that did not come to its end.
    fn cut_off(&self, run: RunResult, frames: &[StageFrame], lang: Lang) -> RunResult {
        let began = frames.iter().find(|frame| frame.objectives != [None; 3]);
        let objectives = began.map_or([None; 3], |frame| frame.objectives);
        let mut run = RunResult {
            status: RunStatus::Interrupted,
            exit: Exit { code: NOT_JUDGED, reasons: vec![Ended::CutOff.text(lang).to_owned()] },
            finished_at: later(&run.started_at, self.last).unwrap_or(run.finished_at),
            preflight: self.preflight.clone(),
            against: run.against.map(|against| Against { preflight: self.preflight_of_b.clone(), ..against }),
            ladder: ladder(&run.stages, objectives),
            gate: not_judged(run.gate, &run.stages),
            ..run
        };
        run.warnings.retain(|warning| warning.stage.is_none());
        run.warnings.push(self.warning(lang));
        run.warnings.extend(warnings::of_stages(&run, lang));
        run.conclusion = conclusion::of(&run, objectives, lang);
        run
    }

    fn warning(&self, lang: Lang) -> Warning {
        let text = match self.issued.saturating_sub(self.requests) {
            0 => lang.pick(
                "the run did not come to its end: this is counted from its samples, without requests that were open"
                    .to_owned(),
                "运行未能结束：结果由样本文件统计得出，不含当时仍在进行的请求".to_owned(),
            ),
            open => lang.pick(
                format!(
                    "the run did not come to its end: this is counted from its samples, without {} or more that \
                     were open",
                    counted(open, "request")
                ),
                format!("运行未能结束：结果由样本文件统计得出，不含当时仍在进行的 {open} 个或更多请求"),
            ),
        };
        Warning { code: "cut_off".to_owned(), stage: None, text }
    }
}

/// A stage that begins where the window of the one before ends is of its stretch: no drain is between them.
fn stretches(frames: &[StageFrame]) -> Vec<usize> {
    let mut first = 0;
    let follows = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| frames.get(before))?;
        Some(before.window_start + before.duration? == frames.get(at)?.begins)
    };
    let of = |at: usize| {
        first = if follows(at) == Some(true) { first } else { at };
        first
    };
    (0..frames.len()).map(of).collect()
}

/// Nothing is judged by a part of a run.
fn not_judged(gate: GateResult, stages: &[StageResult]) -> GateResult {
    let began =
        |name: &str| stages.iter().any(|stage| stage.name == name && stage.status != StageStatus::Skipped);
    let cut = |line: CheckLine| if began(&line.stage) { line.without_data(Reason::CutShort) } else { line };
    GateResult { checks: gate.checks.into_iter().map(cut).collect(), ..gate }
}

fn later(started_at: &str, after: Offset) -> Option<String> {
    let started: Timestamp = started_at.parse().ok()?;
    let at = started.checked_add(Duration::from_nanos(after.nanos())).ok()?;
    Some(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
