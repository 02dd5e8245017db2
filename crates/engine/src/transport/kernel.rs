//! Arrival stamps from the kernel (`SO_TIMESTAMPNS`): taken when the bytes came in, however late this program reads them.
//! Where the system gives none, the caller falls back to the time after the read.

use std::cell::RefCell;
use std::io::{self, IoSliceMut};
use std::os::fd::AsRawFd as _;
use std::task::{Context, Poll, ready};

use hyper::rt::ReadBufCursor;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// One read takes at most so much. Larger reads would only join more segments under one stamp.
const READ_SIZE: usize = 16 * 1024;

thread_local! {
    /// Where reads land before they are handed on: one per worker thread, not one per connection.
    static LANDING: RefCell<Landing> = RefCell::new(Landing::default());
}

struct Landing {
    bytes: Box<[u8]>,
    control: Vec<u8>,
}

impl Default for Landing {
    fn default() -> Self {
        Self { bytes: vec![0; READ_SIZE].into(), control: nix::cmsg_space!(nix::sys::time::TimeSpec) }
    }
}

/// Asks the kernel to stamp what arrives; false when it does not know how.
pub(super) fn enable(stream: &TcpStream) -> bool {
    setsockopt(stream, sockopt::ReceiveTimestampns, &true).is_ok()
}

/// Reads what is there. Gives how much that was and the kernel's stamp of the last segment read (nanoseconds of wall time), if it set one.
pub(super) fn poll_receive(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    mut buf: ReadBufCursor<'_>,
) -> Poll<io::Result<(usize, Option<i128>)>> {
    loop {
        ready!(stream.poll_read_ready(cx))?;
        let received = LANDING.with_borrow_mut(|landing| receive(stream, landing, buf.remaining(), &mut buf));
        match received {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            received => return Poll::Ready(received),
        }
    }
}

fn receive(
    stream: &TcpStream,
    landing: &mut Landing,
    room: usize,
    buf: &mut ReadBufCursor<'_>,
) -> io::Result<(usize, Option<i128>)> {
    let wanted = room.min(READ_SIZE);
    let (n, stamp) = stream.try_io(Interest::READABLE, || {
        let mut target = [IoSliceMut::new(&mut landing.bytes[..wanted])];
        let message =
            recvmsg::<()>(stream.as_raw_fd(), &mut target, Some(&mut landing.control), MsgFlags::empty())?;
        let stamp = message.cmsgs().ok().into_iter().flatten().find_map(|control| match control {
            ControlMessageOwned::ScmTimestampns(at) => {
                Some(i128::from(at.tv_sec()) * 1_000_000_000 + i128::from(at.tv_nsec()))
            }
            _ => None,
        });
        Ok((message.bytes, stamp))
    })?;
    if n > 0 && n < wanted {
        // A short read emptied the socket: say so to the runtime, or the next read would be a wasted call into the
        // kernel. What arrives from now on raises a new event.
        let _ = stream.try_io::<()>(Interest::READABLE, || Err(io::ErrorKind::WouldBlock.into()));
    }
    buf.put_slice(&landing.bytes[..n]);
    Ok((n, stamp))
}
