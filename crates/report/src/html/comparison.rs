//! The page of several runs: conclusion, the runs, their curves over one another, every number with its change.

use minijinja::ErrorKind;
use minijinja::value::Serde;
use serde::Serialize;

use super::chart::Compared;
use super::page::{APP, PLOTLY, STYLE, environment, policy};
use super::reference::{self, Reference};
use super::script_json::script_json;
use super::text::Text;
use crate::Lang;
use crate::comparison::{self, COLUMNS, Column, Comparison, Group, facts};

/// The page of a comparison, opened in `lang`; the other language is one click away.
pub fn comparison(of: &Comparison<'_>, lang: Lang) -> String {
    // As of the page of one run.
    try_render(of, lang).expect("the page's own templates fit their context")
}

/// What the template is given, by the names that it uses.
#[derive(Serialize)]
struct Page {
    lang: &'static str,
    plotly: &'static str,
    policy: String,
    app: &'static str,
    style: &'static str,
    chart_data: String,
    charts: Compared,
    runs: Vec<Run>,
    conclusion: Text,
    uncertainty: Text,
    facts: Vec<Fact>,
    columns: Vec<Text>,
    groups: Vec<Block>,
    reference: Reference,
    version: String,
}

#[derive(Serialize)]
struct Run {
    label: String,
}

#[derive(Serialize)]
struct Fact {
    name: Text,
    values: Vec<Text>,
    differs: bool,
}

/// The runs under one load.
#[derive(Serialize)]
struct Block {
    title: Text,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    label: String,
    remarks: Vec<Text>,
    cells: Vec<Cell>,
}

/// A number and its change: the difference, and percent of the reference.
#[derive(Serialize)]
struct Cell {
    text: String,
    weak_n: Option<u64>,
    tone: &'static str,
    change: Vec<String>,
}

fn try_render(of: &Comparison<'_>, lang: Lang) -> Result<String, minijinja::Error> {
    let charts = Compared::of(of);
    let chart_data = script_json(&charts)
        .map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    let page = Page {
        lang: lang.code(),
        plotly: PLOTLY,
        policy: policy(),
        app: APP,
        style: STYLE,
        chart_data,
        charts,
        runs: of.runs().iter().map(|side| Run { label: side.label.clone() }).collect(),
        conclusion: Text::of(|lang| comparison::conclusion(of, lang)),
        uncertainty: Text::of(|lang| comparison::uncertainty(of, lang).to_owned()),
        facts: both_languages(of),
        columns: COLUMNS.iter().map(head).collect(),
        groups: of.groups().iter().map(|group| block(of, group)).collect(),
        reference: reference::tables(),
        version: format!("rungs {}", env!("CARGO_PKG_VERSION")),
    };
    environment()?.get_template("comparison.html")?.render(Serde(page))
}

fn both_languages(of: &Comparison<'_>) -> Vec<Fact> {
    let [en, zh] = Lang::ALL.map(|lang| facts(of, lang));
    let pair = |(en, zh): (comparison::Fact, comparison::Fact)| Fact {
        differs: en.differs(),
        name: Text::new(en.name, zh.name),
        values: en.values.into_iter().zip(zh.values).map(|(en, zh)| Text::new(en, zh)).collect(),
    };
    en.into_iter().zip(zh).map(pair).collect()
}

fn head(column: &Column) -> Text {
    Text::of(|lang| [column.name(lang), column.percentile].join(" ").trim().to_owned())
}

fn block(of: &Comparison<'_>, group: &Group<'_>) -> Block {
    let row = |(index, side): (usize, &comparison::Side<'_>)| Row {
        label: side.label.clone(),
        remarks: group
            .remarks(index)
            .into_iter()
            .map(|remark| Text::of(|lang| remark.words(lang).to_owned()))
            .collect(),
        cells: COLUMNS.iter().map(|column| cell(column, group, index)).collect(),
    };
    Block { title: Text::of(|lang| group.title(lang)), rows: of.runs().iter().enumerate().map(row).collect() }
}

fn cell(column: &Column, group: &Group<'_>, run: usize) -> Cell {
    let (stage, change) = (group.stages[run], column.change(group, run));
    let mut lines: Vec<String> = change
        .map(|change| vec![change.difference(column.unit()), change.brief(column.unit())])
        .unwrap_or_default();
    // What has not changed has not changed by either measure.
    if lines.first().is_some_and(|difference| difference == "0") {
        lines.remove(0);
    }
    lines.dedup();
    Cell {
        text: column.show(stage.and_then(|stage| column.value(stage))),
        weak_n: stage.and_then(|stage| column.weak_n(stage)),
        tone: change.map_or("", |change| change.tone.name()),
        change: lines,
    }
}
