//! One attempt on the wire: connect, send, read, judge. The order of the stamps is visible here.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Response, Version};
use measure::sample::{ArrivalClock, Attempt, ErrorDetail};
use measure::{ErrorClass, Flag, Offset, Outcome};

use crate::answer::Answer;
use crate::caller::{Caller, Message};
use crate::decoding::Decoding;
use crate::guard::Guard;
use crate::mask::Mask;
use crate::read::{BodyEnd, Reading, read_error_body};
use crate::trace::{Step, Trace};
use crate::transport::{Lines, Link, Reuse, Sent, Taken};
use crate::{classify, demand, read};

/// A connection that the other side has closed answers a write with a reset after one way there and back.
const DEAD_WITHIN: Duration = Duration::from_millis(500);

/// What is known about an attempt while it runs; kept outside its future, so that a cancelled one is not lost.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) answer: Answer,
    pub(crate) status: Option<u16>,
    pub(crate) reused: bool,
    pub(crate) address: Option<SocketAddr>,
    pub(crate) clock: ArrivalClock,
    /// Token events of this worker so far, for the live view.
    pub(crate) tally: Rc<Cell<u64>>,
    pub(crate) trace: Trace,
}

/// Why an attempt ended otherwise than with a complete answer.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) class: ErrorClass,
    pub(crate) detail: ErrorDetail,
    /// The wait that the server asked for.
    pub(crate) demand: Option<Duration>,
}

impl Failed {
    pub(crate) fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            detail: ErrorDetail { message: message.into(), ..ErrorDetail::default() },
            demand: None,
        }
    }
}

/// How an attempt ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    pub(crate) detail: Option<ErrorDetail>,
    /// The wait that the server asked for.
    pub(crate) demand: Option<Duration>,
}

impl Log {
    /// A request that was given up in the moment after its answer was complete has its answer.
    pub(crate) fn settle(&mut self, ended: Ended) -> Ended {
        let Some(done) = self.answer.done.filter(|_| ended.outcome == Outcome::Cancelled) else {
            return ended;
        };
        self.answer.at.end = done;
        Ended { outcome: classify::clean_end(&mut self.answer, b""), ..ended }
    }
}

impl Ended {
    /// By the run, not by the server.
    pub(crate) fn cancelled() -> Self {
        Self { outcome: Outcome::Cancelled, detail: None, demand: None }
    }
}

impl Caller {
    /// Carries out one attempt. `kept` is the user's connection, if it has one; it is put back when it can be used
    /// again.
    pub(crate) async fn attempt(
        &self,
        lines: &Lines,
        kept: &mut Option<Link>,
        message: &Message,
        log: &mut Log,
    ) -> Ended {
        log.answer.at.start = self.clock.now();
        log.trace.tell_at(log.answer.at.start, || Step::Started);
        match self.exchange(lines, kept, message, log).await {
            Ok(()) => Ended { outcome: Outcome::Ok, detail: None, demand: None },
            Err(failed) => Ended {
                outcome: Outcome::Failed(failed.class),
                detail: Some(failed.detail),
                demand: failed.demand,
            },
        }
    }

    async fn exchange(
        &self,
        lines: &Lines,
        kept: &mut Option<Link>,
        message: &Message,
        log: &mut Log,
    ) -> Result<(), Failed> {
        let (mut link, response, mut guard) = self.send(lines, kept.take(), message, log).await?;
        let head = link.arrival();
        log.answer.at.headers = Some(head);
        log.status = Some(response.status().as_u16());
        log.trace.tell_at(head, || told(&response, &self.mask));
        guard.byte(head);
        // A body that ends with the connection leaves none.
        let ends = says_close(&response) || is_delimited_by_close(&response);
        let reusable = self.reuse == Reuse::Allowed && !ends;
        let end = match response.status().is_success() {
            true => self.read_answer(&mut link, response, &mut guard, log).await?,
            false => {
                let (failed, end) = self.read_refusal(&mut link, response, &mut guard).await;
                *kept = (reusable && end == BodyEnd::Clean).then_some(link);
                return Err(failed);
            }
        };
        *kept = (reusable && end == BodyEnd::Clean).then_some(link);
        Ok(())
    }

