//! rungs
fn main() {}
