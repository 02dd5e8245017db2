//! What a run costs: at most, before it.

use super::{Bodies, Plan, Stage, StageEnd, WarmUp};

/// What tokens cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Of a million input tokens, 0 or more.
    pub input: f64,
    /// Of a million output tokens, 0 or more.
    pub output: f64,
    /// What both are in, for people.
    pub currency: String,
}

impl Price {
    /// Of so many tokens.
    pub fn of(&self, input: u64, output: u64) -> f64 {
        (input as f64 * self.input + output as f64 * self.output) / 1e6
    }
}

impl Plan {
    /// The most requests that can be sent to both sides together, attempts by the retry policy counted; `None` where time
    /// ends a stage and no cap is set.
    pub fn attempts_at_most(&self) -> Option<u64> {
        let of_stage = |stage: &Stage| match stage.end {
            StageEnd::Requests(requests) => Some(requests),
            StageEnd::OnePerUser => stage.level().users().map(u64::from),
            StageEnd::After(_) => None,
        };
        let ladder =
            self.load.stages.iter().try_fold(0, |sum: u64, stage| Some(sum.saturating_add(of_stage(stage)?)));
        let climbs = u64::from(self.gate.repeats.saturating_add(self.gate.confirm));
        let before = match self.load.warm_up {
            Some(WarmUp::Requests(requests)) => Some(requests),
            Some(WarmUp::For(_)) => None,
            None => Some(0),
        };
        // A preflight that meets a busy server is sent three times.
        let before = before.map(|requests| requests.saturating_add(if self.load.preflight { 3 } else { 0 }));
        let planned = ladder.zip(before).filter(|_| self.load.search.is_none());
        let planned = planned.map(|(ladder, before)| {
            ladder.saturating_mul(climbs).saturating_add(before).saturating_mul(self.sides().into())
        });
        let requests = planned.into_iter().chain(self.load.max_requests).min()?;
        Some(requests.saturating_mul(u64::from(self.load.retry.max) + 1))
    }

    /// What all of them cost at most, at the price of A; `None` without a price, and where requests or answers have no
    /// bound.
    pub fn cost_at_most(&self) -> Option<f64> {
        let price = self.target.price.as_ref()?;
        let attempts = self.attempts_at_most()?;
        let output = self.bodies.output_at_most()?;
        let input = self.bodies.longest() as u64;
        Some(price.of(input.saturating_mul(attempts), output.saturating_mul(attempts)))
    }
}

/// The bound in one line; nothing where there is neither a bound nor a price.
pub(super) fn describe_bound(plan: &Plan) -> Option<String> {
    let Some(attempts) = plan.attempts_at_most() else {
        return plan.target.price.as_ref().map(|_| {
            "cost    no bound: `load.max_requests`, or stages that end by requests, would give one".to_owned()
        });
    };
    let output = plan.bodies.output_at_most();
    let tokens =
        output.map_or(String::new(), |output| format!(", {} output tokens", output.saturating_mul(attempts)));
    let cost = match (&plan.target.price, plan.cost_at_most()) {
        (Some(price), Some(cost)) => format!(", {cost:.2} {}", price.currency),
        (Some(_), None) => ", at no bounded cost: the body sets no limit of output tokens".to_owned(),
        (None, _) => String::new(),
    };
    Some(format!("bound   at most {attempts} requests{tokens}{cost}"))
}

impl Bodies {
    /// The most tokens that an answer to any of them may have, by their own limits; `None` where one sets none.
    pub fn output_at_most(&self) -> Option<u64> {
        self.limits.output
    }

    /// Length of the longest, in bytes: no request has more input tokens than its body has bytes.
    pub fn longest(&self) -> usize {
        self.limits.longest
    }
}
