//! An answer that meets a fault on its way.

use std::time::Duration;

use super::Chat;
use crate::answer::Answer;
use crate::ask::{Ask, Delivery};
use crate::faults::{Cut, Fault, Strike};
use crate::http::Gone;
use crate::pace::Schedule;
use crate::problem::Problem;

/// A client that waits longer than this waits for ever.
const LONGEST_STALL: Duration = Duration::from_secs(600);

impl Fault {
    /// The refusal that it is, if it is one.
    pub(super) fn refusal(self) -> Option<Problem> {
        match self {
            Self::RateLimited => Some(Problem::RateLimited),
            Self::Unavailable => Some(Problem::Unavailable),
            Self::Reset | Self::Close | Self::Stall | Self::Truncated | Self::InbandError => None,
        }
    }
}

impl Chat<'_> {
    /// Answers up to where the fault strikes, and lets it. What the request holds of the server is given back before the
    /// last bytes, as after a good answer; a stall keeps it.
    pub(super) async fn fail(mut self, strike: Strike, ask: Ask, held: impl Sized) -> Result<(), Gone> {
        let Ok(last) = self.serve_until(strike, ask).await else { return self.leave() };
        self.row.fault = Some(strike.fault);
        if strike.fault == Fault::Stall {
            return self.stall().await;
        }
        drop(held);
        match strike.fault {
            Fault::Reset => Err(self.record().reset_when_dropped()),
            Fault::Close | Fault::Stall => {
                self.record();
                Err(Gone)
            }
            Fault::Truncated | Fault::InbandError | Fault::RateLimited | Fault::Unavailable => {
                self.finish(&last).await
            }
        }
    }

    /// Sends what comes before the fault, and returns the last bytes where the body ends in order.
    async fn serve_until(&mut self, strike: Strike, ask: Ask) -> Result<Vec<u8>, Gone> {
        let (answer, schedule, delivery) = self.plan(ask);
        let Cut::AfterTokens(tokens) = strike.cut(answer.output_tokens) else { return Ok(Vec::new()) };
        match delivery {
            Delivery::Stream { .. } => self.stream_until(strike.fault, &answer, schedule, tokens).await,
            Delivery::Whole => self.whole_until(strike.fault, &answer, schedule, tokens).await,
        }
    }

    /// The fault strikes when the next token would have been due.
    async fn stream_until(
        &mut self,
        fault: Fault,
        answer: &Answer,
        mut schedule: Schedule,
        tokens: usize,
    ) -> Result<Vec<u8>, Gone> {
        let framing = self.head.framing;
        let events = self.row.protocol.events(answer);
        self.begin_stream(&events.opening).await?;
        self.stream_tokens(&events.token, schedule.by_ref().take(tokens)).await?;
        if let Some(due) = schedule.next() {
            self.connection.wait_until(self.begin().after(due)).await?;
        }
        Ok(match fault {
            Fault::InbandError => framing.last_piece(&self.row.protocol.failure(answer, tokens)),
            _ => framing.last_piece(""),
        })
    }

    /// Of an answer that is not streamed, the fault leaves a part of the document that grows with the tokens.
    async fn whole_until(
        &mut self,
        fault: Fault,
        answer: &Answer,
        schedule: Schedule,
        tokens: usize,
    ) -> Result<Vec<u8>, Gone> {
        let document = self.row.protocol.whole(answer);
        self.connection.wait_until(self.begin().after(schedule.last_of(answer.output_tokens))).await?;
        self.row.status = Some(200);
        self.row.head = Some(self.state.clock.now());
        if fault == Fault::InbandError {
            return Ok(self.reply(200).json(&self.row.protocol.error(&Problem::Internal)));
        }
        let document = document.to_string();
        let part = &document.as_bytes()[..document.len() * tokens / (answer.output_tokens + 1)];
        let announced = if fault == Fault::Truncated { part.len() } else { document.len() };
        let bytes = [&self.reply(200).json_head(announced), part].concat();
        if fault == Fault::Truncated {
            return Ok(bytes);
        }
        self.connection.write(&bytes).await?;
        Ok(Vec::new())
    }

    /// Sends nothing more, until the client has had enough.
    async fn stall(mut self) -> Result<(), Gone> {
        let until = self.state.clock.now().after(LONGEST_STALL);
        self.row.aborted = self.connection.wait_until(until).await.is_err();
        self.record();
        Err(Gone)
    }
}
