//! TOML -> `Scenario` -> [`Plan`]: layers, spans and diagnostics, values, templates, data, secrets. Sync and offline.

pub mod plan;
mod secret;

pub use plan::Plan;
pub use secret::Secret;
