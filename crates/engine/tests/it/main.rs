//! The engine against real sockets: the mock with its ledger, and a server that writes exactly the bytes it is told.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ab;
mod accounting;
mod accuracy;
mod addresses;
mod busy;
mod case;
mod compressed;
mod course;
mod custom;
mod cuts;
mod documents;
mod endings;
mod errors;
mod first_token;
mod formats;
mod framing;
mod http2;
mod load;
mod names;
mod noise;
mod offered;
mod open_loop;
mod payloads;
mod protocols;
mod proxies;
mod ramps;
mod refusals;
mod retries;
mod run;
mod script;
mod set_up;
mod stop_rule;
mod timeouts;
mod tls;
mod token_counts;
