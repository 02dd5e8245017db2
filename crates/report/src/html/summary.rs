//! The first screen: verdict, conclusion and warnings, each in both languages.

use measure::result::{RunResult, RunStatus, Verdict, Warning};
use serde::Serialize;

use super::text::Text;
use crate::{Lang, stored, verdict, warnings};

/// What a reader sees first.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    /// Colour of the banner.
    tone: &'static str,
    verdict: Text,
    status: Option<Text>,
    exit_code: u8,
    reasons: Vec<String>,
    conclusion: Text,
    warnings: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    /// Those that it is said of; none when it is about the run.
    stages: Vec<String>,
    text: Text,
}

pub(super) fn of(run: &RunResult) -> Summary {
    Summary {
        tone: tone(run),
        verdict: Text::of(|lang| verdict::of(run, lang).to_owned()),
        status: status(run.status),
        exit_code: run.exit.code,
        reasons: run.exit.reasons.clone(),
        conclusion: Text::of(|lang| stored::conclusion(run, lang)),
        warnings: warnings_of(run),
    }
}

fn tone(run: &RunResult) -> &'static str {
    match (run.gate.verdict, run.exit.code) {
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

/// The stored warnings; those about stages follow from the numbers and are said in both languages. What is said of
/// several stages is said once.
fn warnings_of(run: &RunResult) -> Vec<Line> {
    let [en, zh] = Lang::ALL.map(|lang| warnings::of_stages(run, lang));
    let same = |all: &[Warning], warning: &Warning| {
        let twin = all.iter().find(|other| other.code == warning.code && other.stage == warning.stage);
        twin.map_or_else(|| warning.text.clone(), |twin| twin.text.clone())
    };
    let mut lines: Vec<Line> = Vec::new();
    for warning in &run.warnings {
        let text = Text::new(same(&en, warning), same(&zh, warning));
        match lines.iter_mut().find(|line| line.text == text) {
            Some(line) => line.stages.extend(warning.stage.clone()),
            None => lines.push(Line { stages: warning.stage.iter().cloned().collect(), text }),
        }
    }
    lines
}
