//! The first screen: verdict, conclusion and warnings, each in both languages.

use measure::result::{RunResult, RunStatus, Verdict, Warning};
use serde::Serialize;

use super::text::Text;
use crate::{Lang, conclusion, warnings};

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
    let (tone, verdict) = verdict(run);
    Summary {
        tone,
        verdict,
        status: status(run.status),
        exit_code: run.exit.code,
        reasons: run.exit.reasons.clone(),
        conclusion: conclusion_of(run),
        warnings: warnings_of(run),
    }
}

fn verdict(run: &RunResult) -> (&'static str, Text) {
    match (run.gate.verdict, run.exit.code) {
        (Verdict::Pass, 0) => ("good", Text::new("Passed", "通过")),
        (Verdict::Pass, _) => ("warn", Text::new("Checks passed, run not clean", "检查通过，但运行有异常")),
        (Verdict::Fail, _) => ("bad", Text::new("Failed", "未通过")),
        (Verdict::NotJudged, _) => ("warn", Text::new("Not judged", "未判定")),
        (Verdict::None, 0) => ("neutral", Text::new("No checks", "未设检查项")),
        (Verdict::None, _) => ("bad", Text::new("Not measured", "未能测量")),
    }
}

fn status(status: RunStatus) -> Option<Text> {
    match status {
        RunStatus::Completed => None,
        RunStatus::Interrupted => Some(Text::new("interrupted", "被中断")),
        RunStatus::Aborted => Some(Text::new("given up", "已放弃")),
    }
}

/// The stored conclusion, and the same sentences in the other language.
///
/// Objectives are not part of a result. Where the conclusion does not rest on them, both languages are made from the
/// numbers. Where it does, the stored language keeps its sentences, which name the limit.
fn conclusion_of(run: &RunResult) -> Text {
    let say = |lang| conclusion::of(run, [None; 3], lang);
    let made = Text::of(say);
    if Lang::ALL.iter().any(|lang| say(*lang) == run.conclusion) {
        return made;
    }
    let stored = run.conclusion.clone();
    match stored.contains(is_chinese) {
        true => Text::new(say(Lang::En), stored),
        false => Text::new(stored, say(Lang::Zh)),
    }
}

fn is_chinese(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter)
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
