//! The sentences that a result holds, in the language that is asked for.

use measure::result::{RunResult, Warning};

use crate::{Lang, conclusion, warnings};

/// The stored conclusion where it is in that language, else the same sentences made from the numbers. Objectives are no
/// part of a result: a limit that only the stored sentences name is named in their language alone.
pub(crate) fn conclusion(run: &RunResult, lang: Lang) -> String {
    let made = |lang| conclusion::of(run, [None; 3], lang);
    let translatable = Lang::ALL.iter().any(|lang| made(*lang) == run.conclusion);
    let stored = lang.pick(false, true) == run.conclusion.contains(is_chinese);
    match stored && !translatable {
        true => run.conclusion.clone(),
        false => made(lang),
    }
}

/// [`conclusion()`] in both languages and two parts: what happened and what to do next, and what the numbers give away
/// besides, a sentence each.
pub(crate) fn parts(run: &RunResult) -> ([String; 2], Vec<[String; 2]>) {
    let mut lead = Lang::ALL.map(|lang| conclusion(run, lang));
    let mut signs = Vec::new();
    let [en, zh] = Lang::ALL.map(|lang| conclusion::sentences(run, [None; 3], lang));
    for ((name, en), (_, zh)) in en.into_iter().zip(zh) {
        // A stored text may be of an older version, which said other sentences.
        if conclusion::is_sign(name) && lead[0].contains(&en) && lead[1].contains(&zh) {
            lead = [lead[0].replacen(&en, "", 1), lead[1].replacen(&zh, "", 1)];
            signs.push([en, zh]);
        }
    }
    (lead.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")), signs)
}

fn is_chinese(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

/// A warning and every stage that it is said of; none when it is about the run.
pub(crate) struct Line {
    pub(crate) stages: Vec<String>,
    texts: [String; 2],
}

impl Line {
    /// What is said, in a language.
    pub(crate) fn text(&self, lang: Lang) -> &str {
        let [en, zh] = &self.texts;
        lang.pick(en, zh)
    }
}

/// The stored warnings, each once with all its stages; those about stages follow from the numbers and are said in both
/// languages.
pub(crate) fn warnings(run: &RunResult) -> Vec<Line> {
    let made = Lang::ALL.map(|lang| warnings::of_stages(run, lang));
    let mut lines: Vec<Line> = Vec::new();
    for warning in &run.warnings {
        let texts = twin(warning, &made).map_or_else(
            || [warning.text.clone(), warning.text.clone()],
            |at| [0, 1].map(|lang| made[lang][at].text.clone()),
        );
        match lines.iter_mut().find(|line| line.texts == texts) {
            Some(line) => line.stages.extend(warning.stage.clone()),
            None => lines.push(Line { stages: warning.stage.iter().cloned().collect(), texts }),
        }
    }
    lines
}

/// Where the warning stands among those made from the numbers. A text of an older version may say it in other words; the
/// two sides of an A/B run may have the same warning.
fn twin(warning: &Warning, [en, zh]: &[Vec<Warning>; 2]) -> Option<usize> {
    let same = |at: &usize| en[*at].code == warning.code && en[*at].stage == warning.stage;
    let said =
        |at: &usize| [en, zh].iter().any(|made| made.get(*at).is_some_and(|made| made.text == warning.text));
    let places = || (0..en.len().min(zh.len())).filter(same);
    places().find(said).or_else(|| places().next())
}