    /// Sends the request on the kept connection or another one; once more when the one that was there turns out dead
    /// before a byte was answered.
    async fn send(
        &self,
        lines: &Lines,
        kept: Option<Link>,
        message: &Message,
        log: &mut Log,
    ) -> Result<(Link, Response<Incoming>, Guard), Failed> {
        let mut link = self.link(lines, kept, log).await?;
        let mut guard = Guard::new(self.clock, self.timeouts);
        let mut sent = link.send(self.request(message, link.spoken()), &mut guard).await;
        if log.reused && self.was_dead(&sent, &link) {
            log.answer.flags.insert(Flag::Redial);
            link = self.link(lines, None, log).await?;
            guard = Guard::new(self.clock, self.timeouts);
            sent = link.send(self.request(message, link.spoken()), &mut guard).await;
        }
        log.answer.at.sent = link.departed();
        log.clock = link.clock();
        log.address = link.address();
        if let Some(departed) = link.departed() {
            log.trace.tell_at(departed, || Step::Sent);
        }
        self.head(sent).map(|response| (link, response, guard))
    }

    /// The kept connection if it is still alive, else another one.
    async fn link(&self, lines: &Lines, kept: Option<Link>, log: &mut Log) -> Result<Link, Failed> {
        if let Some(mut link) = kept {
            if link.is_alive().await {
                log.reused = true;
                return Ok(link);
            }
            log.answer.flags.insert(Flag::Redial);
        }
        let taken = lines.take(&self.dial, self.reuse, &log.trace).await;
        let taken = taken.map_err(|failure| Failed::new(failure.class, failure.message))?;
        log.reused = matches!(taken, Taken::Reused(_));
        match taken {
            Taken::Reused(link) => Ok(link),
            Taken::Fresh(link) => {
                log.answer.at.connected = Some(self.clock.now());
                Ok(link)
            }
        }
    }

    /// Whether a connection that was there had died before this request: it ended without a byte, and as soon as a reset
    /// takes to come back. A server that took its time had the request, and sending it again would hide a failure.
    fn was_dead(&self, sent: &Sent, link: &Link) -> bool {
        let Sent::Failed(error) = sent else { return false };
        link.was_dead(error, |departed| self.clock.now().since(departed) < DEAD_WITHIN)
    }

    fn head(&self, sent: Sent) -> Result<Response<Incoming>, Failed> {
        match sent {
            Sent::Head(response) => Ok(response),
            Sent::TimedOut(class) => Err(self.timed_out(class)),
            Sent::Failed(error) if error.is_parse() => {
                Err(Failed::new(ErrorClass::Malformed, format!("the answer is not HTTP: {error}")))
            }
            Sent::Failed(error) => Err(Failed::new(
                ErrorClass::ConnectionClosed,
                format!("the connection ended before an answer: {}", root(&error)),
            )),
        }
    }

    async fn read_answer(
        &self,
        link: &mut Link,
        response: Response<Incoming>,
        guard: &mut Guard,
        log: &mut Log,
    ) -> Result<BodyEnd, Failed> {
        let mut decoding = Decoding::of(response.headers())
            .map_err(|encoding| Failed::new(ErrorClass::UnsupportedEncoding, encoding.to_string()))?;
        let mut reading = match Reading::of(self, &response, log) {
            Ok(reading) => reading,
            Err(failed) => return Err(self.with_excerpt(failed, link, response, guard, decoding).await),
        };
        let by_close = is_delimited_by_close(&response);
        let end = match read::read_body(
            self,
            link,
            response.into_body(),
            guard,
            (&mut decoding, &mut reading),
            log,
        )
        .await
        {
            // Without a length or chunks the end of the connection is the end of the body, however it comes.
            BodyEnd::Dirty(_) if by_close => BodyEnd::Clean,
            end => end,
        };
        let at = match end {
            // On a shared connection the latest arrival may be another stream's.
            BodyEnd::TimedOut(_) | BodyEnd::Lingered => guard.last_byte().unwrap_or(link.arrival()),
            _ => link.arrival(),
        };
        reading.finish(self, at, end, log)
    }

