//! `rungs check FILE...`: load and stop.

use crate::args::CheckArgs;
use crate::exit::Code;
use crate::prepare::{layers, prepare};

pub(crate) fn check(args: &CheckArgs) -> Code {
    let layers = layers(&args.layers);
    let failed = args.files.iter().filter(|file| prepare(file, &layers).is_err()).count();
    if failed == 0 { Code::Done } else { Code::Scenario }
}
