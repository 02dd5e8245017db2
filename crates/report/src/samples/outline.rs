//! The first reading: everything but the attempts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use measure::result::{RunResult, SCHEMA_VERSION};
use measure::stage::{Closing, StageFrame};

use super::bounds;
use super::line::{ATTEMPT, Line};
use super::source::{Lines, SamplesError};

/// What a file says of its run, apart from the requests.
pub(super) struct Outline {
    /// The latest result in it, without stages.
    pub(super) result: RunResult,
    /// Whether the run came to its end.
    pub(super) ended: bool,
    /// The stages, as they began or as they were planned.
    pub(super) frames: Vec<StageFrame>,
    /// Those that began, by index.
    pub(super) begun: BTreeSet<usize>,
    /// How stages ended, by index.
    pub(super) closings: BTreeMap<usize, Closing>,
}

impl Outline {
    /// Reads it.
    ///
    /// # Errors
    /// When the file cannot be read, or is no samples file.
    pub(super) fn read(from: impl BufRead) -> Result<Self, SamplesError> {
        let mut lines = Lines::new(from);
        let mut outline = Self::begin(&mut lines)?;
        while let Some(line) = lines.next()? {
            if !line.starts_with(ATTEMPT)
                && let Some(line) = lines.parse()?
            {
                if matches!(line, Line::Run { .. }) {
                    return Err(lines.second_run());
                }
                outline.take(line).ok_or_else(|| lines.out_of_bounds())?;
            }
        }
        Ok(outline)
    }

    fn begin<R: BufRead>(lines: &mut Lines<R>) -> Result<Self, SamplesError> {
        let first = lines.next()?.ok_or(SamplesError::NoRun)?;
        let version = version(first).ok_or(SamplesError::NoRun)?;
        if version > SCHEMA_VERSION {
            return Err(SamplesError::Newer(version));
        }
        match lines.parse()? {
            Some(Line::Run { stages, .. }) if !stages.iter().all(bounds::of_frame) => {
                Err(lines.out_of_bounds())
            }
            Some(Line::Run { result, stages, .. }) => Ok(Self {
                result: result.into_owned(),
                ended: false,
                frames: stages.into_owned(),
                begun: BTreeSet::new(),
                closings: BTreeMap::new(),
            }),
            _ => Err(SamplesError::NoRun),
        }
    }

    /// Nothing when the line says what cannot be.
    fn take(&mut self, line: Line<'_>) -> Option<()> {
        match line {
            Line::StageStart { stage, frame } => {
                let frame = frame.into_owned();
                (stage <= self.frames.len() && bounds::of_frame(&frame)).then_some(())?;
                match self.frames.get_mut(stage) {
                    Some(planned) => *planned = frame,
                    // Further rounds, and those of a search, are found on the way.
                    None => self.frames.push(frame),
                }
                self.begun.insert(stage);
            }
            Line::StageEnd { stage, closing } => {
                (stage < self.frames.len() && bounds::of_closing(&closing)).then_some(())?;
                self.closings.insert(stage, closing.into_owned());
            }
            Line::RunEnd { result } => (self.result, self.ended) = (result.into_owned(), true),
            Line::Run { .. } => {}
        }
        Some(())
    }
}

/// The version of a run's line.
fn version(line: &[u8]) -> Option<u32> {
    #[derive(serde::Deserialize)]
    struct Head {
        r#type: String,
        schema_version: u32,
    }
    let head: Head = serde_json::from_slice(line).ok()?;
    (head.r#type == "run").then_some(head.schema_version)
}
