//! How far a statistic of a stage can be trusted: a bootstrap over blocks of the stage's time.
//!
//! Requests of one moment resemble one another (a garbage collection, a neighbour on the GPU), so that they are no
//! independent draws: blocks of time are. Under ten of them the requests have to do (Künsch 1989; Efron and Tibshirani
//! 1993, chapter 8).

mod block;
mod blocks;
mod bootstrap;
mod events;
mod paired;
mod runs;

pub(crate) use block::Block;
pub(crate) use blocks::Blocks;
pub(crate) use bootstrap::Bootstrap;
pub(crate) use paired::Pairs;
pub(crate) use runs::{between_runs, deviation};
