//! `rungs report RESULT...`: render a saved run again, or lay several side by side.

use std::path::Path;

use measure::result::RunResult;
use report::comparison::{self, Comparison};
use report::{Lang, conclusion, terminal};

use crate::args::{CompareArgs, Language, ReportArgs};
use crate::exit::Code;
use crate::format::Format;
use crate::outputs::{Asked, asked, spare, write};
use crate::prepare::language;
use crate::saved::read_run;
use crate::screen;

pub(crate) fn report(args: &ReportArgs) -> Code {
    match steps(args) {
        Ok(code) | Err(code) => code,
    }
}

/// `rungs compare A B`: the same as `report` of both, in the terminal.
pub(crate) fn compare(args: &CompareArgs) -> Code {
    let lang = chosen(args.lang);
    match read_all(&[&args.reference, &args.other], lang) {
        Ok(runs) => several(&runs, &Asked::new(), lang),
        Err(code) => code,
    }
}

fn steps(args: &ReportArgs) -> Result<Code, Code> {
    let asked = asked(&args.outputs)?;
    fits(args, &asked).map_err(misused)?;
    spare(&args.results, &asked)?;
    let lang = chosen(args.lang);
    Ok(match read_all(&args.results, lang)?.as_slice() {
        [run] => one(run, &asked, lang),
        runs => several(runs, &asked, lang),
    })
}

fn chosen(lang: Option<Language>) -> Lang {
    match lang {
        Some(Language::En) => Lang::En,
        Some(Language::Zh) => Lang::Zh,
        None => language(None),
    }
}

fn read_all(paths: &[impl AsRef<Path>], lang: Lang) -> Result<Vec<RunResult>, Code> {
    let runs: anyhow::Result<_> = paths.iter().map(|path| read_run(path.as_ref(), lang)).collect();
    runs.map_err(misused)
}

fn misused(error: anyhow::Error) -> Code {
    screen::talk(format_args!("error: {error:#}"));
    Code::Usage
}

/// Whether what was asked for can be made of so many results.
fn fits(args: &ReportArgs, asked: &Asked<'_>) -> anyhow::Result<()> {
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

fn one(run: &RunResult, asked: &Asked<'_>, lang: Lang) -> Code {
    if asked.is_empty() {
        let conclusion = conclusion::of(run, [None; 3], lang);
        return screen::data(terminal::closing(&RunResult { conclusion, ..run.clone() }, lang));
    }
    write(asked, |format| format.render(run, lang))
}

fn several(runs: &[RunResult], asked: &Asked<'_>, lang: Lang) -> Code {
    let of = Comparison::of(runs);
    if asked.is_empty() {
        return screen::data(comparison::terminal(&of, lang));
    }
    // The formats of one result alone were refused before.
    write(asked, |format| format.comparison(&of, lang).unwrap_or_else(|| Ok(String::new())))
}
