//! Reports of results written by hand: what each says, that nothing hostile gets through, and that the page stays small.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod charts;
mod comparison;
mod conclusion;
mod csv;
mod fixture;
mod junit;
mod levels;
mod markdown;
mod outputs;
mod page;
mod rules;
mod sentences;
mod sides;
