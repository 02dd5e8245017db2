//! Only "the tool could not do its job". A server's failure is never an error here: it is a sample.

use std::io;
use std::path::PathBuf;

/// Why a run could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The process may not open enough sockets.
    #[error(
        "{needed} open files are needed for {open} open requests, the limit is {limit}; raise it with `ulimit -n {needed}`, \
         or use fewer users (a lower `max_in_flight`)"
    )]
    Descriptors {
        /// Most requests that may be open at once.
        open: u32,
        /// Descriptors needed.
        needed: u64,
        /// The hard limit.
        limit: u64,
    },
    /// The machine has too few ports for connections to one address.
    #[error(
        "{open} open requests need as many ports, this machine has {ports} for connections to one address; widen \
         `net.ipv4.ip_local_port_range` with sysctl, or use fewer users (a lower `max_in_flight`)"
    )]
    Ports {
        /// Most requests that may be open at once.
        open: u32,
        /// Ports there are.
        ports: u64,
    },
    /// The roots that TLS trusts cannot be read.
    #[error("the CA file `{}` cannot be used: {reason}", path.display())]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that no certificate can carry.
    #[error("`{0}` is not a host name (`[target.tls] server_name`, else the host)")]
    ServerName(String),
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// A header that cannot be sent.
    #[error("the header `{0}` cannot be sent: its name or value is not allowed in HTTP")]
    Header(String),
    /// A worker could not be started.
    #[error("a worker thread could not be started: {0}")]
    Worker(io::Error),
    /// A worker died.
    #[error("a worker thread ended unexpectedly; this is a bug in rungs")]
    WorkerDied,
    /// A path that cannot stand in a request line.
    #[error("the path `{0}` cannot stand in a request line")]
    Path(String),
}
