//! Whole files through the public door: what loads, what is refused and how it is said.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

mod against;
mod bodies;
mod diagnostics;
mod files;
mod folder;
mod gate;
mod generated;
mod keys;
mod layers;
mod price;
mod reference;
mod robust;
mod schema;
mod secrets;
mod seed;
mod workload;
