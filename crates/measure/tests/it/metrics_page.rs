//! docs/metrics.md
