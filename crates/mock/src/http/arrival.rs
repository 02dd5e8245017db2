//! Reads bytes together with the kernel's own stamp of their arrival, so that the server's lateness in reading a request is
//! part of what the ledger tells.

use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd as _};
use std::time::Duration;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::clock::{Clock, Stamp};

/// Asks for stamps. On a listener the accepted sockets inherit it, so that not even their first bytes lack one. Where
/// the system has none, the time right after the read is used.
pub(crate) fn ask_for_stamps(socket: &impl AsFd) {
    let _ = setsockopt(socket, sockopt::ReceiveTimestampns, &true);
}

/// Reads what is there, without waiting; says how much, and when it arrived.
pub(crate) fn try_receive(
    stream: &TcpStream,
    buffer: &mut [u8],
    clock: &Clock,
) -> io::Result<(usize, Stamp)> {
    let (n, since_epoch) = stream.try_io(Interest::READABLE, || {
        let mut control = nix::cmsg_space!(nix::sys::time::TimeSpec);
        let mut target = [IoSliceMut::new(buffer)];
        let message = recvmsg::<()>(stream.as_raw_fd(), &mut target, Some(&mut control), MsgFlags::empty())?;
        let stamp = message.cmsgs().ok().into_iter().flatten().find_map(|control| match control {
            ControlMessageOwned::ScmTimestampns(at) => Some(Duration::from(at)),
            _ => None,
        });
        Ok((message.bytes, stamp))
    })?;
    Ok((n, clock.arrival(since_epoch)))
}
