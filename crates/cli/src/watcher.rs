//! Watches the engine for the user: the samples file, and the live view unless it is not wanted.

use std::io::Write as _;

use engine::{BeforeLoad, Breached, Clock, Observer, Snapshot};
use measure::Sample;
use measure::result::StageResult;
use report::samples::{RunLine, StageLine, attempt_lines, run_line, stage_end_line, stage_start_line};
use scenario::plan::{Plan, Stage};

use crate::files::Places;
use crate::progress::Progress;
use crate::samples_file::SamplesFile;

/// What a run is watched by.
pub(crate) struct Watcher {
    samples: Option<SamplesFile>,
    failure: Option<String>,
    progress: Option<Progress>,
}

impl Watcher {
    /// Opens the samples file, before anything is sent.
    pub(crate) fn open(plan: &Plan, places: &Places, clock: Clock) -> anyhow::Result<Self> {
        let mut watcher = Self {
            samples: places.samples.as_deref().map(SamplesFile::create).transpose()?,
            failure: None,
            progress: (!plan.outputs.quiet).then(|| Progress::new(plan)),
        };
        watcher.write(&run_line(&line_of(plan, clock)));
        Ok(watcher)
    }

    /// Ends the live view and the file; says what could not be written.
    pub(crate) fn close(&mut self) -> Option<String> {
        if let Some(progress) = self.progress.take() {
            progress.finish();
        }
        let closed = self.samples.take().map(SamplesFile::close);
        self.note(closed);
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
        if let Some(Err(error)) = written {
            self.failure = Some(format!("the samples file cannot be written: {error}"));
            self.samples = None;
        }
    }
}

fn line_of(plan: &Plan, clock: Clock) -> RunLine<'_> {
    let fingerprint = &plan.fingerprint;
    RunLine {
        test_name: &plan.name,
        path: fingerprint.path.display().to_string(),
        sha256: &fingerprint.sha256,
        overrides: fingerprint.overrides.iter().map(|change| (&*change.key, &*change.value)).collect(),
        url: plan.target.url(),
        api: plan.target.api.name(),
        model: plan.target.model.as_deref(),
        stream: plan.target.stream,
        started_at: clock.wall(clock.now()).to_string(),
        seed: plan.seed,
        stages: plan.load.stages.iter().map(stage_line).collect(),
    }
}

fn stage_line(stage: &Stage) -> StageLine<'_> {
    StageLine { name: &stage.name, level: stage.level(), ramp_from: stage.ramp_from() }
}

impl Observer for Watcher {
    fn before_load(&mut self, phase: BeforeLoad) {
        self.progress.iter_mut().for_each(|progress| progress.before_load(phase));
    }

    fn stage_started(&mut self, index: usize, stage: &Stage) {
        self.write(&stage_start_line(index, &stage_line(stage)));
        self.progress.iter_mut().for_each(|progress| progress.stage_started(index, stage));
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

    fn stage_ended(&mut self, index: usize, result: &StageResult) {
        self.write(&stage_end_line(index, result));
        self.flush();
        self.progress.iter_mut().for_each(Progress::stage_ended);
    }
}