    /// Adds the beginning of a body that can hold no answer, as far as it comes at once.
    async fn with_excerpt(
        &self,
        mut failed: Failed,
        link: &mut Link,
        response: Response<Incoming>,
        guard: &mut Guard,
        decoding: Decoding,
    ) -> Failed {
        if failed.class == ErrorClass::BadContentType {
            guard.done();
            let (bytes, _) = read_error_body(link, response.into_body(), guard, decoding).await;
            failed.detail.excerpt = self.mask.excerpt(&bytes);
        }
        failed
    }

    /// The failure behind a status that is no success.
    async fn read_refusal(
        &self,
        link: &mut Link,
        response: Response<Incoming>,
        guard: &mut Guard,
    ) -> (Failed, BodyEnd) {
        let (head, body) = response.into_parts();
        let header =
            |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let decoding = Decoding::of(&head.headers).unwrap_or(Decoding::Identity);
        let (bytes, end) = read_error_body(link, body, guard, decoding).await;
        let failure = crate::protocol::Failure::in_refusal(bytes.trim_ascii());
        let class = classify::status(head.status, failure.as_ref());
        let message = match (&failure, header("location")) {
            (Some(failure), _) => failure.message.clone(),
            (None, Some(location)) if class == ErrorClass::Redirect => {
                format!("redirect to {location}; not followed")
            }
            (None, _) => head.status.to_string(),
        };
        let detail = ErrorDetail {
            message,
            code: failure.and_then(|failure| failure.code),
            excerpt: self.mask.excerpt(&bytes),
            retry_after: header("retry-after"),
        };
        let demand = demand::of(&head.headers, self.clock.wall(self.clock.now()));
        (Failed { class, detail, demand }, end)
    }

    /// The failure behind a timeout, which names itself.
    pub(crate) fn timed_out(&self, class: ErrorClass) -> Failed {
        let limits = &self.timeouts;
        let text = match class {
            ErrorClass::TimeoutFirstToken => {
                format!("no token within {:?} (timeouts.first_token)", limits.first_token)
            }
            ErrorClass::TimeoutIdle => format!("no byte for {:?} (timeouts.idle)", limits.idle),
            ErrorClass::TimeoutStall => {
                format!("no further token for {:?} (timeouts.stall)", limits.stall.unwrap_or_default())
            }
            _ => format!("not finished within {:?} (timeouts.total)", limits.total.unwrap_or_default()),
        };
        Failed::new(class, text)
    }
}

impl Log {
    /// The attempt as a sample holds it: every text of the server's masked, in this one place.
    pub(crate) fn into_attempt(
        mut self,
        request_id: String,
        ended: Ended,
        now: Offset,
        mask: &Mask,
    ) -> Attempt {
        self.answer.remark_on_stream();
        let tokens = self.answer.tokens();
        let mut at = self.answer.at;
        if ended.outcome != Outcome::Ok || at.end == Offset::ORIGIN {
            at.end = self.answer.failed.filter(|_| ended.outcome != Outcome::Cancelled).unwrap_or(now);
        }
        Attempt {
            request_id,
            at,
            outcome: ended.outcome,
            status: self.status,
            flags: self.answer.flags,
            tokens,
            events: self.answer.events,
            finish_reason: self.answer.finish_reason.map(|reason| mask.apply(&reason)),
            error: ended.detail.map(|detail| mask.detail(detail)),
            reused: self.reused,
            address: self.address,
            clock: self.clock,
        }
    }
}

fn is_delimited_by_close(response: &Response<Incoming>) -> bool {
    let headers = response.headers();
    response.version() < Version::HTTP_2
        && !headers.contains_key(hyper::header::CONTENT_LENGTH)
        && !headers.contains_key(hyper::header::TRANSFER_ENCODING)
}

fn says_close(response: &Response<Incoming>) -> bool {
    let connection = response.headers().get(hyper::header::CONNECTION).and_then(|value| value.to_str().ok());
    connection.is_some_and(|value| value.to_ascii_lowercase().contains("close"))
}

/// The head as a probe tells it.
fn told(response: &Response<Incoming>, mask: &Mask) -> Step {
    let shown = |value: &hyper::header::HeaderValue| mask.apply(&String::from_utf8_lossy(value.as_bytes()));
    let headers = response.headers().iter().map(|(name, value)| (name.to_string(), shown(value))).collect();
    Step::Head { status: response.status().as_u16(), headers }
}

/// The innermost cause: hyper's own texts name only the layer.
pub(crate) fn root(error: &hyper::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
