//! What to call each run: by the fewest of its facts that tell it from the others.

use std::collections::BTreeSet;

use measure::result::RunResult;

use crate::number::UNKNOWN;
use crate::plain;

/// Most characters of a label, and of a short one.
const MOST: [usize; 2] = [60, 24];

/// What a run is called.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) full: String,
    pub(super) short: String,
}

/// A fact about each run.
type Field = fn(&RunResult) -> &str;

/// The most telling first.
const FIELDS: [Field; 6] = [
    |run| &run.test_name,
    |run| run.provider.as_deref().unwrap_or(UNKNOWN),
    |run| run.model.as_deref().unwrap_or(UNKNOWN),
    |run| &run.api,
    |run| &run.base_url,
    |run| &run.started_at,
];

/// Labels in the order of the runs, no two alike. Runs that no fact tells apart are numbered.
pub(super) fn of(runs: &[RunResult]) -> Vec<Label> {
    let names: Vec<String> = runs.iter().map(|run| name(run, &telling(runs))).collect();
    let [full, short] = MOST.map(|most| distinct(&names, most));
    full.into_iter().zip(short).map(|(full, short)| Label { full, short }).collect()
}

/// The smallest set of fields that tells the most runs apart; of two such sets the one whose fields come first.
fn telling(runs: &[RunResult]) -> Vec<Field> {
    let mut sets: Vec<Vec<usize>> = (1..1_usize << FIELDS.len())
        .map(|set| (0..FIELDS.len()).filter(|field| set & 1 << field != 0).collect())
        .collect();
    sets.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    let fields = |set: &[usize]| set.iter().map(|field| FIELDS[*field]).collect::<Vec<_>>();
    let told = |set: &[usize]| runs.iter().map(|run| name(run, &fields(set))).collect::<BTreeSet<_>>().len();
    let best = sets.iter().map(|set| told(set)).max();
    sets.iter().find(|set| Some(told(set)) == best).map(|set| fields(set)).unwrap_or_default()
}

fn name(run: &RunResult, fields: &[Field]) -> String {
    let parts: Vec<String> =
        fields.iter().map(|field| plain::one_line(field(run)).trim().to_owned()).collect();
    parts.join(" · ")
}

/// The names cut to that length; where that, or nothing, makes two alike, they are numbered.
fn distinct(names: &[String], most: usize) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut label = |name: &String| {
        let numbered = (2..).map(|n: usize| {
            let end = format!(" ({n})");
            cut(name, most.saturating_sub(end.len())) + &end
        });
        let free = std::iter::once(cut(name, most)).chain(numbered).find(|label| taken.insert(label.clone()));
        free.unwrap_or_default()
    };
    names.iter().map(&mut label).collect()
}

/// Its begin and its end: addresses differ in either.
fn cut(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    let (begin, end) = (most / 2, most.saturating_sub(most / 2 + 1));
    letters[..begin].iter().chain(&['…']).chain(&letters[letters.len() - end..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_ends_and_stays_unique() {
        let [one, other] = ["a", "b"].map(|end| format!("https://gateway.example.com/{end}/v1"));
        assert_eq!(cut(&one, 24), "https://gate…mple.com/a/v1".replace("mple", "le"));
        assert_ne!(distinct(&[one.clone(), other], 24), distinct(&[one.clone(), one], 24));
        let same = distinct(&["x".repeat(30), "x".repeat(30), "y".to_owned()], 12);
        assert_eq!(same, ["xxxxxx…xxxxx", "xxxx…xxx (2)", "y"]);
    }
}
