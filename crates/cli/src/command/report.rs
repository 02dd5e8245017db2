//! `rungs report RESULT`: render a saved result again.

use std::path::Path;

use measure::result::RunResult;
use report::{Lang, html, json, terminal};

use crate::args::{Language, ReportArgs};
use crate::exit::Code;
use crate::files::{read_result, replace};
use crate::prepare::language;
use crate::screen;

pub(crate) fn report(args: &ReportArgs) -> Code {
    let run = match read_result(&args.result) {
        Ok(run) => run,
        Err(error) => {
            screen::talk(format_args!("error: {error:#}"));
            return Code::Usage;
        }
    };
    let lang = match args.lang {
        Some(Language::En) => Lang::En,
        Some(Language::Zh) => Lang::Zh,
        None => language(None),
    };
    if args.json.is_none() && args.html.is_none() {
        let conclusion = report::conclusion::of(&run, [None; 3], lang);
        return print_table(&RunResult { conclusion, ..run }, lang);
    }
    let page = args.html.as_deref().map(|path| (path, Ok(html::render(&run, lang))));
    let result = args.json.as_deref().map(|path| (path, json::render(&run).map_err(anyhow::Error::from)));
    let mut code = Code::Done;
    for (path, text) in [page, result].into_iter().flatten() {
        if let Err(error) = text.and_then(|text| put(path, &text)) {
            screen::talk(format_args!("error: {error:#}"));
            code = Code::Output;
        }
    }
    code
}

/// The closing table, its legend, the gate and the conclusion.
pub(crate) fn print_table(run: &RunResult, lang: Lang) -> Code {
    let mut lines = vec![String::new(), terminal::ladder(run, lang)];
    lines.extend(terminal::legend(run, lang));
    lines.push(String::new());
    lines.extend(terminal::gate(run, lang));
    lines.push(run.conclusion.clone());
    screen::data(lines.join("\n") + "\n")
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    if path == Path::new("-") {
        anyhow::ensure!(screen::data(text) == Code::Done, "nothing more is written");
        return Ok(());
    }
    replace(path, text.as_bytes())
}
