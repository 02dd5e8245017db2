//! The two sides of an A/B run: what each is, and what A is against B.

use measure::result::RunResult;
use serde::Serialize;

use super::text::Text;
use crate::Lang;
use crate::comparison::{Fact, facts};
use crate::sides::{self, Block, Line};

/// What a page shows of both sides.
#[derive(Debug, Serialize)]
pub(super) struct Sides {
    facts: Vec<Row>,
    blocks: Vec<Load>,
    legend: Text,
}

/// A fact that is not the same on both sides.
#[derive(Debug, Serialize)]
struct Row {
    name: Text,
    a: Text,
    b: Text,
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
        let [en, zh] = Lang::ALL.map(|lang| facts(of, lang));
        let facts = en.into_iter().zip(zh).filter(|(en, _)| en.differs()).filter_map(fact);
        let [en, zh] = Lang::ALL.map(|lang| sides::blocks(of, |_, _| true, lang));
        Sides {
            facts: facts.collect(),
            blocks: en.into_iter().zip(zh).map(load).collect(),
            legend: Text::of(|lang| sides::legend(lang).join(lang.pick(" ", ""))),
        }
    })
}

/// B comes first where sides are compared.
fn fact((en, zh): (Fact, Fact)) -> Option<Row> {
    let value = |side: usize| Some(Text::new(en.values.get(side)?, zh.values.get(side)?));
    Some(Row { name: Text::new(en.name, zh.name), a: value(1)?, b: value(0)? })
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
