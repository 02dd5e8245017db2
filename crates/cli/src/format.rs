//! The formats of a result: each a pure function of it.

use measure::result::RunResult;
use report::comparison::Comparison;
use report::{Lang, csv, html, json, junit, markdown};

/// A format that a result can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// The saved result, for programs.
    Json,
    /// The page, for people.
    Html,
    /// The summary for a comment or a CI job.
    Markdown,
    /// The file of cases for a CI system.
    Junit,
    /// The table for a spreadsheet.
    Csv,
}

impl Format {
    /// Its key in `[report]`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Junit => "junit",
            Self::Csv => "csv",
        }
    }

    /// The result in this format, its sentences in that language.
    pub(crate) fn render(self, run: &RunResult, lang: Lang) -> anyhow::Result<String> {
        match self {
            Self::Json => Ok(json::render(run)?),
            Self::Html => Ok(html::render(run, lang)),
            Self::Markdown => Ok(markdown::render(run, lang)),
            Self::Junit => Ok(junit::render(run, lang)?),
            Self::Csv => csv::render(run).map_err(anyhow::Error::from_boxed),
        }
    }

    /// Several results in this format; `None` for one that holds a single result.
    pub(crate) fn comparison(self, of: &Comparison<'_>, lang: Lang) -> Option<anyhow::Result<String>> {
        match self {
            Self::Html => Some(Ok(html::comparison(of, lang))),
            Self::Markdown => Some(Ok(markdown::comparison(of, lang))),
            Self::Csv => Some(csv::comparison(of).map_err(anyhow::Error::from_boxed)),
            Self::Json | Self::Junit => None,
        }
    }
}
