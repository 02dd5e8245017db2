//! The engine against real sockets: the mock with its ledger, and a server that writes exactly the bytes it is told.

mod accuracy;
mod course;
mod endings;
mod load;
mod protocols;
mod refusals;
mod run;
mod script;
mod timeouts;
