//! The timeouts of one attempt, each named and counted from its own instant. One timer serves all of them and is moved
//! only when it fires or a phase ends, never per chunk.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use measure::{ErrorClass, Offset};
use scenario::plan::Timeouts;
use tokio::time::{Sleep, sleep_until};

use crate::clock::Clock;

/// Watches one attempt.
pub(crate) struct Guard {
    clock: Clock,
    timeouts: Timeouts,
    /// Zero of `first_token` and `total`.
    sent: Offset,
    /// Latest byte, from the response head on.
    last_byte: Option<Offset>,
    /// Latest token event.
    last_token: Option<Offset>,
    /// After the terminal marker: until when the rest of the body is waited for.
    linger: Option<Offset>,
    /// The deadline the timer is set to.
    armed: Offset,
    timer: Pin<Box<Sleep>>,
}

/// How long the rest of the body is waited for after the terminal marker.
const LINGER: std::time::Duration = std::time::Duration::from_millis(100);

impl Guard {
    /// Starts watching: `sent` is about now.
    pub(crate) fn new(clock: Clock, timeouts: Timeouts) -> Self {
        let sent = clock.now();
        let first = sent + timeouts.first_token.min(timeouts.total.unwrap_or(timeouts.first_token));
        let timer = Box::pin(sleep_until(clock.deadline(first)));
        Self { clock, timeouts, sent, last_byte: None, last_token: None, linger: None, armed: first, timer }
    }

    /// A byte arrived (the head included).
    pub(crate) fn byte(&mut self, at: Offset) {
        let first = self.last_byte.replace(at).is_none();
        if first {
            self.rearm();
        }
    }

    /// The latest byte, from the response head on.
    pub(crate) fn last_byte(&self) -> Option<Offset> {
        self.last_byte
    }

    /// A token event arrived.
    pub(crate) fn token(&mut self, at: Offset) {
        let first = self.last_token.replace(at).is_none();
        if first {
            self.rearm();
        }
    }

    /// The terminal marker arrived: only the rest of the body is still waited for.
    pub(crate) fn done(&mut self) {
        self.linger = Some(self.clock.now() + LINGER);
        self.rearm();
    }

    /// The timeout that has struck by `now`: for a stream that never pauses, so that the timer is never asked.
    pub(crate) fn struck(&mut self, now: Offset) -> Option<ErrorClass> {
        if now < self.armed {
            return None;
        }
        let (deadline, class) = self.deadline();
        if now >= deadline {
            return Some(class);
        }
        self.rearm();
        None
    }

    /// Ready with the timeout that struck.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<ErrorClass> {
        loop {
            ready!(self.timer.as_mut().poll(cx));
            let (deadline, class) = self.deadline();
            if self.clock.now() >= deadline {
                return Poll::Ready(class);
            }
            self.rearm();
        }
    }

    fn rearm(&mut self) {
        self.armed = self.deadline().0;
        self.timer.as_mut().reset(self.clock.deadline(self.armed));
    }

    /// The earliest deadline that holds now.
    fn deadline(&self) -> (Offset, ErrorClass) {
        if let Some(linger) = self.linger {
            return (linger, ErrorClass::TimeoutIdle);
        }
        let waiting = match self.last_token {
            None => Some((self.sent + self.timeouts.first_token, ErrorClass::TimeoutFirstToken)),
            Some(token) => self.timeouts.stall.map(|stall| (token + stall, ErrorClass::TimeoutStall)),
        };
        let idle = self.last_byte.map(|byte| (byte + self.timeouts.idle, ErrorClass::TimeoutIdle));
        let total = self.timeouts.total.map(|total| (self.sent + total, ErrorClass::TimeoutTotal));
        [waiting, idle, total]
            .into_iter()
            .flatten()
            .min_by_key(|(deadline, _)| *deadline)
            .unwrap_or((self.sent + self.timeouts.first_token, ErrorClass::TimeoutFirstToken))
    }
}
