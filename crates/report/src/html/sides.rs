//! The two sides of an A/B run: what each is, and what A is against B.

use measure::result::RunResult;
use serde::Serialize;

use super::text::Text;
use crate::Lang;
use crate::comparison::Comparison;
use crate::number::UNKNOWN;
use crate::sides::{self, Block, Line};

/// What a page shows of both sides.
#[derive(Debug, Serialize)]
pub(super) struct Sides {
    facts: Vec<Row>,
    blocks: Vec<Load>,
    legend: Text,
}

/// What one side is, and the other.
#[derive(Debug, Serialize)]
struct Row {
    name: Text,
    a: String,
    b: String,
}

/// The numbers under one load.
#[derive(Debug, Serialize)]
struct Load {
    title: Text,
    pairs: u64,
    numbers: Vec<Number>,
}

#[derive(Debug, Serialize)]
struct Number {
    name: Text,
    a: String,
    b: String,
    change: String,
    interval: Text,
    tone: &'static str,
    mark: &'static str,
}

/// Nothing of a run with one side.
pub(super) fn of(run: &RunResult) -> Option<Sides> {
    sides::compared(run, |of| {
        let [en, zh] = Lang::ALL.map(|lang| sides::blocks(of, |_, _| true, lang));
        Sides {
            facts: facts(of),
            blocks: en.into_iter().zip(zh).map(load).collect(),
            legend: Text::of(|lang| sides::legend(lang).join(lang.pick(" ", ""))),
        }
    })
}

type Fact = fn(&RunResult) -> String;

/// Where requests went, and what else is not the same on both sides.
fn facts(of: &Comparison<'_>) -> Vec<Row> {
    let rows: [(Text, Fact); 5] = [
        (Text::new("Provider", "服务商"), |run| optional(run.provider.as_deref())),
        (Text::same("Base URL"), |run| run.base_url.clone()),
        (Text::new("API", "协议"), |run| run.api.clone()),
        (Text::new("Model", "模型"), |run| optional(run.model.as_deref())),
        (Text::new("Key", "密钥"), |run| optional(run.auth_header.as_deref())),
    ];
    let [b, a] = of.runs() else { return Vec::new() };
    let rows = rows.into_iter().map(|(name, fact)| Row { name, a: fact(a.run), b: fact(b.run) });
    rows.filter(|row| row.a != row.b).collect()
}

fn optional(text: Option<&str>) -> String {
    text.unwrap_or(UNKNOWN).to_owned()
}

fn load((en, zh): (Block, Block)) -> Load {
    Load {
        title: Text::new(&en.title, &zh.title),
        pairs: en.pairs,
        numbers: en.lines.into_iter().zip(zh.lines).map(number).collect(),
    }
}

fn number((en, zh): (Line, Line)) -> Number {
    Number {
        name: Text::new(&en.name, &zh.name),
        interval: Text::new(&en.interval, &zh.interval),
        tone: en.tone.name(),
        mark: en.tone.mark(),
        a: en.a,
        b: en.b,
        change: en.change,
    }
}
