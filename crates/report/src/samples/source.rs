//! Lines, read one by one. A last line that a kill left half written is left out.

use std::io::{self, BufRead};

use measure::result::SCHEMA_VERSION;
use serde::de::DeserializeOwned;

/// A file that is not, or no longer, a samples file.
#[derive(Debug, thiserror::Error)]
pub enum SamplesError {
    /// The system could not read it.
    #[error("line {line}: {source}")]
    Read {
        /// Where, from 1.
        line: usize,
        /// What the system said.
        source: io::Error,
    },
    /// A line that no run writes, and not the last.
    #[error("line {line} is no line of a samples file: {source}")]
    Line {
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Two files in one.
    #[error("line {line} begins a second run: one file holds one run")]
    Second {
        /// Which, from 1.
        line: usize,
    },
    /// An instant, a stage or a number that no run reaches.
    #[error("line {line} holds a number that no run reaches")]
    Bounds {
        /// Which, from 1.
        line: usize,
    },
    /// The first line is missing, or is not the run's.
    #[error("it does not begin with the line of a run; samples of rungs begin with `{{\"type\":\"run\"`")]
    NoRun,
    /// Written by a later version.
    #[error(
        "the samples have schema version {0}, this program reads up to {SCHEMA_VERSION}; use a newer rungs"
    )]
    Newer(u32),
}

/// The lines of a samples file.
pub(super) struct Lines<R> {
    from: R,
    number: usize,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, number: 0, line: Vec::new() }
    }

    /// The next line; nothing at the end.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, SamplesError> {
        self.line.clear();
        self.number += 1;
        match self.from.read_until(b'\n', &mut self.line) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(&self.line)),
            // What a killed process compressed has no end.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Ok(Some(self.line.as_slice()).filter(|line| !line.is_empty()))
            }
            Err(source) => Err(SamplesError::Read { line: self.number, source }),
        }
    }

    /// The error of a line that begins another run.
    pub(super) fn second_run(&self) -> SamplesError {
        SamplesError::Second { line: self.number }
    }

    /// The error of a line that says what cannot be.
    pub(super) fn out_of_bounds(&self) -> SamplesError {
        SamplesError::Bounds { line: self.number }
    }

    /// What the line holds that was read last; nothing when it is the last of the file and half written.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<Option<T>, SamplesError> {
        match serde_json::from_slice(&self.line) {
            Ok(value) => Ok(Some(value)),
            Err(_) if !self.line.ends_with(b"\n") => Ok(None),
            Err(source) => Err(SamplesError::Line { line: self.number, source }),
        }
    }
}
