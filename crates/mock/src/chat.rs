//! One chat request, from its last byte to the last byte of its answer.

mod faulty;

use std::time::Duration;

use tokio::sync::SemaphorePermit;

use crate::answer::Answer;
use crate::ask::{Ask, Delivery};
use crate::clock::Stamp;
use crate::config::Config;
use crate::http::{Connection, Gone, Head, Reply, Request};
use crate::ledger::Row;
use crate::pace::Schedule;
use crate::problem::Problem;
use crate::protocol::{Protocol, TokenEvent};
use crate::state::{Slot, State};

/// Answers `request`, or refuses it, and puts it in the ledger.
pub(crate) async fn answer(
    state: &State,
    connection: &mut Connection,
    protocol: Protocol,
    request: Request,
) -> Result<(), Gone> {
    let Request { head, body, received } = request;
    let row = Row {
        id: head.request_id.clone(),
        ordinal: state.next_ordinal(),
        protocol,
        received,
        slot: None,
        head: None,
        tokens: Vec::new(),
        whole_tokens: None,
        end: received,
        status: None,
        aborted: false,
        fault: None,
    };
    let mut chat = Chat { state, connection, head, row };
    let ask = match accept(&state.config, protocol, &chat.head, &body) {
        Ok(ask) => ask,
        Err(problem) => return chat.refuse(problem).await,
    };
    let strike = state.config.faults.strike(state.config.seed, chat.row.ordinal);
    if let Some(problem) = strike.and_then(|strike| strike.fault.refusal()) {
        chat.row.fault = strike.map(|strike| strike.fault);
        return chat.refuse(problem).await;
    }
    let Some(open) = state.try_open() else { return chat.refuse(Problem::RateLimited).await };
    let Ok(slot) = chat.take_slot().await else { return chat.leave() };
    if let Some(strike) = strike {
        return chat.fail(strike, ask, (open, slot)).await;
    }
    let Ok(last) = chat.serve(ask).await else { return chat.leave() };
    // Before the last write, like the row: who has read the answer finds the server free again.
    drop((open, slot));
    chat.finish(&last).await
}

/// What is asked for, if the key, the body and the model are right.
fn accept(config: &Config, protocol: Protocol, head: &Head, body: &[u8]) -> Result<Ask, Problem> {
    if let Some(key) = &config.key {
        let given = match protocol {
            Protocol::AnthropicMessages => head.x_api_key.as_deref().or(head.bearer.as_deref()),
            _ => head.bearer.as_deref(),
        };
        let given = given.ok_or(Problem::MissingKey)?;
        if !key.is(given) {
            return Err(Problem::WrongKey);
        }
    }
    let ask = Ask::parse(protocol, body)?;
    match protocol.names_model() && !config.serves(&ask.model) {
        true => Err(Problem::UnknownModel(ask.model)),
        false => Ok(ask),
    }
}

/// A request on its way, and its row in the making.
struct Chat<'a> {
    state: &'a State,
    connection: &'a mut Connection,
    head: Head,
    row: Row,
}

impl<'a> Chat<'a> {
    async fn refuse(mut self, problem: Problem) -> Result<(), Gone> {
        let mut reply = self.reply(problem.status());
        if problem == Problem::RateLimited {
            reply.retry_after = Some(self.state.config.retry_after);
        }
        let bytes = reply.json(&self.row.protocol.error(&problem));
        self.row.status = Some(problem.status());
        self.row.head = Some(self.state.clock.now());
        self.finish(&bytes).await
    }

