//! Reports of results written by hand: what each says, that nothing hostile gets through, and that the page stays small.

mod charts;
mod conclusion;
mod fixture;
mod levels;
mod outputs;
mod page;
mod sentences;
