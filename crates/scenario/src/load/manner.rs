//! The keys that say how a stage runs, in `[load]` or in a stage's own table: each is read for itself, whatever the stage
//! turns out to be.

use super::stages::MOST_USERS;
use super::{arrival, think_time};
use crate::read::Section;

/// Reports every value that is wrong in itself.
pub(super) fn check(section: Section<'_>) {
    section.duration("ramp_up");
    section.positive_number("spawn_rate");
    think_time::read(section);
    section.choice("shape", super::shape::WORDS);
    section.number("from");
    section.choice("arrival", arrival::KINDS);
    section.positive_number("burstiness");
    section.count("max_in_flight", 1..=MOST_USERS);
    section.positive_number("speed");
}
