//! TOML -> [`Scenario`] -> [`Plan`]: layers, spans and diagnostics, values, templates, data, secrets. Sync and offline.
//!
//! [`load()`] reads a scenario file and everything it names, and reports every problem at once; what it returns is
//! whole, so checking a file is loading it and stopping there.

mod against;
mod data;
mod diagnostic;
mod digest;
mod gate;
mod key_path;
pub mod keys;
mod layers;
mod load;
mod overrides;
pub mod plan;
mod read;
mod report;
mod scenario;
mod schema;
mod secret;
mod target;
mod template;
mod text_file;
mod value;

pub use diagnostic::Diagnostics;
pub use layers::Layers;
pub use plan::Plan;
pub use scenario::{Scenario, load};
pub use schema::schema;
pub use secret::Secret;
