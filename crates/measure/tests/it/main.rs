//! What is committed or saved, through the public door: the result's form and the pages made from the code.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

mod ab;
mod comparable;
mod gate;
mod generated;
mod ladder;
mod metrics_page;
mod model;
mod noise;
mod power;
mod result_form;
mod run;
mod stored_baseline;
mod window;
