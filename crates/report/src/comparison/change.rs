//! What became of a number from one run to another.

use measure::metric::{Better, Unit};
use measure::result::Difference;

use crate::number::{ms, rate};

/// Changes up to this share are not told apart from chance: no run carries an uncertainty.
const WORTH: f64 = 0.05;

/// A change against the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// In the unit of the values.
    pub absolute: f64,
    /// Of the reference, in percent; `None` where that is 0.
    pub percent: Option<f64>,
    /// How it is to be taken.
    pub tone: Tone,
}

/// How a change is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// For the better.
    Good,
    /// For the worse.
    Bad,
    /// Neither, or too small or too weakly founded to say.
    Neutral,
}

impl Tone {
    /// For readers without colours.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Bad => "✗",
            Self::Neutral => "",
        }
    }

    /// As the style sheet names it; empty for neutral.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Neutral => "",
        }
    }
}

impl Change {
    /// From one value to another. `sure`: whether enough requests stand behind both.
    pub(super) fn between(from: f64, to: f64, unit: Unit, better: Option<Better>, sure: Sure) -> Self {
        let absolute = to - from;
        let percent = (from != 0.0).then(|| 100.0 * absolute / from);
        // A share is compared as it is: from 0.1 % to 0.2 % is not worth as much as from 10 % to 20 %.
        let large = match unit {
            Unit::Ratio => absolute.abs() > WORTH,
            Unit::Milliseconds | Unit::PerSecond | Unit::Count => absolute.abs() > WORTH * from.abs(),
        };
        let tone = match (better, sure) {
            (Some(better), Sure::Yes) if large && (absolute > 0.0) == (better == Better::Higher) => {
                Tone::Good
            }
            (Some(_), Sure::Yes) if large => Tone::Bad,
            _ => Tone::Neutral,
        };
        Self { absolute, percent, tone }
    }

    /// In short: percent of the reference, points of a share; the difference itself where the reference is 0.
    pub fn brief(&self, unit: Unit) -> String {
        match (unit, self.percent) {
            (Unit::Ratio, _) => points(self.absolute),
            (_, Some(percent)) => percents(percent),
            (_, None) => self.difference(unit),
        }
    }

    /// The difference in the unit of the values, with its sign.
    pub fn difference(&self, unit: Unit) -> String {
        match unit {
            Unit::Ratio => points(self.absolute),
            Unit::Milliseconds => signed(self.absolute, &ms(Some(self.absolute.abs()))),
            Unit::PerSecond | Unit::Count => signed(self.absolute, &rate(Some(self.absolute.abs()))),
        }
    }
}

/// The ends of the interval of a difference between two sides, as [`Change::brief()`] says the change itself.
pub(super) fn ends(of: &Difference, unit: Unit) -> Option<[String; 2]> {
    let absolute = of.interval.map(|interval| [interval.low, interval.high])?;
    let shares = of.share_interval.map(|ends| ends.map(|share| Some(100.0 * share))).unwrap_or_default();
    let tone = Tone::Neutral;
    Some([0, 1].map(|end| Change { absolute: absolute[end], percent: shares[end], tone }.brief(unit)))
}

/// Whether enough requests stand behind both values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    Yes,
    No,
}

fn points(share: f64) -> String {
    let points = share * 100.0;
    let digits = usize::from(points.abs() < 9.95);
    signed(points, &format!("{:.digits$}", points.abs())) + " pp"
}

/// `+12%`, `-3.4%`; from ten times on `x12`.
fn percents(percent: f64) -> String {
    if percent >= 900.0 {
        return format!("x{:.0}", percent / 100.0 + 1.0);
    }
    let digits = usize::from(percent.abs() < 9.95);
    signed(percent, &format!("{:.digits$}", percent.abs())) + "%"
}

/// What is nothing after rounding has no sign.
fn signed(value: f64, text: &str) -> String {
    match text.chars().all(|letter| matches!(letter, '0' | '.')) {
        true => "0".to_owned(),
        false => format!("{}{text}", if value < 0.0 { "-" } else { "+" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: f64, to: f64, better: Better) -> Change {
        Change::between(from, to, Unit::Milliseconds, Some(better), Sure::Yes)
    }

    #[test]
    fn only_a_large_change_of_sure_values_is_good_or_bad() {
        let rows = [
            (100.0, 105.0, Better::Lower, Tone::Neutral),
            (100.0, 106.0, Better::Lower, Tone::Bad),
            (100.0, 94.0, Better::Lower, Tone::Good),
            (100.0, 106.0, Better::Higher, Tone::Good),
            (100.0, 94.0, Better::Higher, Tone::Bad),
            (0.0, 1.0, Better::Higher, Tone::Good),
            (0.0, 0.0, Better::Higher, Tone::Neutral),
        ];
        for (from, to, better, tone) in rows {
            assert_eq!(change(from, to, better).tone, tone, "{from} {to}");
        }
        let weak = Change::between(1.0, 9.0, Unit::Milliseconds, Some(Better::Lower), Sure::No);
        assert_eq!(weak.tone, Tone::Neutral);
        let undirected = Change::between(1.0, 9.0, Unit::Count, None, Sure::Yes);
        assert_eq!(undirected.tone, Tone::Neutral);
    }

    #[test]
    fn a_share_changes_by_points() {
        let share = |from, to| Change::between(from, to, Unit::Ratio, Some(Better::Higher), Sure::Yes);
        assert_eq!((share(0.999, 0.951).tone, share(1.0, 0.9).tone), (Tone::Neutral, Tone::Bad));
        assert_eq!(share(1.0, 0.9).brief(Unit::Ratio), "-10 pp");
        assert_eq!(share(0.001, 0.002).brief(Unit::Ratio), "+0.1 pp");
    }

    #[test]
    fn a_change_has_its_sign_and_no_more_figures_than_mean_something() {
        let rows = [
            (100.0, 112.0, "+12%", "+12.0"),
            (100.0, 96.6, "-3.4%", "-3.40"),
            (100.0, 100.0, "0%", "0"),
            (100.0, 100.01, "0%", "+0.01"),
            (1.0, 12.0, "x12", "+11.0"),
            (0.0, 2.0, "+2.00", "+2.00"),
            (0.0, 0.0, "0", "0"),
        ];
        for (from, to, brief, difference) in rows {
            let change = change(from, to, Better::Lower);
            let shown = [change.brief(Unit::Milliseconds), change.difference(Unit::Milliseconds)];
            assert_eq!(shown, [brief, difference], "{from} {to}");
        }
    }
}
