//! The mock over real sockets, seen by a client that shares nothing with it.
// `cfg(test)` is always on here; it tells clippy that the helpers, too, may unwrap.

#[cfg(test)]
mod admission;
#[cfg(test)]
mod client;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod wire;
