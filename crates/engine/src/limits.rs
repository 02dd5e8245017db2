//! What many connections need of this machine: descriptors, raised as far as the system lets us, and ports. A shortage is
//! said before load, not found among the failures.

use rlimit::Resource;
use scenario::plan::{HttpVersion, Plan, Server};

use crate::EngineError;

/// Descriptors beside the users' connections: files, pipes, the mock's side of each connection is counted apart.
const SPARE: u64 = 64;
/// Where Linux says which ports it gives to connections that ask for none: "32768\t60999".
const PORTS: &str = "/proc/sys/net/ipv4/ip_local_port_range";

/// Raises the soft limit to the hard one, and checks that every request that may be open at once can have its connection.
pub(crate) fn raise(plan: &Plan) -> Result<(), EngineError> {
    let open = most_open(plan);
    // Connections of one side of an A/B run stay open while the other has its turn.
    let targets = std::iter::once(&plan.target).chain(plan.against.iter().map(|against| &against.target));
    let ends: u64 = targets.map(|target| ends(&target.server)).sum();
    let needed = u64::from(open) * ends + SPARE;
    // A system that cannot tell its limit is given the benefit of the doubt.
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(u64::MAX);
    if Resource::NOFILE.is_supported() && limit < needed {
        return Err(EngineError::Descriptors { open, needed, limit });
    }
    // Many streams of HTTP/2 share a connection.
    match ports().filter(|_| plan.target.http == HttpVersion::One) {
        Some(ports) if ports < u64::from(open) => Err(EngineError::Ports { open, ports }),
        Some(_) | None => Ok(()),
    }
}

/// How many ends of a connection are on this machine for certain.
fn ends(server: &Server) -> u64 {
    match server {
        Server::At(_) => 1,
        Server::Mock { .. } => 2,
    }
}

/// The most requests that may be open at once, in any stage or in the search.
fn most_open(plan: &Plan) -> u32 {
    let searched = plan.load.search.iter().map(|search| search.stage(search.high).most_open());
    plan.load.stages.iter().map(scenario::plan::Stage::most_open).chain(searched).max().unwrap_or(0)
}

/// How many connections to one address this machine has ports for; `None` where it cannot be told.
fn ports() -> Option<u64> {
    counted(&std::fs::read_to_string(PORTS).ok()?)
}

fn counted(range: &str) -> Option<u64> {
    let mut ends = range.split_ascii_whitespace().map(|end| end.parse::<u64>().ok());
    let (first, last) = (ends.next()??, ends.next()??);
    (first <= last).then(|| last - first + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_ports_is_counted_with_both_ends() {
        assert_eq!(counted("32768\t60999\n"), Some(28_232));
        assert_eq!(counted("5 5"), Some(1));
        assert_eq!((counted(""), counted("1"), counted("9 1"), counted("a b")), (None, None, None, None));
    }
}
