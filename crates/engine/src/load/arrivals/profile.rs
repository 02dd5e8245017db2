//! A rate that changes with time, and when so many requests are due under it.

use std::time::Duration;

use scenario::plan::{Shape, Stage, StageEnd};

/// Pieces on each of which the rate changes evenly.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    pieces: Vec<Piece>,
    /// The piece that the last time lay in: times only ascend.
    at: usize,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    /// When it begins, s.
    begin: f64,
    /// How many requests are due before it.
    before: f64,
    from: f64,
    to: f64,
    /// s; infinite where requests are counted.
    length: f64,
}

impl Profile {
    /// The rate of stages that run on without a drain.
    pub(super) fn of(stages: &[Stage]) -> Self {
        let mut profile = Self { pieces: Vec::new(), at: 0 };
        for stage in stages {
            let rate = stage.level().rate().unwrap_or(0.0);
            let length = match stage.end {
                StageEnd::After(window) => window.as_secs_f64(),
                StageEnd::Requests(_) | StageEnd::OnePerUser => f64::INFINITY,
            };
            match stage.shape {
                Shape::Step { ramp_up, .. } => {
                    profile.push(0.0, rate, ramp_up.as_secs_f64());
                    profile.push(rate, rate, length);
                }
                Shape::Ramp { from } => profile.push(from, rate, length),
            }
        }
        profile
    }

    fn push(&mut self, from: f64, to: f64, length: f64) {
        if length > 0.0 {
            let (begin, before) =
                self.pieces.last().map_or((0.0, 0.0), |last| (last.end(), last.before + last.area()));
            self.pieces.push(Piece { begin, before, from, to, length });
        }
    }

    /// When the last piece is over; `None` where requests are counted.
    pub(super) fn end(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.pieces.last()?.end()).ok()
    }

    /// The rate at a moment, s from the begin.
    pub(super) fn rate_at(&self, at: f64) -> Option<f64> {
        let piece = self.pieces.iter().find(|piece| at < piece.end())?;
        Some(piece.from + (piece.to - piece.from) * ((at - piece.begin) / piece.length))
    }

    /// When `n` requests are due; `None` when there are never so many. To be asked with rising numbers.
    pub(super) fn time_of(&mut self, n: f64) -> Option<Duration> {
        while let Some(piece) = self.pieces.get(self.at) {
            if n < piece.before + piece.area()
                || (self.at + 1 == self.pieces.len() && piece.length.is_infinite())
            {
                return Duration::try_from_secs_f64(piece.begin + piece.time_of(n - piece.before)).ok();
            }
            self.at += 1;
        }
        None
    }
}

impl Piece {
    fn end(&self) -> f64 {
        self.begin + self.length
    }

    /// How many requests are due in it.
    fn area(&self) -> f64 {
        if self.length.is_infinite() { f64::INFINITY } else { (self.from + self.to) / 2.0 * self.length }
    }

    /// When `n` requests are due, s from its begin: the root of `from * t + slope / 2 * t^2 = n`, in the form that does not
    /// subtract like numbers.
    fn time_of(&self, n: f64) -> f64 {
        let slope = if self.length.is_infinite() { 0.0 } else { (self.to - self.from) / self.length };
        let root = (self.from * self.from + 2.0 * slope * n).max(0.0).sqrt();
        if n > 0.0 { 2.0 * n / (self.from + root) } else { 0.0 }
    }
}
