//! A file of faults: one line each, `reset = "2%"`.

use thiserror::Error;
use toml::de::{DeTable, DeValue};

use super::{Fault, Faults};

/// What cannot be used in a file of faults, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct FaultsError {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// What is wrong, and what was expected.
    pub problem: String,
}

impl Faults {
    /// Reads TOML that gives a share to each fault by its name: `reset = "2%"` or `reset = 0.02`. What is not named does
    /// not happen.
    ///
    /// # Errors
    /// The first thing that is not TOML, no fault, or no share.
    pub fn from_toml(text: &str) -> Result<Self, FaultsError> {
        let table = DeTable::parse(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            problem(text, start, error.message().to_owned())
        })?;
        let mut entries: Vec<_> = table.into_inner().into_iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut faults = Self::default();
        for (name, value) in entries {
            let fault = Fault::named(name.get_ref()).ok_or_else(|| {
                problem(
                    text,
                    name.span().start,
                    format!("no fault is called `{}`; the faults are {}", name.get_ref(), names()),
                )
            })?;
            let written = text.get(value.span()).unwrap_or_default();
            let share = match value.get_ref() {
                DeValue::String(share) => share,
                // Anything else must be a number as it stands, or is none.
                _ => written,
            };
            faults.set_written(fault, share).map_err(|expected| {
                problem(
                    text,
                    value.span().start,
                    format!("`{}`: found `{written}`, expected {expected}", fault.name()),
                )
            })?;
        }
        Ok(faults)
    }
}

fn problem(text: &str, start: usize, problem: String) -> FaultsError {
    let before = text.get(..start).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    FaultsError { line: before.matches('\n').count() + 1, column: line.chars().count() + 1, problem }
}

fn names() -> String {
    Fault::ALL.map(|fault| format!("`{}`", fault.name())).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_read_as_a_percentage_or_a_ratio() {
        let text = "# hard times\nreset = \"2%\"\nclose = 0.01\nstall = 0\nrate_limited = \"0.05\"\n\
                    unavailable = '3%'\ntruncated = 4e-2\ninband_error = \"100%\"\n";
        let shares =
            |text: &str| Faults::from_toml(text).map(|faults| Fault::ALL.map(|fault| faults.share(fault)));
        let usable = text.replace("100%", "1%");
        assert_eq!(shares(&usable), Ok([0.02, 0.01, 0.0, 0.05, 0.03, 0.04, 0.01]));
        assert_eq!(shares(""), Ok([0.0; 7]));
        let error = shares(text).unwrap_err();
        assert_eq!((error.line, error.column), (8, 16), "the one that is too much: {error}");
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_place() {
        let rows = [
            (
                "reset = 0.1\nresets = 0.1\n",
                (2, 1),
                "no fault is called `resets`; the faults are `reset`, `close`, `stall`",
            ),
            ("\n  stall = \"often\"", (2, 11), "`stall`: found `\"often\"`, expected a share from 0 to 100%"),
            ("reset = 2", (1, 9), "`reset`: found `2`, expected a share"),
            ("reset = true", (1, 9), "`reset`: found `true`, expected a share"),
            ("reset = 60%", (1, 9), "string values must be quoted"),
            ("reset = 0.6\nclose = 0.6", (2, 9), "`close`: found `0.6`, expected a share from 0 to 100%"),
            ("[faults]\nreset = 0.1", (1, 2), "no fault is called `faults`"),
            ("reset = 0.1\nreset = 0.1", (2, 1), "duplicate key"),
        ];
        for (text, place, message) in rows {
            let error = Faults::from_toml(text).unwrap_err();
            assert_eq!((error.line, error.column), place, "{text:?}: {error}");
            assert!(error.to_string().starts_with(message), "{text:?}: {error}");
        }
    }
}
