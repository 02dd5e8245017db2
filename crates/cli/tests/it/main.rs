//! The binary as a user runs it: arguments in; screen, files and exit code out.

mod codes;
mod commands;
mod outputs;
mod seed;
mod signals;
mod world;
