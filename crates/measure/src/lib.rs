//! Vocabulary and mathematics: metrics, outcomes, samples, distributions, stages, gate, result. Pure: no clock, no I/O.

pub mod gate;
pub mod metric;
