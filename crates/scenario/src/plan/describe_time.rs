//! How long a run takes: as planned, and at most.

use std::time::Duration;

use super::{Plan, Stage, StageEnd, WarmUp};
use crate::value::show_duration;

impl Plan {
    /// How long the run lasts when everything is answered in time: ramps, windows, pauses and a timed warm-up, without
    /// drains and without a warm-up that counts requests; of an A/B run on both sides. `None` when a stage ends by
    /// requests.
    pub fn time_planned(&self) -> Option<Duration> {
        let stages = self.ladder_time()?.saturating_mul(self.gate.repeats);
        let stretches = (self.load.stretches().len() as u32).saturating_mul(self.gate.repeats);
        let pauses = self.load.cool_down.saturating_mul(stretches.saturating_sub(1));
        let warm_up = match self.load.warm_up {
            Some(WarmUp::For(duration)) => duration.saturating_mul(self.sides()),
            Some(WarmUp::Requests(_)) | None => Duration::ZERO,
        };
        Some(stages.saturating_add(pauses).saturating_add(warm_up))
    }

    /// The longest the run can last: as planned, every drain to its end, every stage measured again as often as
    /// `[gate] confirm` allows, and the blocks of an A/B run each led in for as long as they last.
    pub fn time_at_most(&self) -> Option<Duration> {
        let again = self.gate.repeats.saturating_add(self.gate.confirm);
        let before = u32::from(self.load.warm_up.is_some()) + u32::from(self.load.preflight);
        let drains = self.drains().saturating_mul(again).saturating_add(before * self.sides());
        let drains = self.load.drain_timeout.saturating_mul(drains);
        let pauses = self.load.cool_down.saturating_mul(self.load.stretches().len() as u32);
        let confirmed = self.ladder_time()?.saturating_add(pauses).saturating_mul(self.gate.confirm);
        let all = self.time_planned()?.saturating_add(confirmed).saturating_add(drains);
        Some(all.saturating_add(self.led_in_at_most()).saturating_add(self.search_at_most()?))
    }

    /// Ramps and windows of the ladder, climbed once.
    fn ladder_time(&self) -> Option<Duration> {
        let stages = self.load.stages.iter();
        match self.against {
            None => stages.map(Stage::length).sum_checked(),
            Some(_) => {
                let blocks = stages.flat_map(|stage| {
                    let blocks = stage.blocks();
                    (0..blocks).map(move |index| stage.block(blocks, index).length())
                });
                Some(blocks.sum_checked()?.saturating_mul(self.sides()))
            }
        }
    }

    /// By how much the ramps of blocks may be lengthened, at most to the block's own length: to that of an answer, which
    /// the preflight shows.
    fn led_in_at_most(&self) -> Duration {
        if self.against.is_none() || !self.load.preflight {
            return Duration::ZERO;
        }
        let of = |stage: &Stage| match stage.block(stage.blocks(), 0).end {
            StageEnd::After(window) => window.saturating_sub(stage.ramp_up()).saturating_mul(stage.blocks()),
            StageEnd::Requests(_) | StageEnd::OnePerUser => Duration::ZERO,
        };
        let one_side = self.load.stages.iter().map(of).fold(Duration::ZERO, Duration::saturating_add);
        one_side.saturating_mul(self.sides())
    }

    /// How often load is let end, in one climb.
    fn drains(&self) -> u32 {
        match self.against {
            None => self.load.stretches().len() as u32,
            Some(_) => {
                let blocks = self.load.stages.iter().map(Stage::blocks);
                blocks.fold(0, u32::saturating_add).saturating_mul(self.sides())
            }
        }
    }

    /// The longest a search can last; nothing without one.
    fn search_at_most(&self) -> Option<Duration> {
        let Some(search) = &self.load.search else { return Some(Duration::ZERO) };
        let one = search
            .stage
            .length()?
            .saturating_add(self.load.drain_timeout)
            .saturating_add(self.load.cool_down);
        Some(one.saturating_mul(search.stages_at_most()))
    }
}

trait SumChecked {
    fn sum_checked(self) -> Option<Duration>;
}

impl<I: Iterator<Item = Option<Duration>>> SumChecked for I {
    fn sum_checked(mut self) -> Option<Duration> {
        self.try_fold(Duration::ZERO, |sum, next| Some(sum.saturating_add(next?)))
    }
}

/// Planned and longest time in one line.
pub(super) fn describe_time(plan: &Plan) -> String {
    let warm_up = match plan.load.warm_up {
        Some(WarmUp::Requests(requests)) => {
            format!(" and {} requests of warm-up", requests.saturating_mul(plan.sides().into()))
        }
        Some(WarmUp::For(_)) | None => String::new(),
    };
    match (plan.time_planned(), plan.time_at_most()) {
        (Some(planned), Some(most)) => {
            let search = plan.search_at_most().filter(|most| !most.is_zero());
            let search = search.map(|most| format!(" and up to {} of search", show_duration(most)));
            let (planned, most) = (show_duration(planned), show_duration(most));
            format!("time    {planned}{}, at most {most}{warm_up}", search.unwrap_or_default())
        }
        // The ladder's time is known, and the search's stages end by requests.
        (Some(planned), None) => {
            format!(
                "time    {}{warm_up}, then as long as the requests of the search take",
                show_duration(planned)
            )
        }
        (None, _) => {
            let requests = plan.load.stages.iter().filter_map(Stage::requests);
            let times = plan.gate.repeats.saturating_mul(plan.sides());
            let requests: u64 = requests.fold(0, u64::saturating_add).saturating_mul(times.into());
            let search = if plan.load.search.is_some() { ", then the search" } else { "" };
            format!("time    as long as {requests} requests take{warm_up}{search}")
        }
    }
}
