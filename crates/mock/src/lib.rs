//! The scripted streaming server: an independent oracle for load tests.
//!
//! It speaks the wire formats of every api that the client knows, paces its tokens by a seeded schedule, queues,
//! sheds load and fails where told, and keeps a [`Ledger`](LedgerSnapshot) of what it really wrote and when. It runs
//! on one thread and one runtime of its own, listens on 127.0.0.1 only, and shares no code with the client
//! it is there to check: a shared parser would share its faults.
//!
//! ```
//! let config = mock::Config::from_query("ttft=20ms&itl=5ms&tokens=8")?;
//! let server = mock::Server::start(config, 0)?;
//! println!("http://{}/v1/chat/completions", server.addr());
//! assert_eq!(server.ledger().requests, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod ask;
mod chat;
mod clock;
mod config;
mod faults;
mod http;
mod ledger;
mod pace;
mod problem;
mod protocol;
mod query;
mod route;
mod server;
mod state;
mod text;

pub use crate::clock::Stamp;
pub use crate::config::{Api, Config, Key};
pub use crate::faults::{Fault, Faults, FaultsError};
pub use crate::ledger::{Distribution, LedgerSnapshot, Row};
pub use crate::pace::Pace;
pub use crate::protocol::Protocol;
pub use crate::query::{ConfigError, ConfigErrorKind, parse_duration};
pub use crate::server::{Server, StartError};
