//! One scripted exchange: what the engine made of it, beside the server's own stamps.

use std::collections::BTreeMap;
use std::time::Duration;

use measure::request::{RequestMetrics, gaps};
use measure::result::StageResult;
use measure::sample::Attempt;
use measure::{ErrorClass, Flag, Outcome};

use crate::run::requests_of_one_user;
use crate::script::{Script, Step};

/// Seconds by which a write may reach the wire after its stamp, on a busy machine.
const ROOM: f64 = 0.1;

/// One or more requests of one user, all in one stage.
pub(crate) struct Case {
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) stage: StageResult,
    pub(crate) script: Script,
    /// From the server's clock to that of the run.
    ahead: f64,
}

/// One request, answered by `steps`.
pub(crate) fn case(api: &str, steps: Vec<Step>) -> Case {
    case_with(api, 1, "", move |_| steps.clone())
}

/// So many requests, the `n`-th answered by `steps(n)`; `target` is added to the scenario.
pub(crate) fn case_with(
    api: &str,
    requests: u32,
    target: &str,
    steps: impl Fn(usize) -> Vec<Step> + Send + Sync + 'static,
) -> Case {
    let script = Script::each(steps);
    let mut outcome = requests_of_one_user(script.port, api, requests, target, BTreeMap::new());
    let attempts = outcome.samples.into_iter().flat_map(|sample| sample.attempts).collect();
    let ahead = outcome.clock.now().seconds() - script.clock.now().seconds();
    Case { attempts, stage: outcome.recording.stages.remove(0), script, ahead }
}

/// One request to an OpenAI chat server.
pub(crate) fn openai(steps: Vec<Step>) -> Case {
    case("openai-chat", steps)
}

/// The same check of several exchanges at once, so that their waiting adds up to no more than the longest.
pub(crate) fn at_once<T: Send>(inputs: Vec<T>, check: impl Fn(T) + Sync) {
    std::thread::scope(|scope| {
        for input in inputs {
            scope.spawn(|| check(input));
        }
    });
}

impl Case {
    pub(crate) fn attempt(&self) -> &Attempt {
        &self.attempts[0]
    }

    pub(crate) fn metrics(&self) -> RequestMetrics {
        RequestMetrics::of(self.attempt(), 10.0)
    }

    /// An ok answer with so many token events and so many output tokens.
    pub(crate) fn is_ok(&self, events: usize, output: Option<u64>) -> &Self {
        let attempt = self.attempt();
        assert_eq!(attempt.outcome, Outcome::Ok, "{:?}", attempt.error);
        assert_eq!((attempt.events.len(), attempt.tokens.output), (events, output));
        self
    }

    /// An answer that failed so, and with these words somewhere in its message.
    pub(crate) fn failed(&self, class: ErrorClass, words: &str) -> &Self {
        let attempt = self.attempt();
        assert_eq!(attempt.outcome, Outcome::Failed(class), "{:?}", attempt.error);
        let message = &attempt.error.as_ref().unwrap().message;
        assert!(message.contains(words), "{message}");
        self
    }

    /// Exactly these flags, on the attempt and counted on the stage.
    pub(crate) fn flags(&self, flags: &[Flag]) -> &Self {
        assert_eq!(self.attempt().flags.iter().collect::<Vec<_>>(), flags);
        for flag in flags {
            assert_eq!(self.stage.flags.get(flag.name()), Some(&1), "{flag:?} on the stage");
        }
        self
    }

    /// Exactly these flags on every attempt.
    pub(crate) fn flags_of_all(&self, flags: &[Flag]) -> &Self {
        for attempt in &self.attempts {
            assert_eq!(attempt.flags.iter().collect::<Vec<_>>(), flags);
        }
        self
    }

    /// What `measured` counts to, from the send, is the server's `n`-th write (0 is the head), and that was to be no sooner
    /// than after `ms`.
    pub(crate) fn at(&self, measured: Option<Duration>, n: usize, ms: u64) -> &Self {
        let measured = measured.unwrap();
        assert!(measured >= Duration::from_millis(ms), "{measured:?} is too soon");
        let arrival = self.attempt().at.sent.unwrap().seconds() + measured.as_secs_f64();
        let late = arrival - self.script.writes(0)[n].seconds() - self.ahead;
        assert!((-0.001..ROOM).contains(&late), "{late} s after the server's write");
        self
    }

    /// Time between two writes of the server.
    pub(crate) fn between(&self, from: usize, to: usize) -> Duration {
        let writes = self.script.writes(0);
        writes[to].since(writes[from])
    }

    /// The gaps between token events are those between these writes of the server.
    pub(crate) fn gaps(&self, writes: &[usize]) -> &Self {
        let found: Vec<Duration> = gaps(&self.attempt().events).map(|(_, gap)| gap).collect();
        assert_eq!(found.len() + 1, writes.len());
        for (gap, pair) in found.iter().zip(writes.windows(2)) {
            close(*gap, self.between(pair[0], pair[1]), 1.0);
        }
        self
    }

    /// `tpot` is the time between two writes over `tokens`.
    pub(crate) fn tpot(&self, from: usize, to: usize, tokens: u32) -> &Self {
        close(self.metrics().tpot.unwrap(), self.between(from, to) / tokens, f64::from(tokens));
        let rate = self.metrics().decode_tps.unwrap();
        let ours = f64::from(tokens) / self.between(from, to).as_secs_f64();
        assert!((rate / ours - 1.0).abs() < 0.3, "{rate} tokens/s, by the server {ours}");
        self
    }
}

/// A write may be delayed between its stamp and the wire by as much as a slice of a busy machine.
fn close(ours: Duration, server: Duration, share: f64) {
    let apart = ours.abs_diff(server).as_secs_f64();
    assert!(apart < 0.025 / share, "{ours:?}, by the server {server:?}");
}
