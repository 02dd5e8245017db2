//! The list of problems and how it grows.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::render::render;
use crate::text_file::TextFile;

/// One problem.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostic {
    /// What was found and what was expected.
    pub(crate) message: String,
    pub(crate) place: Place,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

/// Where a problem lies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Place {
    /// In a text that can be shown.
    Text { file: Arc<TextFile>, span: Range<usize> },
    /// At a line of a file that cannot be shown (it is not text).
    Line { path: PathBuf, line: usize, column: usize },
    /// A file as a whole.
    File(PathBuf),
    /// A layer without lines, named: `--set target.port`.
    Layer(String),
}

/// Every problem of a scenario file. Displays as plain text, with the lines meant and a count at the end.
#[derive(Debug, Clone)]
pub struct Diagnostics {
    path: PathBuf,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// How many problems there are; never zero.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// A file that could not be read to its end although nothing is wrong with it.
    pub(crate) fn incomplete(path: &Path) -> Self {
        let message = "the scenario could not be read to its end: this is a fault of the program".to_owned();
        let list = vec![Diagnostic { message, place: Place::File(path.to_owned()), hint: None }];
        Self { path: path.to_owned(), list }
    }

    /// The sentences alone, in the order of the file.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|diagnostic| diagnostic.message.as_str())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.list {
            writeln!(f, "{}", render(diagnostic))?;
        }
        let noun = if self.list.len() == 1 { "problem" } else { "problems" };
        write!(f, "{} {noun} in {}; nothing was sent", self.list.len(), self.path.display())
    }
}

impl std::error::Error for Diagnostics {}

/// Collects problems and notices while a file is read; reading goes on after each.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: RefCell<Vec<Diagnostic>>,
    notices: RefCell<Vec<String>>,
}

impl Problems {
    /// Records a problem.
    pub(crate) fn error(&self, place: &Place, message: impl Into<String>) {
        self.push(Diagnostic { message: message.into(), place: place.clone(), hint: None });
    }

    /// Records a problem and what to do about it.
    pub(crate) fn error_with_hint(&self, place: &Place, message: impl Into<String>, hint: impl Into<String>) {
        let hint = Some(hint.into());
        self.push(Diagnostic { message: message.into(), place: place.clone(), hint });
    }

    /// Records a problem as built, once: a default that every stage reads is wrong in one place.
    pub(crate) fn push(&self, diagnostic: Diagnostic) {
        let mut list = self.list.borrow_mut();
        let known =
            |other: &Diagnostic| other.message == diagnostic.message && other.place == diagnostic.place;
        if !list.iter().any(known) {
            list.push(diagnostic);
        }
    }

    /// Records something legal that the reader should know, once.
    pub(crate) fn notice(&self, notice: impl Into<String>) {
        let notice = notice.into();
        let mut notices = self.notices.borrow_mut();
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    /// Takes in what was found apart from this; a notice that is not known yet is said to be about `whom`.
    pub(crate) fn absorb(&self, apart: Self, whom: &str) {
        apart.list.into_inner().into_iter().for_each(|problem| self.push(problem));
        let new: Vec<String> = {
            let known = self.notices.borrow();
            apart.notices.into_inner().into_iter().filter(|notice| !known.contains(notice)).collect()
        };
        new.iter().for_each(|notice| self.notice(format!("{whom}: {notice}")));
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    /// The notices if nothing is wrong, else every problem in the order of the file.
    pub(crate) fn finish(self, path: &Path) -> Result<Vec<String>, Diagnostics> {
        let mut list = self.list.into_inner();
        if list.is_empty() {
            return Ok(self.notices.into_inner());
        }
        list.sort_by_key(|diagnostic| match &diagnostic.place {
            Place::Text { file, span } if file.path == path => (0, span.start),
            Place::Text { .. } | Place::Line { .. } | Place::File(_) => (1, 0),
            Place::Layer(_) => (2, 0),
        });
        Err(Diagnostics { path: path.to_owned(), list })
    }
}