    /// Waits for a slot, if slots are counted. It is given back when the permit is dropped.
    async fn take_slot(&mut self) -> Result<Option<SemaphorePermit<'a>>, Gone> {
        let (begin, permit) = match self.state.slot() {
            Slot::Free(permit) => (self.row.received, permit),
            Slot::Busy(slots) => {
                // Nobody closes the semaphore, so there is a permit in the end.
                let permit = self.connection.wait_for(slots.acquire()).await?.ok();
                (self.state.clock.now(), permit)
            }
        };
        self.row.slot = Some(begin);
        Ok(permit)
    }

    /// Answers up to the last bytes, which are returned.
    async fn serve(&mut self, ask: Ask) -> Result<Vec<u8>, Gone> {
        let (answer, schedule, delivery) = self.plan(ask);
        match delivery {
            Delivery::Stream { .. } => self.stream(&answer, schedule).await,
            Delivery::Whole => self.whole(&answer, schedule).await,
        }
    }

    /// What is to be said, when, and how.
    fn plan(&self, ask: Ask) -> (Answer, Schedule, Delivery) {
        let (config, ordinal) = (&self.state.config, self.row.ordinal);
        let schedule = Schedule::new(config.ttft, config.itl, config.seed, ordinal);
        let delivery = ask.delivery;
        (Answer::new(ask, config.tokens, ordinal, self.state.clock.unix_seconds()), schedule, delivery)
    }

    /// The zero of the schedule.
    fn begin(&self) -> Stamp {
        self.row.slot.unwrap_or(self.row.received)
    }

    /// Head and opening events at once, then each token when it is due, then the closing events at once.
    async fn stream(&mut self, answer: &Answer, schedule: Schedule) -> Result<Vec<u8>, Gone> {
        let framing = self.head.framing;
        let events = self.row.protocol.events(answer);
        self.begin_stream(&events.opening).await?;
        self.stream_tokens(&events.token, schedule.take(answer.output_tokens)).await?;
        let Some((last, others)) = events.closing.split_last() else { return Ok(framing.last_piece("")) };
        for event in others {
            self.connection.write(&framing.piece(event)).await?;
        }
        Ok(framing.last_piece(last))
    }

    /// The response head, in one write with the first opening event, and the other opening events.
    async fn begin_stream(&mut self, opening: &[String]) -> Result<(), Gone> {
        let framing = self.head.framing;
        let mut first = self.reply(200).stream_head(self.row.protocol.stream_type(), framing);
        let (with_head, others) = opening.split_at(opening.len().min(1));
        first.extend(with_head.iter().flat_map(|event| framing.piece(event)));
        self.row.head = Some(self.state.clock.now());
        self.row.status = Some(200);
        self.connection.write(&first).await?;
        for event in others {
            self.connection.write(&framing.piece(event)).await?;
        }
        Ok(())
    }

    /// A token at each of the times.
    async fn stream_tokens(
        &mut self,
        event: &TokenEvent,
        times: impl Iterator<Item = Duration>,
    ) -> Result<(), Gone> {
        let (framing, begin) = (self.head.framing, self.begin());
        for (index, due) in times.enumerate() {
            let piece = framing.piece(&event.render(index, crate::text::token(index)));
            self.connection.wait_until(begin.after(due)).await?;
            self.row.tokens.push(self.state.clock.now());
            self.connection.write(&piece).await?;
        }
        Ok(())
    }

    /// One JSON document when the last token would have been due.
    async fn whole(&mut self, answer: &Answer, schedule: Schedule) -> Result<Vec<u8>, Gone> {
        let bytes = self.reply(200).json(&self.row.protocol.whole(answer));
        self.connection.wait_until(self.begin().after(schedule.last_of(answer.output_tokens))).await?;
        self.row.whole_tokens = Some(answer.output_tokens);
        self.row.status = Some(200);
        self.row.head = Some(self.state.clock.now());
        Ok(bytes)
    }

    /// Records the row, then writes the last bytes.
    async fn finish(self, last: &[u8]) -> Result<(), Gone> {
        let (state, ordinal) = (self.state, self.row.ordinal);
        let written = self.record().write(last).await;
        if written.is_err() {
            state.ledger().mark_aborted(ordinal);
        }
        written
    }

    /// Records that the client has gone.
    fn leave(mut self) -> Result<(), Gone> {
        self.row.aborted = true;
        self.record();
        Err(Gone)
    }

    /// Puts the row into the ledger, as ended now; what is left is the connection.
    fn record(mut self) -> &'a mut Connection {
        self.row.end = self.state.clock.now();
        self.state.ledger().record(self.row);
        self.connection
    }

    fn reply(&self, status: u16) -> Reply {
        Reply {
            status,
            keep_alive: self.head.keep_alive,
            date: self.state.clock.http_date(),
            request_id: self.head.request_id.clone(),
            retry_after: None,
        }
    }
}
