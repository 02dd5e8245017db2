//! The stages of a run, put together from the passages over them: most often one each.

use std::collections::BTreeMap;

use super::difference::difference;
use super::frame::{ClientLook, Closing, Intervals, StageFrame};
use super::numbers::duration_text;
use super::recorder::StageRecorder;
use super::round::{Purpose, Side};
use crate::distribution::round;
use crate::gate::{Statistic, measured};
use crate::interval::between_runs;
use crate::result::{RoundLine, Second, StageDifference, StageResult, StageStatus};

/// Takes in passages as they end. Stages stand in the order in which they were first passed.
#[derive(Debug, Clone, Default)]
pub struct Passages {
    stages: Vec<Stage>,
    /// Those of B of an A/B run.
    others: Vec<Stage>,
}

/// One stage, and every passage over it.
#[derive(Debug, Clone)]
struct Stage {
    /// All of them as one.
    recorder: StageRecorder,
    status: StageStatus,
    look: ClientLook,
    saturated: bool,
    rounds: Vec<RoundLine>,
    timeline: Vec<Second>,
    confirmations: Vec<StageResult>,
}

impl Passages {
    /// Takes in a passage that ended so; gives its own numbers.
    pub fn take(&mut self, recorder: StageRecorder, closing: Closing) -> StageResult {
        let result = recorder.finish(closing.status, &closing.look);
        let round = recorder.frame.round;
        let stages = match round.map(|round| round.side()) {
            Some(Side::B) => &mut self.others,
            Some(Side::A) | None => &mut self.stages,
        };
        let known = round.and_then(|round| stages.get_mut(round.of));
        match (known, round.map(|round| round.purpose)) {
            (Some(stage), Some(Purpose::Confirm)) => stage.confirmations.push(result.clone()),
            (Some(stage), _) => stage.again(recorder, closing, &result),
            (None, _) => stages.push(Stage::first(recorder, closing, &result)),
        }
        result
    }

    /// The stages as far as they were passed; of an A/B run those of A.
    pub fn results(&self) -> Vec<StageResult> {
        results(&self.stages, &self.others)
    }

    /// The stages of B of an A/B run, as far as they were passed.
    pub fn others(&self) -> Vec<StageResult> {
        results(&self.others, &self.stages)
    }

    /// By how much A differs from B, stage by stage as far as both were passed.
    pub fn differences(&self) -> Vec<StageDifference> {
        self.stages.iter().zip(&self.others).map(|(a, b)| difference([&a.recorder, &b.recorder])).collect()
    }
}

/// The stages of one side; `others` are those of the other.
fn results(stages: &[Stage], others: &[Stage]) -> Vec<StageResult> {
    let result = |(at, stage): (usize, &Stage)| {
        let mut result = stage.result();
        // The stop rule that ended the blocks of one side ended those of the other.
        let stopped = others.get(at).is_some_and(|other| other.status == StageStatus::Stopped);
        if stopped && result.status == StageStatus::Incomplete {
            result.status = StageStatus::Stopped;
        }
        result
    };
    stages.iter().enumerate().map(result).collect()
}

impl Stage {
    fn first(recorder: StageRecorder, closing: Closing, result: &StageResult) -> Self {
        Self {
            status: closing.status,
            look: closing.look,
            saturated: result.client.saturated,
            rounds: vec![line(&recorder.frame, 1, result)],
            timeline: result.timeline.clone(),
            confirmations: Vec::new(),
            recorder,
        }
    }

    /// A round that never began leaves the others as they are: what it lacks is said by its line.
    fn again(&mut self, recorder: StageRecorder, closing: Closing, result: &StageResult) {
        let number = self.rounds.last().map_or(1, |last| last.round + 1);
        self.rounds.push(line(&recorder.frame, number, result));
        self.status = worse(self.status, closing.status);
        if closing.status == StageStatus::Skipped {
            return;
        }
        self.saturated |= result.client.saturated;
        self.timeline.extend(result.timeline.iter().cloned());
        // A short block has too few ticks to say anything by itself.
        self.look.lag_ms = self.look.lag_ms.with(&closing.look.lag_ms);
        self.look.cpu_percent =
            self.look.cpu_percent.into_iter().chain(closing.look.cpu_percent).reduce(f64::max);
        self.recorder.merge(recorder);
    }

    fn result(&self) -> StageResult {
        let mut result = self.recorder.finish(self.status(), &self.look);
        result.confirmations.clone_from(&self.confirmations);
        if self.rounds.len() > 1 {
            result.client.saturated |= self.saturated;
            result.timeline.clone_from(&self.timeline);
        }
        match self.blocks() {
            Some(blocks) => {
                result.duration = self.recorder.frame.duration.map(|block| duration_text(block * blocks));
            }
            None if self.rounds.len() > 1 => {
                result.rounds.clone_from(&self.rounds);
                self.by_rounds(&mut result);
            }
            None => {}
        }
        result
    }

    /// How many blocks it was to have, in an A/B run.
    fn blocks(&self) -> Option<u32> {
        self.recorder.frame.round.and_then(|round| round.blocks())
    }

    /// Blocks that never ran are missing.
    fn status(&self) -> StageStatus {
        let whole = self.blocks().is_none_or(|blocks| self.rounds.len() >= blocks as usize);
        match self.status {
            StageStatus::Complete if !whole => StageStatus::Incomplete,
            status => status,
        }
    }

    /// The unit is the run: what scatters between rounds is what the next run will scatter by.
    fn by_rounds(&self, result: &mut StageResult) {
        let Intervals { of, confidence, .. } = &self.recorder.frame.intervals;
        for of in of.iter().map(Statistic::to_string) {
            let values: Vec<f64> =
                self.rounds.iter().filter_map(|round| round.values.get(&of)).copied().collect();
            let statistic = Statistic::try_from(of.clone()).ok();
            let value =
                statistic.and_then(|of| measured(of, result).0).filter(|_| values.len() == self.rounds.len());
            let interval = value.map(|value| between_runs(value, &values, *confidence));
            match interval {
                // Where all rounds agree to the last digit, as in a share of all or nothing, the requests know better.
                Some(interval) if interval.standard_error > 0.0 => {
                    result.intervals.insert(of, interval);
                }
                Some(_) => {}
                None => {
                    result.intervals.remove(&of);
                }
            }
        }
    }
}

/// What a stage came to whose rounds came to these: a round that is missing makes it incomplete.
fn worse(before: StageStatus, round: StageStatus) -> StageStatus {
    match (before, round) {
        (StageStatus::Complete, StageStatus::Skipped) => StageStatus::Incomplete,
        (StageStatus::Complete, other) => other,
        (before, _) => before,
    }
}

fn line(frame: &StageFrame, number: u32, result: &StageResult) -> RoundLine {
    let value = |of: &Statistic| {
        let (value, n) = measured(*of, result);
        let value = value.filter(|_| of.stat.is_none_or(|stat| n >= stat.needs()))?;
        Some((of.to_string(), value))
    };
    let values: BTreeMap<String, f64> = frame.intervals.of.iter().filter_map(value).collect();
    RoundLine {
        round: number,
        status: result.status,
        begins_s: round(frame.begins.seconds()),
        window_s: result.window_s,
        ok: result.counts.ok,
        failed: result.counts.failed,
        saturated: result.client.saturated,
        values,
    }
}
