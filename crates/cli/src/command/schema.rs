//! `rungs schema`: the form of a scenario file, or of a saved result.

use crate::args::SchemaArgs;
use crate::exit::Code;
use crate::screen;

pub(crate) fn schema(args: &SchemaArgs) -> Code {
    let schema = if args.result { measure::result::schema() } else { scenario::schema() };
    screen::data(format_args!("{schema:#}\n"))
}
