//! The only place that prints: data on stdout, talk on stderr; nothing of it acts on a terminal. A closed pipe is no
//! reason to stop.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdin, stdout};

use report::plain;

use crate::exit::Code;

/// Says something to the person.
pub(crate) fn talk(text: impl Display) {
    let _ = writeln!(stderr(), "{}", plain::lines(&text.to_string()));
}

/// Hands out data. A reader that has gone away had enough; anything else is an output that could not be written.
pub(crate) fn data(text: impl Display) -> Code {
    match write!(stdout(), "{}", plain::lines(&text.to_string())).and_then(|()| stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            talk(format_args!("error: stdout cannot be written: {error}"));
            Code::Output
        }
        Ok(()) | Err(_) => Code::Done,
    }
}

/// Whether live output can be redrawn in place.
pub(crate) fn is_live() -> bool {
    stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Asks on a terminal; without one there is nobody to ask, and it goes on.
pub(crate) fn confirm(question: &str) -> bool {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return true;
    }
    let _ = write!(stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    let read = stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
