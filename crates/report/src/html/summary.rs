//! The first screen: verdict, conclusion and warnings, each in both languages.

use measure::result::{RunResult, RunStatus, Verdict};
use serde::Serialize;

use super::text::Text;
use crate::{Lang, ended, stored, verdict};

/// What a reader sees first.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    /// Colour of the banner.
    tone: &'static str,
    verdict: Text,
    status: Option<Text>,
    exit_code: u8,
    reasons: Vec<Text>,
    conclusion: Text,
    /// What the numbers give away besides, a sentence each.
    signs: Vec<Text>,
    warnings: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    /// Those that it is said of; none when it is about the run.
    stages: Vec<String>,
    text: Text,
}

pub(super) fn of(run: &RunResult) -> Summary {
    let ([en, zh], signs) = stored::parts(run);
    Summary {
        tone: tone(run),
        verdict: Text::of(|lang| verdict::of(run, lang).to_owned()),
        status: status(run.status),
        exit_code: run.exit.code,
        reasons: run.exit.reasons.iter().map(|reason| Text::of(|lang| ended::said(reason, lang))).collect(),
        conclusion: Text::new(en, zh),
        signs: signs.into_iter().map(|[en, zh]| Text::new(en, zh)).collect(),
        warnings: warnings_of(run),
    }
}

fn tone(run: &RunResult) -> &'static str {
    match (run.gate.verdict, run.exit.code) {
        (Verdict::Pass, 0) if verdict::nothing_is_strict(&run.gate) => "neutral",
        (Verdict::Pass, 0) => "good",
        (Verdict::Pass, _) | (Verdict::NotJudged, _) => "warn",
        (Verdict::None, 0) => "neutral",
        (Verdict::Fail | Verdict::None, _) => "bad",
    }
}

fn status(status: RunStatus) -> Option<Text> {
    verdict::cut_short(status, Lang::En)?;
    Some(Text::of(|lang| verdict::cut_short(status, lang).unwrap_or_default().to_owned()))
}

fn warnings_of(run: &RunResult) -> Vec<Line> {
    let line = |line: stored::Line| {
        let text = Text::of(|lang| line.text(lang).to_owned());
        Line { stages: line.stages, text }
    };
    stored::warnings(run).into_iter().map(line).collect()
}
