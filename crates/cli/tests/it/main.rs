//! The binary as a user runs it: arguments in; screen, files and exit code out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ab;
mod baseline;
mod codes;
mod commands;
mod comparison;
mod formats;
mod gate;
mod no_data;
mod outputs;
mod probe;
mod rounds;
mod samples;
mod secrets;
mod seed;
mod signals;
mod speaker;
mod two_sides;
mod unwritable;
mod workflows;
mod world;
