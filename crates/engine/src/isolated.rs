//! A panic in the middle of an attempt ends that attempt, not the run: what others measured is worth keeping.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use measure::sample::ErrorDetail;
use measure::{ErrorClass, Outcome};

use crate::attempt::Ended;

/// The attempt, or how it ended when it panicked. Its connection is gone with it.
pub(crate) async fn isolated(attempt: impl Future<Output = Ended>) -> Ended {
    let mut attempt = pin!(attempt);
    // What a panic may have left half done belongs to the attempt and is dropped with it.
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| attempt.as_mut().poll(context))) {
        Ok(poll) => poll,
        Err(panic) => Poll::Ready(broken(panic.as_ref())),
    })
    .await
}

fn broken(panic: &(dyn Any + Send)) -> Ended {
    let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    let message = format!("a fault of rungs: {}", said.unwrap_or("it says no more"));
    Ended {
        outcome: Outcome::Failed(ErrorClass::Internal),
        detail: Some(ErrorDetail { message, ..ErrorDetail::default() }),
        demand: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ended(panics: Option<&'static str>) -> Ended {
        tokio::task::yield_now().await;
        match panics {
            Some("") => std::panic::panic_any(7_u8),
            Some(text) => panic!("{text}"),
            None => Ended { outcome: Outcome::Ok, detail: None, demand: None },
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_panic_is_a_failed_attempt_and_says_what_it_said() {
        assert_eq!(isolated(ended(None)).await.outcome, Outcome::Ok);
        for (text, message) in
            [("index 7", "a fault of rungs: index 7"), ("", "a fault of rungs: it says no more")]
        {
            let ended = isolated(ended(Some(text))).await;
            assert_eq!(ended.outcome, Outcome::Failed(ErrorClass::Internal));
            assert_eq!(ended.detail.unwrap().message, message);
        }
    }
}
