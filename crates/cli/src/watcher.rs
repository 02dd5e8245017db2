//! Watches the engine for the user: the samples file, and the live view unless it is not wanted.

use std::io::Write as _;
use std::path::PathBuf;

use engine::{BeforeLoad, Breached, Observer, Snapshot};
use measure::Sample;
use measure::gate::{Baseline, Reference, Rule, doubtful, judge};
use measure::result::{RunResult, StageResult};
use measure::stage::{Closing, Side, StageFrame};
use report::samples::{attempt_lines, run_end_line, run_line, stage_end_line, stage_start_line};
use scenario::plan::{Plan, Stage};

use crate::files::Places;
use crate::progress::Progress;
use crate::samples_file::SamplesFile;
use crate::screen;

/// What a run is watched by.
pub(crate) struct Watcher {
    samples: Option<SamplesFile>,
    /// Where they go.
    file: Option<PathBuf>,
    failure: Option<String>,
    /// Whether requests are sent, so that a failure no longer keeps the run from beginning.
    goes_on: bool,
    progress: Option<Progress>,
    rules: Vec<Rule>,
    baseline: Option<Baseline>,
}

impl Watcher {
    /// Opens the samples file, before anything is sent; `unstarted` is the result of a run that ends now.
    pub(crate) fn open(
        plan: &Plan,
        places: &Places,
        unstarted: &RunResult,
        baseline: Option<&Baseline>,
    ) -> anyhow::Result<Self> {
        let mut watcher = Self {
            samples: places
                .samples
                .as_deref()
                .map(|path| SamplesFile::create(path, places.readers))
                .transpose()?,
            file: places.samples.clone(),
            failure: None,
            goes_on: false,
            progress: (!plan.outputs.quiet).then(|| Progress::new(plan)),
            rules: plan.gate.rules.clone(),
            baseline: baseline.cloned(),
        };
        watcher.write(&run_line(unstarted, &engine::unstarted(plan)));
        watcher.flush();
        match watcher.failure {
            Some(failure) => Err(anyhow::Error::msg(failure)),
            None => Ok(Self { goes_on: true, ..watcher }),
        }
    }

    /// The last line of a run that came to its end.
    pub(crate) fn ended(&mut self, run: &RunResult) {
        self.write(&run_end_line(run));
    }

    /// Ends the live view.
    pub(crate) fn hide(&mut self) {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
    }

    /// Ends the live view and the file; says what could not be written.
    pub(crate) fn close(&mut self) -> Option<String> {
        self.hide();
        let closed = self.samples.take().map(SamplesFile::close);
        self.note(closed);
        if self.failure.is_none() {
            let gone = self.file.as_ref().filter(|file| !file.exists());
            self.failure = gone.map(|file| format!("`{}` was removed while it was written", file.display()));
        }
        self.failure.clone()
    }

    /// After the first failure nothing more is written: the run goes on, and its exit code says so.
    fn write(&mut self, lines: &str) {
        let written = self.samples.as_mut().map(|file| file.write_all(lines.as_bytes()));
        self.note(written);
    }

    fn flush(&mut self) {
        let flushed = self.samples.as_mut().map(|file| file.flush());
        self.note(flushed);
    }

    fn note(&mut self, written: Option<std::io::Result<()>>) {
        let (Some(Err(error)), Some(file)) = (written, &self.file) else { return };
        let failure = format!("`{}` cannot be written: {error}", file.display());
        if self.goes_on {
            let text = format!("warning: {failure}; the run goes on without its samples");
            match &self.progress {
                Some(progress) => progress.say(&text),
                None => screen::talk(text),
            }
        }
        self.failure = Some(failure);
        self.samples = None;
    }
}

impl Observer for Watcher {
    fn before_load(&mut self, phase: BeforeLoad, side: Side) {
        self.progress.iter_mut().for_each(|progress| progress.before_load(phase, side));
    }

    fn stage_started(&mut self, index: usize, stage: &Stage, frame: &StageFrame) {
        self.write(&stage_start_line(index, frame));
        self.progress.iter_mut().for_each(|progress| progress.stage_started(index, stage, frame.round));
    }

    fn sample(&mut self, sample: &Sample) {
        self.write(&attempt_lines(sample));
        self.progress.iter_mut().for_each(|progress| progress.sample(sample));
    }

    fn tick(&mut self, now: &Snapshot) {
        self.flush();
        self.progress.iter_mut().for_each(|progress| progress.tick(now));
    }

    fn breached(&mut self, breached: &Breached) {
        self.progress.iter_mut().for_each(|progress| progress.breached(breached));
    }

    fn doubtful(&mut self, stages: &[StageResult]) -> Vec<usize> {
        let gate = judge(&self.rules, stages, self.baseline.as_ref().map(Reference::Baseline));
        let doubtful = doubtful(&gate);
        let indexed = stages.iter().enumerate().filter(|(_, stage)| doubtful.contains(&stage.name.as_str()));
        indexed.map(|(index, _)| index).collect()
    }

    fn stage_ended(&mut self, index: usize, closing: &Closing) {
        self.write(&stage_end_line(index, closing));
        self.flush();
        self.progress.iter_mut().for_each(Progress::stage_ended);
    }
}
