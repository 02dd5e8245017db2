//! The engine against real sockets: the mock with its ledger, and a server that writes exactly the bytes it is told.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod accuracy;
mod case;
mod course;
mod endings;
mod first_token;
mod load;
mod protocols;
mod refusals;
mod run;
mod script;
mod timeouts;
mod tls;
