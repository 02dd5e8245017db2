//! Reports of results written by hand: what each says, that nothing hostile gets through, and that the page stays small.

mod charts;
mod fixture;
mod page;
mod sentences;
