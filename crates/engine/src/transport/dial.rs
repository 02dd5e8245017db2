//! From a host name to a TCP connection: every address of the name is tried, without one that hangs holding up the rest.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use measure::ErrorClass;
use nix::errno::Errno;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::trace::{Step, Trace};

/// The next address is tried when the one before has not answered for so long (RFC 8305, "connection attempt delay").
const HEAD_START: Duration = Duration::from_millis(250);

/// Why there is no TCP connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum TcpFailure {
    #[error("`{host}` cannot be resolved: {error}")]
    Dns { host: String, error: io::Error },
    #[error("no connection to {address}: {error}")]
    Dial { address: SocketAddr, error: io::Error },
}

impl TcpFailure {
    pub(super) fn class(&self) -> ErrorClass {
        match self {
            Self::Dns { .. } => ErrorClass::Dns,
            Self::Dial { error, .. } => match error.raw_os_error().map(Errno::from_raw) {
                // This machine's own shortage: descriptors, ports, socket memory.
                Some(
                    Errno::EMFILE | Errno::ENFILE | Errno::EADDRNOTAVAIL | Errno::ENOBUFS | Errno::ENOMEM,
                ) => ErrorClass::ClientResource,
                _ => ErrorClass::ConnectFailed,
            },
        }
    }

    /// Whether this machine has no way to such an address at all, as with IPv6 where there is none: another address's
    /// failure says more.
    fn is_no_way(&self) -> bool {
        let Self::Dial { address, error } = self else { return false };
        let code = error.raw_os_error().map(Errno::from_raw);
        address.is_ipv6()
            && matches!(
                code,
                Some(Errno::EADDRNOTAVAIL | Errno::ENETUNREACH | Errno::EHOSTUNREACH | Errno::EAFNOSUPPORT)
            )
    }
}

/// Connects to a host: `localhost` may name an address that nobody listens on, or one that swallows what it gets.
pub(super) async fn dial(host: &str, port: u16, trace: &Trace) -> Result<TcpStream, TcpFailure> {
    let dns = |error| TcpFailure::Dns { host: host.to_owned(), error };
    let addresses: Vec<SocketAddr> = lookup_host((host, port)).await.map_err(dns)?.collect();
    trace.tell(|| Step::Resolved { host: host.to_owned(), addresses: addresses.clone() });
    let stream = race(in_turns(addresses))
        .await
        .map_err(|failure| failure.unwrap_or_else(|| dns(io::Error::other("the name has no address"))))?;
    trace.tell(|| Step::Connected { address: stream.peer_addr().ok() });
    Ok(stream)
}

/// The families take turns, the resolver's first choice first: a family that leads nowhere costs one wait, not many.
fn in_turns(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let first_is_v6 = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv6() == first_is_v6);
    let mut turns = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    loop {
        let pair = [first.next(), second.next()];
        if pair == [None, None] {
            return turns;
        }
        turns.extend(pair.into_iter().flatten());
    }
}

/// The first address that answers; the next one starts when one failed, or has had its head start.
async fn race(addresses: Vec<SocketAddr>) -> Result<TcpStream, Option<TcpFailure>> {
    let mut waiting = addresses.into_iter();
    let mut attempts = JoinSet::new();
    let mut failure: Option<TcpFailure> = None;
    loop {
        let more = match waiting.next() {
            Some(address) => {
                attempts.spawn(async move { (address, TcpStream::connect(address).await) });
                waiting.len() > 0
            }
            None => false,
        };
        tokio::select! {
            Some(ended) = attempts.join_next() => match ended {
                Ok((_, Ok(stream))) => return Ok(stream),
                Ok((address, Err(error))) => {
                    let failed = TcpFailure::Dial { address, error };
                    failure = Some(failure.filter(|before| !before.is_no_way()).unwrap_or(failed));
                }
                Err(_) => {}
            },
            () = sleep(HEAD_START), if more => {}
            else => return Err(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        text.parse().unwrap()
    }

    #[test]
    fn families_take_turns_and_the_resolvers_first_choice_leads() {
        let all = ["[::1]:1", "[::2]:1", "127.0.0.1:1", "127.0.0.2:1", "127.0.0.3:1"].map(address);
        let expected = ["[::1]:1", "127.0.0.1:1", "[::2]:1", "127.0.0.2:1", "127.0.0.3:1"].map(address);
        assert_eq!(in_turns(all.to_vec()), expected);
        assert_eq!(in_turns(Vec::new()), []);
    }

    #[tokio::test]
    async fn a_refusal_moves_on_at_once_and_the_first_real_cause_is_told() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let open = listener.local_addr().unwrap();
        let closed = address("127.0.0.1:1");
        assert_eq!(race(vec![closed, open]).await.unwrap().peer_addr().unwrap(), open);
        let failure = race(vec![address("[2001:db8::1]:1"), closed]).await.unwrap_err().unwrap();
        assert_eq!(failure.class(), ErrorClass::ConnectFailed);
        assert!(race(Vec::new()).await.unwrap_err().is_none());
    }

    #[tokio::test]
    async fn an_address_that_swallows_everything_costs_its_head_start() {
        // A listener whose queue is full answers no further connection.
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
        socket.bind(&address("127.0.0.1:0").into()).unwrap();
        socket.listen(0).unwrap();
        let silent = socket.local_addr().unwrap().as_socket().unwrap();
        let mut fill = Vec::new();
        for _ in 0..4 {
            let one = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
            one.set_nonblocking(true).unwrap();
            let _ = one.connect(&silent.into());
            fill.push(one);
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let open = listener.local_addr().unwrap();
        assert_eq!(race(vec![silent, open]).await.unwrap().peer_addr().unwrap(), open);
    }
}
