//! `rungs report RESULT...`: render a saved result again, or lay several side by side.

use std::path::Path;

use measure::result::RunResult;
use report::comparison::{self, Comparison};
use report::{Lang, terminal};

use crate::args::{Language, ReportArgs};
use crate::exit::Code;
use crate::files::replace;
use crate::format::Format;
use crate::prepare::language;
use crate::saved::read_run;
use crate::screen;

pub(crate) fn report(args: &ReportArgs) -> Code {
    let asked = asked(args);
    let shared = asked
        .iter()
        .enumerate()
        .find(|(index, (_, path))| asked[..*index].iter().any(|(_, same)| same == path));
    if let Some((_, (format, path))) = shared {
        let (format, path) = (format.name(), path.display());
        screen::talk(format_args!("error: `--{format} {path}`: another output goes there already"));
        return Code::Usage;
    }
    let lang = match args.lang {
        Some(Language::En) => Lang::En,
        Some(Language::Zh) => Lang::Zh,
        None => language(None),
    };
    if let Err(error) = fits(args, &asked) {
        screen::talk(format_args!("error: {error:#}"));
        return Code::Usage;
    }
    let runs: anyhow::Result<Vec<RunResult>> = args.results.iter().map(|path| read_run(path, lang)).collect();
    match runs.as_deref() {
        Err(error) => {
            screen::talk(format_args!("error: {error:#}"));
            Code::Usage
        }
        Ok([run]) => one(run, &asked, lang),
        Ok(runs) => several(runs, &asked, lang),
    }
}

/// Whether what was asked for can be made of so many results.
fn fits(args: &ReportArgs, asked: &[(Format, &Path)]) -> anyhow::Result<()> {
    let (results, most) = (args.results.len(), Comparison::MOST);
    anyhow::ensure!(results <= most, "{results} results are too many: a comparison shows up to {most}");
    let single = asked.iter().find(|(format, _)| matches!(format, Format::Json | Format::Junit));
    if let Some((format, _)) = single.filter(|_| results > 1) {
        let name = format.name();
        anyhow::bail!(
            "`--{name}` holds one result, and {results} were named: name one, or ask for --html, --markdown or --csv"
        );
    }
    Ok(())
}

fn one(run: &RunResult, asked: &[(Format, &Path)], lang: Lang) -> Code {
    if asked.is_empty() {
        let conclusion = report::conclusion::of(run, [None; 3], lang);
        return print_table(&RunResult { conclusion, ..run.clone() }, lang);
    }
    write(asked, |format| format.render(run, lang))
}

fn several(runs: &[RunResult], asked: &[(Format, &Path)], lang: Lang) -> Code {
    let of = Comparison::of(runs);
    if asked.is_empty() {
        return screen::data(comparison::terminal(&of, lang));
    }
    // The formats of one result alone were refused before.
    write(asked, |format| format.comparison(&of, lang).unwrap_or_else(|| Ok(String::new())))
}

fn write(asked: &[(Format, &Path)], render: impl Fn(Format) -> anyhow::Result<String>) -> Code {
    let mut code = Code::Done;
    for (format, path) in asked {
        if let Err(error) = render(*format).and_then(|text| put(path, &text)) {
            screen::talk(format_args!("error: {error:#}"));
            code = Code::Output;
        }
    }
    code
}

/// The formats that the command line names, each with where it goes.
fn asked(args: &ReportArgs) -> Vec<(Format, &Path)> {
    let formats = [
        (Format::Html, &args.html),
        (Format::Json, &args.json),
        (Format::Markdown, &args.markdown),
        (Format::Junit, &args.junit),
        (Format::Csv, &args.csv),
    ];
    formats.into_iter().filter_map(|(format, path)| Some((format, path.as_deref()?))).collect()
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
