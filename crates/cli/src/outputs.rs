//! What the command line asks to be written of a saved run, and where it goes.

use std::path::Path;

use scenario::plan::Readers;

use crate::args::OutputArgs;
use crate::exit::Code;
use crate::files::replace;
use crate::format::Format;
use crate::screen;

/// The formats that are asked for, each with where it goes.
pub(crate) type Asked<'a> = Vec<(Format, &'a Path)>;

/// Reads what is asked for.
///
/// # Errors
/// When two formats would go to one place; it is said.
pub(crate) fn asked(args: &OutputArgs) -> Result<Asked<'_>, Code> {
    let formats = [
        (Format::Html, &args.html),
        (Format::Json, &args.json),
        (Format::Markdown, &args.markdown),
        (Format::Junit, &args.junit),
        (Format::Csv, &args.csv),
    ];
    let asked: Asked<'_> =
        formats.into_iter().filter_map(|(format, path)| Some((format, path.as_deref()?))).collect();
    for (index, (format, path)) in asked.iter().enumerate() {
        if asked[..index].iter().any(|(_, same)| same == path) {
            let (format, path) = (format.name(), path.display());
            screen::talk(format_args!("error: `--{format} {path}`: another output goes there already"));
            return Err(Code::Usage);
        }
    }
    Ok(asked)
}

/// Refuses to write over what is read.
///
/// # Errors
/// When an output is one of the inputs; it is said.
pub(crate) fn spare(inputs: &[impl AsRef<Path>], asked: &Asked<'_>) -> Result<(), Code> {
    for (format, path) in asked {
        if let Some(input) = inputs.iter().map(AsRef::as_ref).find(|input| is_same(input, path)) {
            let (format, path, input) = (format.name(), path.display(), input.display());
            screen::talk(format_args!(
                "error: `--{format} {path}` would write over `{input}`, which is read"
            ));
            return Err(Code::Usage);
        }
    }
    Ok(())
}

/// Whether two paths lead to one file that is there.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|path| real(other) == Some(path))
}

/// Writes every format that is asked for; each failure is said.
pub(crate) fn write(asked: &Asked<'_>, render: impl Fn(Format) -> anyhow::Result<String>) -> Code {
    let mut code = Code::Done;
    for (format, path) in asked {
        if let Err(error) = render(*format).and_then(|text| put(path, &text)) {
            screen::talk(format_args!("error: {error:#}"));
            code = Code::Output;
        }
    }
    code
}

fn put(path: &Path, text: &str) -> anyhow::Result<()> {
    if path == Path::new("-") {
        anyhow::ensure!(screen::data(text) == Code::Done, "nothing more is written");
        return Ok(());
    }
    replace(path, text.as_bytes(), Readers::Everyone)
}
