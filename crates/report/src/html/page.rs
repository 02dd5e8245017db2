//! Puts the page together: a context from the result, through the templates.

use measure::result::RunResult;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, ErrorKind};
use serde::Serialize;

use super::chart::Charts;
use super::script_json::script_json;
use super::text::coded;
use super::{cards, distributions, facts, failures, gate, ladder, reference, rounds, sides, summary};
use crate::Lang;

pub(super) const PLOTLY: &str = include_str!(concat!(env!("OUT_DIR"), "/plotly.js.gz.base64"));
const PLOTLY_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/plotly.sha256"));
const APP_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/app.sha256"));
pub(super) const APP: &str = include_str!("assets/app.js");
pub(super) const STYLE: &str = include_str!("assets/style.css");

/// The templates by the name under which they include one another.
const TEMPLATES: &[(&str, &str)] = &[
    ("page.html", include_str!("assets/page.html")),
    ("comparison.html", include_str!("assets/comparison.html")),
    ("figure.html", include_str!("assets/figure.html")),
    ("text.html", include_str!("assets/text.html")),
    ("summary.html", include_str!("assets/parts/summary.html")),
    ("sides.html", include_str!("assets/parts/sides.html")),
    ("ladder.html", include_str!("assets/parts/ladder.html")),
    ("rounds.html", include_str!("assets/parts/rounds.html")),
    ("gate.html", include_str!("assets/parts/gate.html")),
    ("charts.html", include_str!("assets/parts/charts.html")),
    ("distributions.html", include_str!("assets/parts/distributions.html")),
    ("failures.html", include_str!("assets/parts/failures.html")),
    ("facts.html", include_str!("assets/parts/facts.html")),
    ("definitions.html", include_str!("assets/parts/definitions.html")),
    ("reference.html", include_str!("assets/parts/reference.html")),
];

/// The page of a run, opened in `lang`; the other language is one click away.
pub fn render(run: &RunResult, lang: Lang) -> String {
    // Templates are compiled in and their context is made here: a failure is a fault of this module, which its tests
    // would show.
    try_render(run, lang).expect("the page's own templates fit their context")
}

/// What the templates are given, by the names that they use.
#[derive(Serialize)]
struct Page {
    lang: &'static str,
    plotly: &'static str,
    policy: String,
    app: &'static str,
    style: &'static str,
    chart_data: String,
    charts: Charts,
    run: facts::Run,
    summary: summary::Summary,
    cards: Vec<cards::Card>,
    sides: Option<sides::Sides>,
    ladder: ladder::Table,
    rounds: Option<rounds::Rounds>,
    gate: gate::Gate,
    distributions: Vec<distributions::Stage>,
    failures: failures::Failures,
    facts: facts::Facts,
    reference: reference::Reference,
}

fn try_render(run: &RunResult, lang: Lang) -> Result<String, minijinja::Error> {
    let charts = Charts::of(run);
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
        run: facts::run(run),
        summary: summary::of(run),
        cards: cards::of(run),
        sides: sides::of(run),
        ladder: ladder::of(run),
        rounds: rounds::of(run),
        gate: gate::of(run),
        distributions: distributions::of(run),
        failures: failures::of(run),
        facts: facts::of(run),
        reference: reference::tables(),
    };
    environment()?.get_template("page.html")?.render(Serde(page))
}

pub(super) fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("coded", |text: &str| Value::from_safe_string(coded(text)));
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// Nothing is loaded, and the two scripts that may run are named by their hashes. The chart library sets styles.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; script-src {APP_HASH} {PLOTLY_HASH}; style-src 'unsafe-inline'; \
         img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
}
